import { fault } from '../errors.ts'
import { parseRule, type Behavior, type Rule } from '../permissions/rule.ts'
import type { Loaded } from '../settings/loaded.ts'
import { OF_PROJECT } from '../settings/sources.ts'
import type { QueryOptions } from './options.ts'

/** The rules of all settings files and of the caller. What a project allows counts only when the project is trusted. */
export function rulesInForce(loaded: Loaded, trusted: boolean, options: QueryOptions): readonly Rule[] {
  const ofFiles = loaded.rules.flatMap(({ behaviour, rule, scope, place }) => {
    const ofProject = OF_PROJECT.includes(scope)
    if (behaviour === 'allow' && ofProject && !trusted) return []
    return [{ ...parsed(rule, behaviour, `${place.file}:${place.line}`), ofProject }]
  })
  return [
    ...ofFiles,
    ...(options.allowedTools ?? []).map(rule => parsed(rule, 'allow', 'allowedTools')),
    ...(options.disallowedTools ?? []).map(rule => parsed(rule, 'deny', 'disallowedTools'))
  ]
}

/** A rule that cannot be read protects nothing: it must not be passed over. */
function parsed(text: string, behavior: Behavior, source: string): Rule {
  const rule = parseRule(text, behavior, source)
  if ('problem' in rule) throw fault('E_RULE', rule.problem, source)
  return rule
}
