import type { InformationMessage } from '../../agent/output/agent-messages.ts'
import { asOptions, fault } from '../../faults.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { findingLine, stopsRun, type Finding, type Place } from '../../settings/files/finding.ts'
import { restrictions, ruleFindings } from '../../settings/permissions/restrictions.ts'
import { ownToolNames } from '../options/agent-definition.ts'
import { gateFindings, missedTools } from './missed-tools.ts'
import type { ProjectContext } from './project-context.ts'
import type { QueryOptions } from '../options/options.ts'

export type Notice = Pick<InformationMessage, 'content' | 'failedOpen' | 'tag'>

/**
 * Throws for restrictions in files and options that cannot be enforced. In the compat profile each is a notice, like
 * restrictions that are weaker than they seem.
 */
export function checkRestrictions(ground: ProjectContext, armed: ArmedHooks): readonly Notice[] {
  const { loaded, options, trusted } = ground
  const tools = ownToolNames(options)
  const all = [
    ...[...loaded.findings, ...armed.findings, ...restrictions(loaded, tools)].filter(
      ({ ofProject }) => trusted || ofProject !== true
    ),
    ...ofOptions(options, tools),
    ...gateFindings(armed, tools)
  ].filter(({ gate, level }) => gate && level !== 'info')
  const wrong = all.filter(stopsRun)
  const failedOpen = armed.hooks.options.profile === 'compat'
  if (wrong.length > 0 && !failedOpen) throw fault('E_SETTINGS', wrong.map(findingLine).join('; '))
  return all.map(finding => ({
    content: asOptions(findingLine(finding)),
    tag: 'restriction',
    ...(stopsRun(finding) && { failedOpen: true as const })
  }))
}

function ofOptions(
  { disallowedTools = [], allowedTools = [], agents = {} }: QueryOptions,
  tools: readonly string[]
): readonly Finding[] {
  const named = (behaviour: 'allow' | 'deny', key: string, rules: readonly string[]) =>
    rules.map((rule, place) => ({ behaviour, rule, place: optionPlace(`${key}[${place}]`) }))
  const given = [...named('deny', 'disallowedTools', disallowedTools), ...named('allow', 'allowedTools', allowedTools)]
  // Other problems of subagents are errors of the option itself.
  const ofAgents = Object.entries(agents).flatMap(([name, agent]) =>
    ruleFindings(named('deny', `agents.${name}.disallowedTools`, agent?.disallowedTools ?? []), tools)
  )
  return [...ruleFindings(given, tools), ...ofAgents.filter(({ code }) => code === 'tool-absent')]
}

const optionPlace = (key: string): Place => ({ file: 'options', line: 0, column: 0, key })

export const mcpNotices = (...about: Parameters<typeof missedTools>): readonly Notice[] =>
  [...new Set(missedTools(...about).map(({ text }) => text))].map(text => ({
    content: asOptions(text),
    tag: 'restriction'
  }))
