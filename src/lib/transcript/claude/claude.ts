import { isObject, type PlainObject } from '../../util/plain.ts'
import { PromptQueue, queuedIn } from './claude-queue.ts'
import {
  answerIdOf,
  callsIn,
  ClaudeWalk,
  idOf,
  isSaid,
  parentOf,
  resultsIn,
  segmentIn,
  type Step,
  uuidFrom
} from './claude-walk.ts'
import type { Rec } from '../entry.ts'

/** Lines form a tree by `parentUuid`: going back in a conversation starts a branch. */
export interface ClaudeTranscript {
  readonly main: readonly Rec[]
  readonly agents: ReadonlyMap<string, readonly Rec[]>
  /** Lines whose parent is not in the file, with the parent's id. They are attached in file order. */
  readonly missing: ReadonlyMap<Rec, string>
}

/** Whether another program wrote these lines: ours have sequence numbers. */
export const isForeign = (entries: readonly Rec[]): boolean =>
  entries.length > 0 && entries.every(({ seq }) => seq === undefined)

type Placed = Step & { readonly line: Rec; isLive: boolean }

export function readClaude(entries: readonly Rec[]): ClaudeTranscript {
  const placed = placedIn(entries)
  const missing = placed.flatMap(({ line, missing: id }) => (id === undefined ? [] : [[line, id] as const]))
  const conversations = [...Map.groupBy(placed, ({ agent }) => agent)].map(
    ([agent, group]) => [agent, withQueued(withSegments(liveIn(group)), group)] as const
  )
  return {
    main: conversations.find(([agent]) => agent === undefined)?.[1] ?? [],
    agents: new Map(conversations.flatMap(([agent, lines]) => (agent === undefined ? [] : [[agent, lines]]))),
    missing: new Map(missing)
  }
}

/** Frees the state of the walk, which is large for a long file. */
function placedIn(entries: readonly Rec[]): readonly Placed[] {
  // A subagent's own file holds only its lines.
  const walk = new ClaudeWalk(!entries.some(line => isSaid(line) && line['isSidechain'] !== true))
  return entries.map((entry, index) => {
    const line = withId(entry, index)
    const { agent, above, missing } = walk.take(line)
    return { line, isLive: false, agent, above, missing }
  })
}

const withId = (entry: Rec, index: number): Rec =>
  entry['uuid'] === undefined && isSaid(entry) ? { ...entry, uuid: uuidFrom(`line ${index}`) } : entry

const TYPES = new Set(['user', 'assistant', 'system', 'attachment'])

/** Results of one answer are siblings, and so are its blocks: the path to the last line passes through only one. */
function liveIn(lines: readonly Placed[]): readonly Rec[] {
  const byId = new Map<string, Placed>()
  for (const each of lines) byId.set(idOf(each.line), each)
  const isLive = (id: string): boolean => id === '' || byId.get(id)?.isLive === true
  let at = lines.findLast(({ line }) => isSaid(line))
  for (; at !== undefined && !at.isLive; at = byId.get(at.above ?? '')) at.isLive = true
  const way = lines.filter(each => {
    const { line, above = '' } = each
    const answer = answerIdOf(line)
    const isBeside = answer === undefined ? resultsIn(line).length > 0 : answer === answerAt(byId.get(above))
    if (!isSaid(line) || isBeside) each.isLive ||= isLive(above)
    return each.isLive && TYPES.has(line.type)
  })
  return way.map(({ line }) => line)
}

const answerAt = (placed: Placed | undefined): string | undefined => placed && answerIdOf(placed.line)

function withSegments(lines: readonly Rec[]): readonly Rec[] {
  return lines.reduce((all, boundary) => {
    const { head, tail, anchor } = segmentIn(boundary) ?? {}
    const place = head === undefined ? -1 : all.indexOf(boundary)
    const from = all.findIndex(line => line['uuid'] === head || parentOf(line) === head)
    if (from < 0 || from >= place) return all
    const end = all.findIndex(({ uuid }) => uuid === tail)
    const to = end < from || end > place ? place : end + 1
    const behind =
      Math.max(
        place,
        all.findIndex(({ uuid }) => uuid === anchor)
      ) + 1
    return [...all.slice(0, from), ...all.slice(to, behind), ...all.slice(from, to), ...all.slice(behind)]
  }, lines)
}

function withQueued(main: readonly Rec[], lines: readonly Placed[]): readonly Rec[] {
  const queue = new PromptQueue()
  const behind = new Map<string, Rec[]>()
  let last = ''
  const place = (prompts: readonly Rec[]): void => {
    if (prompts.length > 0) behind.set(last, [...(behind.get(last) ?? []), ...prompts])
  }
  for (const { line } of lines) {
    place(queue.take(line))
    if (isSaid(line)) last = idOf(line)
  }
  last = idOf(main.findLast(isSaid) ?? { type: '' })
  place(queue.end())
  if (behind.size === 0) return main
  return [...(behind.get('') ?? []), ...main.flatMap(line => [line, ...(behind.get(idOf(line)) ?? [])])]
}

/** Lines in the form that our replay expects: context added by hooks reaches the model with its next call. */
export const asOurs = (main: readonly Rec[]): readonly Rec[] => [...translated(main)]

export function* translated(main: Iterable<Rec>): Generator<Rec> {
  const open = new Set<string>()
  let isWaiting = false
  const queued: Rec[] = []
  for (const line of main) {
    if (line['isApiErrorMessage'] === true) continue
    const typed = queuedIn(line)
    if (typed !== undefined) queued.push(typed)
    const isAnswer = line.type === 'assistant'
    // Nothing may come between a call and its result.
    if (open.size === 0 || (line.type === 'user' && resultsIn(line).length === 0)) yield* queued.splice(0)
    if (typed !== undefined) continue
    if (isAnswer && isWaiting && open.size === 0) {
      yield { type: 'attachment', attachment: { type: 'notes' }, uuid: uuidFrom(`${idOf(line)}:notes`) }
      isWaiting = false
    }
    const ours = line.type === 'attachment' ? rendered(line) : line
    isWaiting ||= ours !== line || (isObject(line['attachment']) && typeof line['attachment']['rendered'] === 'string')
    // The conversation continues although calls have no results: they will not get any.
    if (line.type === 'user' && resultsIn(line).length === 0) open.clear()
    for (const id of callsIn(line)) open.add(id)
    for (const id of resultsIn(line)) open.delete(id)
    yield ours
  }
  yield* queued
}

/** Older versions do not record what the model was sent. */
function rendered(line: Rec): Rec {
  const attachment = line['attachment']
  if (!isObject(attachment) || typeof attachment['rendered'] === 'string') return line
  const text = contextIn(attachment)
  if (text === undefined) return line
  const label = typeof attachment['hookName'] === 'string' ? attachment['hookName'] : 'A'
  return { ...line, attachment: { ...attachment, rendered: `${label} hook additional context: ${text}` } }
}

export function contextIn({ type, content }: PlainObject): string | undefined {
  if (type !== 'hook_additional_context') return undefined
  const texts = (Array.isArray(content) ? (content as unknown[]) : [content]).filter(text => typeof text === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}
