import { judgeLeaves } from './allow-command.ts'
import { factsOf, mainInput } from './call-facts.ts'
import type { Policy, Rule } from './policy.ts'
import { fits } from './rule.ts'

export interface RuleExamples {
  readonly match?: readonly string[] | undefined
  readonly not_match?: readonly string[] | undefined
}

/** Examples that the rule does not decide as they say. Each is the main value of a call: a command, a path, a URL. */
export function failedExamples(
  rule: Rule,
  { match = [], not_match = [] }: RuleExamples,
  root: string
): readonly string[] {
  const policy: Policy = { rules: [rule], mode: 'default', roots: [root] }
  return [
    ...match.filter(text => !covers(rule, text, policy)).map(text => `does not match ${JSON.stringify(text)}`),
    ...not_match.filter(text => covers(rule, text, policy)).map(text => `matches ${JSON.stringify(text)}`)
  ]
}

/** Where it cannot be told, a rule that refuses or asks has an effect. */
function covers(rule: Rule, text: string, policy: Policy): boolean {
  const call = factsOf(rule.tool, mainInput(rule.tool, text), policy)
  if (rule.behavior !== 'allow' || rule.tool !== 'Bash' || rule.specifier === undefined)
    return fits(rule, call, policy) !== 'no'
  const verdicts = judgeLeaves(text, call, policy)
  return verdicts.every(({ decision }) => decision === 'allow') && verdicts.some(verdict => verdict.rule !== undefined)
}
