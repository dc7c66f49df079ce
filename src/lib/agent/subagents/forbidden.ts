import { fault } from '../../faults.ts'
import { fits, parseRule, type Rule } from '../../permissions/rule.ts'
import type { AgentDefinition } from './definitions.ts'

/** The tools, servers and calls that a subagent must not use, as rules. Throws where one cannot be read. */
export function forbiddenTo(type: string, { disallowedTools = [] }: AgentDefinition): readonly Rule[] {
  const source = `disallowedTools of the agent ${type}`
  const given: unknown = disallowedTools
  if (!Array.isArray(given) || !given.every(rule => typeof rule === 'string'))
    throw fault('E_OPTION_INVALID', source, JSON.stringify(given) ?? 'nothing', 'a list of tools and rules')
  return given.map((text: string) => {
    const rule = parseRule(text, 'deny', source)
    if ('problem' in rule) throw fault('E_RULE', rule.problem, source)
    return rule
  })
}

/** Whether one of these refuses the tool as a whole. */
export const forbidsTool = (rules: readonly Rule[], tool: string): boolean =>
  rules.some(rule => rule.specifier === undefined && fits(rule, callOf(tool), NOWHERE) === 'yes')

const callOf = (tool: string): Parameters<typeof fits>[1] => ({
  tool,
  input: {},
  subject: undefined,
  readOnly: false
})

/** A rule without a pattern reads no path. */
const NOWHERE: Parameters<typeof fits>[2] = { roots: [], home: '' }
