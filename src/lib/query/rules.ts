import type { Permissions } from '../agent/given.ts'
import { fault } from '../errors.ts'
import { parseMode } from '../permissions/modes.ts'
import { parseRule, type Behavior, type Rule } from '../permissions/rule.ts'
import type { Loaded } from '../settings/loaded.ts'
import { OF_PROJECT } from '../settings/sources.ts'
import type { Ground } from './ground.ts'
import type { QueryOptions } from './options.ts'
import type { Place } from './place.ts'
import type { Remembered } from './remembered.ts'

/** The rules of all settings files and of the caller. What a project allows counts only when the project is trusted. */
function rulesInForce(loaded: Loaded, trusted: boolean, options: QueryOptions): readonly Rule[] {
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

/** What may be done without asking, to begin with. */
export function permissionsOf(
  { options, where, loaded, trusted }: Ground,
  { tools }: Place,
  remembered: Remembered
): Permissions {
  const mayBypass = options.allowDangerouslySkipPermissions === true && !loaded.locks.noBypass
  const mode = parseMode(options.permissionMode ?? loaded.mode ?? 'default', mayBypass)
  if (typeof mode === 'object') throw fault('E_RULE', mode.problem, 'permissionMode')
  const rules = [...rulesInForce(loaded, trusted, options), ...remembered.rules()]
  const { home, ownHome } = where
  return {
    rules,
    mode,
    // Where output that was too long to be shown is kept: the model is told to look there.
    roots: [tools.root, ...tools.directories, ...(tools.outputFolder === undefined ? [] : [tools.outputFolder])],
    mayBypass,
    home,
    own: [ownHome, ...where.managed],
    leavesOut: true
  }
}
