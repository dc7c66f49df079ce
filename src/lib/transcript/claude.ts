import { asText, isObject, type PlainObject } from '../util/plain.ts'
import { PromptQueue, queuedIn } from './claude-queue.ts'
import type { Rec } from './entry.ts'
import { uuidFrom } from './uuid.ts'

/**
 * What Claude Code wrote down. Its lines form a tree, by `parentUuid`: whoever goes back in a conversation begins a
 * branch. Subagents stand in files of their own, or, as `isSidechain`, among the lines of the session.
 */
export interface ClaudeTranscript {
  /** The conversation that led to the last line, from its beginning, also through compactions. */
  readonly main: readonly Rec[]
  /** The subagents among the lines, by their ids. */
  readonly agents: ReadonlyMap<string, readonly Rec[]>
  /** Lines of conversations that were given up. */
  readonly abandoned: number
  /** Lines that follow one that is not in the file, and the id of that one. What came before is taken in file order. */
  readonly missing: ReadonlyMap<Rec, string>
}

/** Whether these are lines of another program: ours have numbers. */
export const isForeign = (entries: readonly Rec[]): boolean =>
  entries.length > 0 && entries.every(({ seq }) => seq === undefined)

export function readClaude(entries: readonly Rec[]): ClaudeTranscript {
  const own = entries.map(withId).filter(({ isSidechain }) => isSidechain !== true)
  const side = entries.map(withId).filter(line => line['isSidechain'] === true && hasId(line))
  const all = new Set([...own.filter(hasId), ...side].map(idOf))
  // In a subagent's own file there is nothing else.
  if (!own.some(isSaid)) return { ...ofOne(side, all), agents: new Map() }
  const agents = [...bySubagent(side)].map(([id, group]) => [id, ofOne(group, all)] as const)
  const { main, abandoned, missing } = ofOne(own, all)
  return {
    main,
    abandoned,
    missing: new Map([...missing, ...agents.flatMap(([, agent]) => [...agent.missing])]),
    agents: new Map(agents.map(([id, agent]) => [id, agent.main]))
  }
}

/** A message in a line without an id is a message. */
const withId = (entry: Rec, index: number): Rec =>
  entry['uuid'] === undefined && isSaid(entry) ? { ...entry, uuid: uuidFrom(`line ${index}`) } : entry

function ofOne(entries: readonly Rec[], all: ReadonlySet<string>): Omit<ClaudeTranscript, 'agents'> {
  const lines = entries.filter(hasId)
  const line = withSiblings(wayTo(lines), lines)
  const there = new Set(line.map(idOf))
  const main = withQueued(
    line.filter(({ type }) => TYPES.has(type)),
    entries
  )
  const abandoned = lines.filter(each => isSaid(each) && !there.has(idOf(each))).length
  const missing = new Map<Rec, string>()
  const named = new Set(all)
  for (const each of lines) {
    const parent = parentOf(each)
    if (parent === undefined || named.has(parent)) continue
    missing.set(each, parent)
    named.add(parent)
  }
  return { main, abandoned, missing }
}

/** Puts prompts that were typed while the agent worked, and that no other line holds, behind what was said before them. */
function withQueued(main: readonly Rec[], entries: readonly Rec[]): readonly Rec[] {
  const queue = new PromptQueue()
  const behind = new Map<string, Rec[]>()
  let last = ''
  const place = (prompts: readonly Rec[]): void => void behind.set(last, [...(behind.get(last) ?? []), ...prompts])
  for (const entry of entries) {
    place(queue.take(entry))
    if (isSaid(entry)) last = idOf(entry)
  }
  last = idOf(main.findLast(isSaid) ?? { type: '' })
  place(queue.end())
  return [...(behind.get('') ?? []), ...main.flatMap(line => [line, ...(behind.get(idOf(line)) ?? [])])]
}

/** What has a meaning for the conversation; others only stand between. */
const TYPES = new Set(['user', 'assistant', 'system', 'attachment'])

const idOf = ({ uuid }: Rec): string => asText(uuid)
const hasId = ({ uuid }: Rec): boolean => typeof uuid === 'string'
export const isSaid = ({ type }: Rec): boolean => type === 'user' || type === 'assistant'

/** Lines that a compaction kept: they go on behind its summary, though they stand before it. */
interface Segment {
  readonly head: unknown
  readonly tail: unknown
  readonly anchor: unknown
}

/** The id of the line that this one follows. */
export function parentOf({ parentUuid, logicalParentUuid }: Rec): string | undefined {
  const parent = parentUuid ?? logicalParentUuid
  return typeof parent === 'string' ? parent : undefined
}

/** Where a conversation may begin: a person who goes back to the beginning begins another one. */
export const isRoot = ({ parentUuid, subtype }: Rec): boolean => parentUuid === null && subtype !== 'compact_boundary'

/**
 * From the first line to the last, by way of parents. A line whose parent is not there follows the line before it in the
 * file; of several with the same missing parent, all follow the one before the first: where a person went back to a line
 * that is gone, the branch that was given up stays given up.
 */
function wayTo(lines: readonly Rec[]): readonly Rec[] {
  const byId = new Map(lines.map(line => [idOf(line), line]))
  const segments = lines.flatMap(segmentIn)
  const hasParents = lines.some(line => parentOf(line) !== undefined)
  const above = new Map<Rec | string, Rec | undefined>()
  for (const [index, line] of lines.entries()) {
    const parent = parentOf(line)
    if (parent === undefined && !(hasParents && isRoot(line))) above.set(line, lines[index - 1])
    if (parent !== undefined && !byId.has(parent) && !above.has(parent)) above.set(parent, lines[index - 1])
  }
  const find = (id: unknown): Rec | undefined => (typeof id === 'string' ? (byId.get(id) ?? above.get(id)) : undefined)
  const before = (line: Rec): Rec | undefined => {
    const parent = parentOf(line)
    const isBehind = ({ anchor, head }: Segment): boolean => anchor === parent && head !== line['uuid']
    const behind = parent === undefined ? undefined : segments.findLast(isBehind)
    const anchor = segments.findLast(({ head }) => head === line['uuid'])?.anchor
    return find(behind?.tail) ?? find(anchor) ?? find(parent) ?? above.get(line)
  }
  const from = (leaf: Rec): Rec[] => {
    const way = new Set<Rec>()
    for (let at: Rec | undefined = leaf; at !== undefined;) {
      way.add(at)
      const next: Rec | undefined = before(at)
      // What a compaction kept is there already: on with what stood before it.
      at = next !== undefined && way.has(next) ? find(headOf(next, segments, find)?.['parentUuid']) : next
      if (at !== undefined && way.has(at)) break
    }
    return [...way].toReversed()
  }
  for (const leaf of lines.toReversed()) {
    const way = from(leaf)
    if (way.some(isSaid)) return way
  }
  return []
}

/** The first line of the segment that ends with this one. */
const headOf = (line: Rec, segments: readonly Segment[], find: (id: unknown) => Rec | undefined): Rec | undefined =>
  find(segments.findLast(({ tail }) => tail === line['uuid'])?.head)

function segmentIn({ compactMetadata }: Rec): readonly Segment[] {
  const segment = isObject(compactMetadata) ? compactMetadata['preservedSegment'] : undefined
  if (!isObject(segment)) return []
  const { headUuid: head, tailUuid: tail, anchorUuid: anchor } = segment
  return [{ head, tail, anchor }]
}

/** Calls of one answer have their results side by side: of those, the way to the last line meets one only. */
function withSiblings(way: readonly Rec[], lines: readonly Rec[]): readonly Rec[] {
  const groups = answersIn(lines)
  const members = Map.groupBy(groups.keys(), line => groups.get(line))
  const met = new Set(way)
  const out = new Set<Rec>()
  let results: readonly Rec[] = []
  for (const line of way) {
    const group = line.type === 'assistant' ? groups.get(line) : undefined
    if (out.has(line)) continue
    for (const result of results) out.add(result)
    results = []
    out.add(line)
    if (group === undefined) continue
    const all = members.get(group) ?? []
    for (const each of all) if (each.type === 'assistant') out.add(each)
    results = all.filter(each => each.type !== 'assistant' && !met.has(each))
  }
  for (const result of results) out.add(result)
  return [...out]
}

/** The first line of the answer to which a line belongs: one of its blocks, or a result of one of its calls. */
function answersIn(lines: readonly Rec[]): ReadonlyMap<Rec, Rec> {
  const byId = new Map(lines.map(line => [idOf(line), line]))
  const groups = new Map<Rec, Rec>()
  for (const line of lines) {
    if (groups.has(line) || (line.type !== 'assistant' && resultsIn(line).length === 0)) continue
    const blocks = new Set<Rec>()
    for (let at: Rec | undefined = line; at !== undefined && !blocks.has(at) && !groups.has(at);) {
      blocks.add(at)
      at = answerAbove(at, byId)
    }
    const last = [...blocks].at(-1)!
    const above = answerAbove(last, byId)
    const first = (above && groups.get(above)) ?? (last.type === 'assistant' ? last : undefined)
    if (first !== undefined) for (const block of blocks) groups.set(block, first)
  }
  return groups
}

/** The nearest line above that is a block of the same answer; nothing where something else was said between. */
function answerAbove(line: Rec, byId: ReadonlyMap<string, Rec>): Rec | undefined {
  const seen = new Set<Rec>()
  const lineAbove = (each: Rec): Rec | undefined =>
    byId.get(asText(each['sourceToolAssistantUUID'] ?? each['parentUuid']))
  for (let at = lineAbove(line); at !== undefined && !seen.has(at); at = lineAbove(at)) {
    seen.add(at)
    if (at.type === 'assistant') return line.type === 'assistant' && answerOf(line) !== answerOf(at) ? undefined : at
    if (at.type === 'user' && resultsIn(at).length === 0) return undefined
  }
  return undefined
}

/** The id of the answer to which a line belongs: each block of it has a line. */
export const answerOf = ({ type, message }: Rec): string | undefined =>
  type === 'assistant' && isObject(message) && typeof message['id'] === 'string' ? message['id'] : undefined

const callsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_use', 'id')
export const resultsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_result', 'tool_use_id')

function idsIn({ message }: Rec, type: string, key: string): readonly string[] {
  const content = isObject(message) ? message['content'] : undefined
  const blocks = Array.isArray(content) ? (content as unknown[]).filter(isObject) : []
  return blocks.filter(block => block['type'] === type).map(block => asText(block[key]))
}

/** By the id that lines have; those of older versions have none, and are told apart by their first line. */
function bySubagent(lines: readonly Rec[]): ReadonlyMap<string, readonly Rec[]> {
  const byId = new Map(lines.map(line => [idOf(line), line]))
  const roots = new Map<Rec, string>()
  const rootOf = (line: Rec): string => {
    const way = new Set<Rec>()
    let at = line
    let known: string | undefined
    for (;;) {
      known = roots.get(at)
      way.add(at)
      const parent: Rec | undefined = byId.get(asText(at['parentUuid']))
      if (known !== undefined || parent === undefined || way.has(parent)) break
      at = parent
    }
    const root = known ?? idOf(at)
    for (const each of way) roots.set(each, root)
    return root
  }
  return Map.groupBy(lines, line => (typeof line['agentId'] === 'string' ? line['agentId'] : rootOf(line)))
}

/**
 * The same lines as our own replay takes them: what hooks added reaches the model with its next call, and what was never
 * said by a model is not in its mouth.
 */
export const asOurs = (main: readonly Rec[]): readonly Rec[] => [...translated(main)]

/** The same, one after the other. */
export function* translated(main: Iterable<Rec>): Generator<Rec> {
  const open = new Set<string>()
  let isWaiting = false
  const queued: Rec[] = []
  for (const line of main) {
    if (line['isApiErrorMessage'] === true) continue
    const typed = queuedIn(line)
    if (typed !== undefined) queued.push(typed)
    const isAnswer = line.type === 'assistant'
    // Between a call and its result stands nothing.
    if (open.size === 0 || (line.type === 'user' && resultsIn(line).length === 0)) yield* queued.splice(0)
    if (typed !== undefined) continue
    if (isAnswer && isWaiting && open.size === 0) {
      yield { type: 'attachment', attachment: { type: 'notes' }, uuid: uuidFrom(`${idOf(line)}:notes`) }
      isWaiting = false
    }
    const ours = line.type === 'attachment' ? rendered(line) : line
    isWaiting ||= ours !== line || (isObject(line['attachment']) && typeof line['attachment']['rendered'] === 'string')
    // Another thing is said, though calls have no results: they will get none.
    if (line.type === 'user' && resultsIn(line).length === 0) open.clear()
    for (const id of callsIn(line)) open.add(id)
    for (const id of resultsIn(line)) open.delete(id)
    yield ours
  }
  yield* queued
}

/** Older versions leave it to the reader how the model was told. */
function rendered(line: Rec): Rec {
  const attachment = line['attachment']
  if (!isObject(attachment) || typeof attachment['rendered'] === 'string') return line
  const text = contextIn(attachment)
  if (text === undefined) return line
  const label = typeof attachment['hookName'] === 'string' ? attachment['hookName'] : 'A'
  return { ...line, attachment: { ...attachment, rendered: `${label} hook additional context: ${text}` } }
}

/** What a hook added for the model. */
export function contextIn({ type, content }: PlainObject): string | undefined {
  if (type !== 'hook_additional_context') return undefined
  const texts = (Array.isArray(content) ? (content as unknown[]) : [content]).filter(text => typeof text === 'string')
  return texts.length === 0 ? undefined : texts.join('\n')
}
