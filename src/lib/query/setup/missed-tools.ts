import { forbidsTool } from '../../agent/subagents/child-permissions.ts'
import { nearest } from '../../errors.ts'
import { compileMatcher } from '../../hooks/dispatch/matcher.ts'
import { isGate, rowOf, type EventName } from '../../hooks/events/event-table.ts'
import type { HookDescription } from '../../hooks/hook.ts'
import type { Rule } from '../../permissions/policy.ts'
import { parseRule } from '../../permissions/rule.ts'
import type { ArmedHooks } from '../../settings/active/settings-registry.ts'
import { ALL_TOOL_NAMES } from '../../permissions/tool-names.ts'
import { findingOf, sourceOf, type Finding } from '../../settings/files/finding.ts'
import { matcherCheck, type AddFinding } from '../../settings/lint/lint-matcher.ts'
import { compileSafely } from '../../settings/lint/patterns.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import { jsonIn } from '../../util/attempt.ts'
import { lettersIn, serverLabel } from '../../util/names.ts'
import { nearMiss } from '../../util/near.ts'

/** Gates that modules and programs added, whose matchers miss what they are about. */
export function gateFindings(armed: ArmedHooks, tools: readonly string[]): readonly Finding[] {
  const inFiles = new Set(armed.statuses().map(({ hook }) => sourceOf(hook.place)))
  return armed.hooks.list().flatMap(hook => (inFiles.has(hook.source) ? [] : ofHook(hook, tools)))
}

function ofHook({ events, matcher, source, observe }: HookDescription, tools: readonly string[]): readonly Finding[] {
  const gates = observe ? [] : events.filter(each => isGate(each) && rowOf(each).target !== undefined)
  const [, file = source, line = 1, column = 1] = /^(.*):(\d+):(\d+)$/.exec(source) ?? []
  const place = { file, line: Number(line), column: Number(column), key: 'matcher' }
  const findings: Finding[] = []
  const say: AddFinding = (level, _, ...words) => findings.push(findingOf(level, place, true, words))
  for (const event of gates)
    for (const text of namesIn(matcher)) matcherCheck({ event, matcher: text }, say, 'error', tools)
  return findings
}

/** For everything, and for what is no text, that is `*`. */
function namesIn(matcher: string): readonly string[] {
  const texts = jsonIn(matcher) as string | readonly string[] | undefined
  return texts === undefined ? (/^\/(.*)\/[a-hj-z]*$/s.exec(matcher)?.slice(1) ?? ['*']) : [texts].flat()
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
  fitsAny?(tool: string): boolean
}

interface Missed {
  readonly text: string
  /** `near`: a name here is meant, which differs only in case or punctuation. `elsewhere`: there is no such server. */
  readonly is: 'near' | 'absent' | 'elsewhere'
}

/** Rules that deny or ask, and hooks that may refuse calls of tools or hide their results, by the names in them. */
export const restrictionsBy = (rules: readonly Rule[], hooks: readonly HookDescription[]): readonly Restriction[] => [
  ...rules.filter(({ behavior }) => behavior !== 'allow').map(ofRule),
  ...hooks.filter(({ events, observe }) => !observe && events.some(judgesCalls)).flatMap(ofHookNames)
]

/**
 * Those for tools that a server does not have or calls differently, or for a server whose name is misspelt. `others`:
 * tools that belong to no server, besides the built-in ones.
 */
export const missedTools = (
  restrictions: readonly Restriction[],
  servers: readonly ServerTools[],
  others: readonly string[] = []
): readonly Missed[] => restrictions.flatMap(one => (others.includes(one.name) ? [] : missedIn(one, servers)))

const judgesCalls = (event: EventName): boolean => rowOf(event).target === 'tool_name' && event !== 'PermissionDenied'

const ofRule = (rule: Rule): Restriction => ({
  says: `${rule.source}: ${rule.text}`,
  name: rule.tool,
  fits: tool => forbidsTool([{ ...rule, specifier: undefined }], tool)
})

function ofHookNames(hook: HookDescription): readonly Restriction[] {
  const says = `${hook.source}: ${hook.name}`
  const matching = (text: string): Restriction['fits'] =>
    compileMatcher(text, compileSafely, hook.dialect === 'library').matches
  const texts = namesIn(hook.matcher)
  const all = texts.map(matching)
  const named = texts
    .flatMap(text => (/^[\w\-|, ]+$/.test(text) ? text.split(/[|,] */) : text))
    .map(name => ({
      says: `${says}: the matcher ${name}`,
      name,
      fits: matching(name),
      fitsAny: (tool: string) => all.some(fits => fits(tool))
    }))
  const rule = parseRule(hook.condition ?? '', 'deny', `${says}: if`)
  return 'problem' in rule ? named : [...named, ofRule(rule)]
}

function missedIn(one: Restriction, servers: readonly ServerTools[]): readonly Missed[] {
  const { says, name, fits, fitsAny = fits } = one
  const missed = (is: Missed['is'], why: string, meant?: string): readonly Missed[] => [
    { text: `${says} protects nothing: ${why}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`, is }
  ]
  const tools = servers.flatMap(server => server.tools.map(tool => tool.name))
  if (tools.some(fits)) return []
  const tool = tools.find(each => isNamesake(name, each))
  if (tool !== undefined) return fitsAny(tool) ? [] : missed('near', `the tool is called ${tool} here`)
  const { label } = partsOf(name)
  if (label === undefined) return []
  const labels = servers.map(each => serverLabel(each.name))
  const server = servers[labels.indexOf(label)]
  if (server?.status === 'failed') return []
  if (server !== undefined) return missed('absent', `the server ${server.name} has no such tool`, nearMiss(name, tools))
  const own = labels.find(each => isAlike(each, label))
  if (own !== undefined) return tools.some(fitsAny) ? [] : missed('near', `the server is called ${own} here`)
  const near = nearest(label, labels)
  return near === undefined ? [] : missed('elsewhere', `there is no server ${label}`, near)
}

const partsOf = (name: string): { readonly label?: string; readonly own?: string } =>
  /^\^?mcp__(?<label>[\w-]+?)(?:__(?<own>.*))?$/.exec(name)?.groups ?? {}

const isAlike = (one: string, other: string): boolean => lettersIn(one) === lettersIn(other)

/** Whether a name probably means this tool. That of a tool of an agent does not, if only case or punctuation differ. */
function isNamesake(name: string, tool: string): boolean {
  const { label = '', own = '' } = partsOf(tool)
  const given = partsOf(name)
  if (given.label !== undefined) return isAlike(given.label, label) && isAlike(given.own ?? '', own)
  // A pattern is not about a name.
  if (!/^[\w-]+$/.test(name)) return false
  if (ALL_TOOL_NAMES.includes(name)) return name === own && !TOOL_NAMES.includes(name)
  return isAlike(name, own) || isAlike(name, tool)
}
