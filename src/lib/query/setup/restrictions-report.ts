import type { Rule } from '../../permissions/policy.ts'
import { forbidsTool } from '../../agent/subagents/child-permissions.ts'
import type { InformationMessage } from '../../agent/output/agent-messages.ts'
import { nearest } from '../../errors.ts'
import { asOptions, fault } from '../../faults.ts'
import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import type { HookDescription } from '../../hooks/hook.ts'
import { compileMatcher } from '../../hooks/dispatch/matcher.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { findingLine, findingOf, sourceOf, stopsRun, type Finding, type Place } from '../../settings/files/finding.ts'
import { matcherCheck, type AddFinding } from '../../settings/lint/lint-matcher.ts'
import { compileSafely } from '../../settings/lint/patterns.ts'
import { restrictions, ruleFindings } from '../../settings/permissions/restrictions.ts'
import type { ConnectedServer } from '../../tools/mcp/mcp.ts'
import { serverLabel } from '../../util/names.ts'
import { ownToolNames } from '../options/agent-definition.ts'
import type { ProjectContext } from './project-context.ts'
import type { QueryOptions } from '../options/options.ts'
import { jsonIn } from '../../util/attempt.ts'

export type Notice = Pick<InformationMessage, 'content' | 'failedOpen' | 'tag'>

/**
 * Throws for restrictions in files and options that cannot be enforced. In the compat profile each is a notice, like
 * restrictions that are weaker than they seem.
 */
export function checkRestrictions(ground: ProjectContext, armed: ArmedHooks): readonly Notice[] {
  const { loaded, options, trusted } = ground
  const tools = ownToolNames(options)
  const inFiles = new Set(armed.statuses().map(({ hook }) => sourceOf(hook.place)))
  const own = armed.hooks.list().filter(({ source }) => !inFiles.has(source))
  const all = [
    ...[...loaded.findings, ...armed.findings, ...restrictions(loaded, tools)].filter(
      ({ ofProject }) => trusted || ofProject !== true
    ),
    ...ofOptions(options, tools),
    ...own.flatMap(hook => ofHook(hook, tools))
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

/** The first of these events that a tool has to pass. */
const gateOf = (events: HookDescription['events']): EventName | undefined =>
  events.find(each => isGate(each) && rowOf(each).target === 'tool_name')

function ofHook({ events, matcher, source, observe }: HookDescription, tools: readonly string[]): readonly Finding[] {
  const event = gateOf(events)
  if (event === undefined || observe) return []
  const [, file = source, line = 1, column = 1] = /^(.*):(\d+):(\d+)$/.exec(source) ?? []
  const place = { file, line: Number(line), column: Number(column), key: 'matcher' }
  return namesIn(matcher).flatMap(text => {
    const findings: Finding[] = []
    const say: AddFinding = (level, _, ...words) => findings.push(findingOf(level, place, true, words))
    matcherCheck({ event, matcher: text }, say, 'error', tools)
    return findings
  })
}

function namesIn(matcher: string): readonly string[] {
  const texts = jsonIn(matcher) as string | readonly string[] | undefined
  return texts === undefined ? (/^\/(.*)\/[a-hj-z]*$/s.exec(matcher)?.slice(1) ?? []) : [texts].flat()
}

type Restriction = { readonly says: string; readonly name: string; readonly fits: (tool: string) => boolean }

/** Rules and gates for tools that a server does not have, or for a server whose name is misspelt. */
export function mcpNotices(
  rules: readonly Rule[],
  hooks: readonly HookDescription[],
  servers: readonly ConnectedServer[]
): readonly Notice[] {
  const ofRules = rules
    .filter(({ behavior }) => behavior !== 'allow')
    .map(rule => ({
      says: `${rule.source}: ${rule.text}`,
      name: rule.tool,
      fits: (tool: string) => forbidsTool([rule], tool)
    }))
  const missing = [...ofRules, ...hooks.flatMap(gatesOfServers)].flatMap(one => missedIn(one, servers))
  return [...new Set(missing)].map(content => ({ content: asOptions(content), tag: 'restriction' }))
}

function gatesOfServers({ events, matcher, source, observe }: HookDescription): readonly Restriction[] {
  if (gateOf(events) === undefined || observe) return []
  return namesIn(matcher)
    .flatMap(text => (/^[\w\-|, ]+$/.test(text) ? text.split(/[|,] */) : text))
    .filter(name => /^\^?mcp__/.test(name))
    .map(name => ({ says: `${source}: the matcher ${name}`, name, fits: compileMatcher(name, compileSafely).matches }))
}

function missedIn({ says, name, fits }: Restriction, servers: readonly ConnectedServer[]): readonly string[] {
  const label = /^\^?mcp__([\w-]+?)(?:__|$)/.exec(name)?.[1]
  if (label === undefined) return []
  const server = servers.find(each => serverLabel(each.name) === label)
  if (server !== undefined)
    return server.status !== 'connected' || server.tools.some(tool => fits(tool.name))
      ? []
      : [`${says} protects nothing: the server ${server.name} has no such tool`]
  const near = nearest(
    label,
    servers.map(each => serverLabel(each.name))
  )
  return near === undefined ? [] : [`${says} protects nothing: there is no server ${label} (did you mean ${near}?)`]
}
