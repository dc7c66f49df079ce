import { parseRule, type Rule } from '../permissions/rule.ts'
import type { Finding } from './finding.ts'
import type { Loaded } from './loaded.ts'
import { OF_PROJECT } from './sources.ts'

/** The permission rules of files. */
interface FileRules {
  readonly rules: readonly Rule[]
  /** Those that cannot be read. One that cannot be read protects nothing: it must not be passed over. */
  readonly findings: readonly Finding[]
}

/** The rules of all settings files that count. What a project allows does so only when the project is trusted. */
export function rulesOf({ rules: all }: Pick<Loaded, 'rules'>, trusted: boolean): FileRules {
  const rules: Rule[] = []
  const findings: Finding[] = []
  for (const { behaviour, rule, scope, place } of all) {
    const ofProject = OF_PROJECT.includes(scope)
    if (behaviour === 'allow' && ofProject && !trusted) continue
    const parsed = parseRule(rule, behaviour, `${place.file}:${place.line}`)
    if ('problem' in parsed)
      findings.push({ level: 'error', code: 'rule', place, message: parsed.problem, fix: 'correct it', gate: true })
    else rules.push({ ...parsed, ofProject })
  }
  return { rules, findings }
}
