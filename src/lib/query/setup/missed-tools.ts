import { forbidsTool } from '../../agent/subagents/child-permissions.ts'
import { nearest } from '../../errors.ts'
import { compileMatcher, EVERYTHING } from '../../hooks/dispatch/matcher.ts'
import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import type { HookDescription } from '../../hooks/hook.ts'
import type { Rule } from '../../permissions/policy.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { ALL_TOOL_NAMES } from '../../permissions/tool-names.ts'
import { findingOf, sourceOf, type Finding } from '../../settings/files/finding.ts'
import { matcherCheck, type AddFinding } from '../../settings/lint/lint-matcher.ts'
import { compileSafely } from '../../settings/lint/patterns.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import { jsonIn } from '../../util/attempt.ts'
import { lettersIn, serverLabel } from '../../util/names.ts'
import { nearMiss } from '../../util/near.ts'

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

interface Restriction {
  readonly says: string
  readonly name: string
  fits(tool: string): boolean
  /** With all its names, if it has several. */
  fitsAny(tool: string): boolean
}

interface Missed {
  readonly text: string
  /** It is about a tool of one of these servers, and protects none of them. */
  readonly isHere: boolean
}

/**
 * Rules and gates for tools that a server does not have or calls differently, or for a server whose name is misspelt.
 * `others`: tools that belong to no server, besides the built-in ones.
 */
export function missedTools(
  rules: readonly Rule[],
  hooks: readonly HookDescription[],
  servers: readonly ServerTools[],
  others: readonly string[] = []
): readonly Missed[] {
  const ofRules = rules
    .filter(({ behavior }) => behavior !== 'allow')
    .map(rule => {
      const fits = (tool: string): boolean => forbidsTool([rule], tool)
      return { says: `${rule.source}: ${rule.text}`, name: rule.tool, fits, fitsAny: fits }
    })
  return [...ofRules, ...hooks.flatMap(gatesByName)].flatMap(one =>
    others.includes(one.name) ? [] : missedIn(one, servers)
  )
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

function gatesByName({ name: hook, events, matcher, source, observe }: HookDescription): readonly Restriction[] {
  if (gateOf(events) === undefined || observe) return []
  const texts = namesIn(matcher)
  const all = texts.map(text => compileMatcher(text, compileSafely))
  return texts
    .flatMap(text => (/^[\w\-|, ]+$/.test(text) ? text.split(/[|,] */) : text))
    .filter(name => /^(?:\^?mcp__|[\w-]+$)/.test(name))
    .map(name => ({
      says: `${source}: ${hook}: the matcher ${name}`,
      name,
      fits: compileMatcher(name, compileSafely).matches,
      fitsAny: tool => all.some(({ matches }) => matches(tool))
    }))
}

function missedIn({ says, name, fits, fitsAny }: Restriction, servers: readonly ServerTools[]): readonly Missed[] {
  const missed = (why: string, meant: string | undefined, isHere: boolean): readonly Missed[] => [
    { text: `${says} protects nothing: ${why}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`, isHere }
  ]
  const tools = servers.flatMap(server => server.tools.map(tool => tool.name))
  const meant = tools.includes(name) ? undefined : tools.find(tool => isNamesake(name, tool))
  if (meant !== undefined && !fitsAny(meant)) return missed(`the tool is called ${meant} here`, undefined, true)
  const label = /^\^?mcp__([\w-]+?)(?:__|$)/.exec(name)?.[1]
  if (label === undefined) return []
  const labels = servers.map(each => serverLabel(each.name))
  const server = servers[labels.indexOf(label)]
  const near = server === undefined ? nearest(label, labels) : undefined
  if (near !== undefined) return missed(`there is no server ${label}`, near, false)
  if (server?.status !== 'connected' || tools.some(fits)) return []
  return missed(`the server ${server.name} has no such tool`, nearMiss(name, tools), !tools.some(fitsAny))
}

/** Whether a name probably means this tool. That of a tool of an agent does not, if only case or punctuation differ. */
function isNamesake(name: string, tool: string): boolean {
  const own = tool.replace(/^mcp__.*?__/, '')
  if (name === own || ALL_TOOL_NAMES.includes(name)) return name === own && !TOOL_NAMES.includes(name)
  return [tool, own].map(lettersIn).includes(lettersIn(name))
}
