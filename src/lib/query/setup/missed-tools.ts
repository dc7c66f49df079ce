import { forbidsTool } from '../../agent/subagents/child-permissions.ts'
import { nearest } from '../../errors.ts'
import { compileMatcher, EVERYTHING } from '../../hooks/dispatch/matcher.ts'
import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import type { HookDescription } from '../../hooks/hook.ts'
import type { Rule } from '../../permissions/policy.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { findingOf, sourceOf, type Finding } from '../../settings/files/finding.ts'
import { matcherCheck, type AddFinding } from '../../settings/lint/lint-matcher.ts'
import { compileSafely } from '../../settings/lint/patterns.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import { jsonIn } from '../../util/attempt.ts'
import { serverLabel } from '../../util/names.ts'

/** Gates that modules and programs added, whose matchers miss the tools. */
export function gateFindings(armed: ArmedHooks, tools: readonly string[]): readonly Finding[] {
  const inFiles = new Set(armed.statuses().map(({ hook }) => sourceOf(hook.place)))
  return armed.hooks.list().flatMap(hook => (inFiles.has(hook.source) ? [] : ofHook(hook, tools)))
}

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

/** A server, and its tools with their full names. */
interface ServerTools {
  readonly name: string
  readonly status: 'connected' | 'failed'
  readonly tools: readonly { readonly name: string }[]
}

type Restriction = { readonly says: string; readonly name: string; readonly fits: (tool: string) => boolean }

/**
 * Rules and gates for tools that a server does not have or calls differently, or for a server whose name is misspelt.
 * `others`: tools that belong to no server, besides the built-in ones.
 */
export function missedTools(
  rules: readonly Rule[],
  hooks: readonly HookDescription[],
  servers: readonly ServerTools[],
  others: readonly string[] = []
): readonly string[] {
  const ofRules = rules
    .filter(({ behavior }) => behavior !== 'allow')
    .map(rule => ({
      says: `${rule.source}: ${rule.text}`,
      name: rule.tool,
      fits: (tool: string) => forbidsTool([rule], tool)
    }))
  return [
    ...new Set(
      [...ofRules, ...hooks.flatMap(gatesByName)].flatMap(one =>
        others.includes(one.name) ? [] : missedIn(one, servers)
      )
    )
  ]
}

/** Whether a hook or a restricting rule is about one of these tools. */
export const concernsAny = (
  rules: readonly Rule[],
  hooks: readonly HookDescription[],
  tools: readonly string[]
): boolean =>
  rules.some(
    rule => rule.behavior !== 'allow' && tools.some(tool => forbidsTool([{ ...rule, specifier: undefined }], tool))
  ) ||
  hooks.some(
    ({ events, matcher }) =>
      events.some(event => rowOf(event).target === 'tool_name') &&
      (matcher === EVERYTHING.words ||
        namesIn(matcher).some(text => tools.some(compileMatcher(text, compileSafely, true).matches)))
  )

function gatesByName({ events, matcher, source, observe }: HookDescription): readonly Restriction[] {
  if (gateOf(events) === undefined || observe) return []
  return namesIn(matcher)
    .flatMap(text => (/^[\w\-|, ]+$/.test(text) ? text.split(/[|,] */) : text))
    .filter(name => /^(?:\^?mcp__|[\w-]+$)/.test(name))
    .map(name => ({ says: `${source}: the matcher ${name}`, name, fits: compileMatcher(name, compileSafely).matches }))
}

function missedIn({ says, name, fits }: Restriction, servers: readonly ServerTools[]): readonly string[] {
  const label = /^\^?mcp__([\w-]+?)(?:__|$)/.exec(name)?.[1]
  const missed = (why: string): readonly string[] => [`${says} protects nothing: ${why}`]
  if (label === undefined) {
    const meant = servers.flatMap(({ tools }) => tools).find(tool => tool.name.replace(/^mcp__.*?__/, '') === name)
    return meant === undefined || TOOL_NAMES.includes(name) ? [] : missed(`the tool is called ${meant.name} here`)
  }
  const server = servers.find(each => serverLabel(each.name) === label)
  if (server !== undefined)
    return server.status !== 'connected' || server.tools.some(tool => fits(tool.name))
      ? []
      : missed(`the server ${server.name} has no such tool`)
  const near = nearest(
    label,
    servers.map(each => serverLabel(each.name))
  )
  return near === undefined ? [] : missed(`there is no server ${label} (did you mean ${near}?)`)
}
