import { asText, isObject, type PlainObject } from '../util/plain.ts'
import type { Rec } from './entry.ts'

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
  readonly title: string | undefined
}

/** Whether these are lines of another program: ours have numbers. */
export const isForeign = (entries: readonly Rec[]): boolean =>
  entries.length > 0 && entries.every(({ seq }) => seq === undefined)

export function readClaude(entries: readonly Rec[]): ClaudeTranscript {
  const lines = entries.filter(({ uuid }) => typeof uuid === 'string')
  const own = lines.filter(({ isSidechain }) => isSidechain !== true)
  const side = lines.filter(({ isSidechain }) => isSidechain === true)
  // In a subagent's own file there is nothing else.
  if (!own.some(isSaid)) return { ...ofOne(side, entries), agents: new Map() }
  const agents = [...bySubagent(side)].map(([id, group]) => [id, ofOne(group, []).main] as const)
  return { ...ofOne(own, entries), agents: new Map(agents) }
}

function ofOne(lines: readonly Rec[], all: readonly Rec[]): Omit<ClaudeTranscript, 'agents'> {
  const line = withSiblings(wayTo(lines), lines)
  const there = new Set(line.map(idOf))
  const main = line.filter(({ type }) => TYPES.has(type))
  const abandoned = lines.filter(each => isSaid(each) && !there.has(idOf(each))).length
  // Titles of other sessions stand there, too.
  const title = all.findLast(({ type, leafUuid }) => type === 'summary' && there.has(asText(leafUuid)))?.['summary']
  return { main, abandoned, title: typeof title === 'string' ? title : undefined }
}

/** What has a meaning for the conversation; others only stand between. */
const TYPES = new Set(['user', 'assistant', 'system', 'attachment'])

const idOf = ({ uuid }: Rec): string => asText(uuid)
const isSaid = ({ type }: Rec): boolean => type === 'user' || type === 'assistant'

/** Lines that a compaction kept: they go on behind its summary, though they stand before it. */
interface Segment {
  readonly head: unknown
  readonly tail: unknown
  readonly anchor: unknown
}

/** From the first line to the last, by way of parents. */
function wayTo(lines: readonly Rec[]): readonly Rec[] {
  const byId = new Map(lines.map(line => [idOf(line), line]))
  const segments = lines.flatMap(segmentIn)
  const find = (id: unknown): Rec | undefined => (typeof id === 'string' ? byId.get(id) : undefined)
  const before = (line: Rec): Rec | undefined => {
    const parent = line['parentUuid'] ?? line['logicalParentUuid']
    const behind = segments.findLast(({ anchor, head }) => anchor === parent && head !== line['uuid'])
    return find(behind?.tail) ?? find(segments.findLast(({ head }) => head === line['uuid'])?.anchor) ?? find(parent)
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
  const parentOf = (each: Rec): Rec | undefined =>
    byId.get(asText(each['sourceToolAssistantUUID'] ?? each['parentUuid']))
  for (let at = parentOf(line); at !== undefined && !seen.has(at); at = parentOf(at)) {
    seen.add(at)
    if (at.type === 'assistant') return line.type === 'assistant' && answerOf(line) !== answerOf(at) ? undefined : at
    if (at.type === 'user' && resultsIn(at).length === 0) return undefined
  }
  return undefined
}

/** The id of the answer to which a line belongs: each block of it has a line. */
const answerOf = ({ type, message }: Rec): string | undefined =>
  type === 'assistant' && isObject(message) && typeof message['id'] === 'string' ? message['id'] : undefined

const callsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_use', 'id')
const resultsIn = (line: Rec): readonly string[] => idsIn(line, 'tool_result', 'tool_use_id')

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
export function asOurs(main: readonly Rec[]): readonly Rec[] {
  const out: Rec[] = []
  const open = new Set<string>()
  let isWaiting = false
  for (const line of main) {
    if (line['isApiErrorMessage'] === true) continue
    const isAnswer = line.type === 'assistant'
    if (isAnswer && isWaiting && open.size === 0) {
      out.push({ type: 'attachment', attachment: { type: 'notes' }, uuid: `${idOf(line)}:notes` })
      isWaiting = false
    }
    const ours = line.type === 'attachment' ? rendered(line) : line
    isWaiting ||= ours !== line || (isObject(line['attachment']) && typeof line['attachment']['rendered'] === 'string')
    // Another thing is said, though calls have no results: they will get none.
    if (line.type === 'user' && resultsIn(line).length === 0) open.clear()
    for (const id of callsIn(line)) open.add(id)
    for (const id of resultsIn(line)) open.delete(id)
    out.push(ours)
  }
  return out
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
