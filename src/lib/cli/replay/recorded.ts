import type { Met } from '../../transcript/file.ts'
import { asText, isObject, type PlainObject } from '../../util/plain.ts'
import { sessionItems, sessionLines, type StoredSession } from '../sessions/load.ts'
import type { StoryItem } from '../sessions/story.ts'

/** A call of a model, or a prompt. */
export interface RecordedCall {
  readonly id: string
  /** Empty: it is a prompt. */
  readonly tool: string
  readonly input: PlainObject
  /** The folder and the mode it was made in, if they are recorded. */
  readonly cwd: string | undefined
  readonly mode: string | undefined
}

/** What was decided about it. `ran`: whether someone was asked before is not recorded. */
export interface Past {
  readonly decision: 'allow' | 'ask' | 'defer' | 'deny' | 'ran' | 'unknown'
  readonly by?: string
  readonly reason?: string
  /** The input that it ran with, if it is recorded. */
  readonly input?: unknown
}

/** A subagent is `agent`. */
export type Recorded =
  | { readonly agent: string; readonly type: string | undefined }
  | { readonly id: string; readonly call: RecordedCall; readonly past?: Past }
  | { readonly id: string; readonly past: Past }

interface OpenCall {
  waits?: 'ask' | 'defer'
  ranWith?: unknown
  refused?: Past
}

/** More calls without a result are given up, the oldest first. */
const MOST_OPEN = 1_000

/** Commands of Claude Code itself, and its notes: no hook sees them. */
const NO_PROMPT = /^(?:<(?:local-)?command-|\[Request interrupted)/

/** Calls as they were proposed, and what became of them. Copies of lines of `others`, other sessions, are left out. */
export function* recordedIn(session: StoredSession, others: ReadonlySet<string>): Generator<Recorded> {
  const { isForeign, isAgent } = session
  const open = new Map<string, OpenCall>()
  const line: { cwd?: string; mode?: string; denial?: string | undefined } = {}
  const watched = function* (lines: Iterable<Met>): Generator<Met> {
    for (const met of lines) {
      const entry: PlainObject = 'entry' in met ? met.entry : {}
      const { type, subtype, forkedFrom, cwd, permissionMode: mode, toolDenialKind: denial } = entry
      if (isObject(forkedFrom) && others.has(asText(forkedFrom['sessionId']))) continue
      if (typeof cwd === 'string') line.cwd = cwd
      if (typeof mode === 'string') line.mode = mode
      line.denial = typeof denial === 'string' ? denial : undefined
      const call = type === 'tool-intent' ? open.get(asText(entry['toolUseId'])) : undefined
      if (call !== undefined) call.ranWith = entry['input']
      if (subtype === 'permission_denied') refuse(open, entry)
      yield met
    }
  }
  for (const item of sessionItems(session, watched(sessionLines(session)))) {
    const { cwd, mode } = line
    const isPrompt = item.kind === 'prompt' && !isAgent && !NO_PROMPT.test(item.text)
    const { uuid: id = '' } = item
    if (isPrompt)
      yield { id, call: { id, tool: '', input: { prompt: item.text }, cwd, mode }, past: { decision: 'allow' } }
    if (item.kind === 'call') {
      const [oldest] = open.size < MOST_OPEN ? [] : open.keys()
      if (oldest !== undefined) yield settled(oldest, open, NO_RESULT)
      open.set(item.id, {})
      const { id: call, tool, input } = item
      yield { id: call, call: { id: call, tool, input: isObject(input) ? input : {}, cwd, mode } }
    }
    if (item.kind === 'subagent') yield { agent: item.id, type: item.type }
    const call = 'id' in item ? open.get(item.id) : undefined
    if (call !== undefined && item.kind === 'waiting' && item.why !== 'nested')
      call.waits = item.why === 'asked' ? 'ask' : 'defer'
    if (call !== undefined && item.kind === 'result')
      yield settled(item.id, open, isForeign ? theirThen(item, line.denial) : ourThen(item, call))
  }
  for (const [id, { waits }] of open)
    yield settled(id, open, waits === undefined ? NO_RESULT : { decision: waits, reason: 'it waits for a decision' })
}

const NO_RESULT: Past = { decision: 'unknown', reason: 'it has no result' }

function settled(id: string, open: Map<string, OpenCall>, past: Past): Recorded {
  open.delete(id)
  return { id, past }
}

/** A question that was answered with no, or by no one, is a question. */
function refuse(open: ReadonlyMap<string, OpenCall>, { toolUseId, kind, by, reason }: PlainObject): void {
  const call = open.get(asText(toolUseId))
  const decision = kind === 'asked' || kind === 'default' ? 'ask' : 'deny'
  if (call !== undefined) call.refused = { decision, by: asText(by), reason: asText(reason) }
}

type Result = StoryItem & { readonly kind: 'result' }

/** Calls that no hook and no rule has judged, or not to the end. */
const OUR_FAILURES =
  /^(?:InputValidationError|No such tool|\[Interrupted before|interrupted$|a hook made the|hooks changed)/

function ourThen({ isError, text }: Result, { refused, ranWith, waits }: OpenCall): Past {
  if (refused !== undefined) return refused
  if (ranWith === undefined && isError && OUR_FAILURES.test(text)) return { decision: 'unknown', reason: text }
  return { decision: waits === 'ask' ? 'ask' : 'allow', ...(ranWith !== undefined && { input: ranWith }) }
}

/** What Claude Code tells the model about calls that did not run. */
const THEIR_REFUSALS: readonly (readonly [RegExp, Past['decision'], string])[] = [
  [/^(?:Error: )?PreToolUse:\S+ hook error: \[(?<by>.*?)\]: (?<why>.*)/s, 'deny', 'a hook'],
  [/^(?:Error: )?Execution stopped by PreToolUse hook:? ?(?<why>.*)/s, 'deny', 'a hook'],
  [/^The user doesn't want to proceed with this tool use(?<why>)/, 'ask', 'the user'],
  [/^(?<why>.*(?:, but you haven't granted it yet| requires? approval)\b.*)/s, 'ask', 'no one was asked'],
  [/^(?<why>Permission (?:to use|for this action)\b.*\bdenied.*)/s, 'deny', 'a rule'],
  [/^(?:<tool_use_error>|The user doesn't want to take this action|\[Request interrupted)(?<why>.*)/s, 'unknown', '']
]

/** Newer versions say in a field that a call was refused; what its hooks answered in JSON is then the whole text. */
function theirThen({ isError, text }: Result, denial: string | undefined): Past {
  if (!isError) return { decision: 'ran' }
  if (denial === 'interrupted' || denial === 'cancelled') return { decision: 'unknown', reason: denial }
  for (const [pattern, decision, usual] of THEIR_REFUSALS) {
    const { groups } = pattern.exec(text) ?? {}
    if (groups !== undefined) return { decision, by: groups['by'] ?? usual, reason: groups['why'] ?? '' }
  }
  if (denial === undefined) return { decision: 'ran' }
  return denial === 'user-rejected'
    ? { decision: 'ask', by: 'the user', reason: text }
    : { decision: 'deny', by: denial, reason: text }
}

/** Paths in a folder, as if it were another one. */
export function movedTo<T>(value: T, from: string, to: string): T {
  const pattern = new RegExp(`(?<![\\w.-])${from.replaceAll(/\W/g, String.raw`\$&`)}(?![\\w.-])`, 'g')
  const moved = (each: unknown): unknown => {
    if (typeof each === 'string') return each.replaceAll(pattern, () => to)
    if (Array.isArray(each)) return each.map(moved)
    return isObject(each) ? Object.fromEntries(Object.entries(each).map(([key, one]) => [key, moved(one)])) : each
  }
  return moved(value) as T
}
