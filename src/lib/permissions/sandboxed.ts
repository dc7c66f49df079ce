import { judgeLeaves } from './allow-command.ts'
import { factsOf } from './call-facts.ts'
import type { PathLookup, Policy, Rule } from './policy.ts'
import { fits } from './rule.ts'

/**
 * Whether a command runs in the sandbox. A rule with `sandbox: true` confines every text that may contain its command;
 * rules with `sandbox: false` exempt a text only if they cover each command in it. Otherwise it is as for all.
 */
export function isSandboxed(command: string, policy: Policy, lookup: PathLookup, isForAll: boolean): boolean {
  const rulesWith = (sandbox: boolean): readonly Rule[] => policy.rules.filter(rule => rule.sandbox === sandbox)
  const [inside, outside] = [rulesWith(true), rulesWith(false)]
  if (inside.length + outside.length === 0) return isForAll
  const call = factsOf('Bash', { command }, policy, lookup)
  if (inside.some(rule => fits({ ...rule, behavior: 'ask' }, call, policy) !== 'no')) return true
  if (!isForAll || outside.some(({ specifier }) => specifier === undefined)) return false
  const rules = outside.map((rule): Rule => ({ ...rule, behavior: 'allow' }))
  return !judgeLeaves(command, call, { ...policy, rules }).every(({ rule }) => rule !== undefined)
}
