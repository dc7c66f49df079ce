import { parseRule, type Rule } from '../../permissions/rule.ts'
import type { Loaded } from '../files/loaded-hooks.ts'
import { OF_PROJECT } from '../files/sources.ts'

/**
 * The rules of all settings files that count. What a project allows does so only when the project is trusted. What cannot
 * be read is none; that it is there, and stops the run, is found by `restrictions`.
 */
export function rulesOf({ rules }: Pick<Loaded, 'rules'>, trusted: boolean): readonly Rule[] {
  return rules.flatMap(({ behaviour, rule, scope, place }) => {
    const ofProject = OF_PROJECT.includes(scope)
    if (behaviour === 'allow' && ofProject && !trusted) return []
    const parsed = parseRule(rule, behaviour, `${place.file}:${place.line}`)
    return 'problem' in parsed ? [] : [{ ...parsed, ofProject }]
  })
}
