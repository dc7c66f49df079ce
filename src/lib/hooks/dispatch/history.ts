import { engineFault } from '../../errors.ts'
import type { Block, Message } from '../../message.ts'
import { freezeDeep } from '../../util/plain.ts'

/**
 * What hooks did to the conversation, by identity of its messages: so the edits of fires that ran side by
 * side can be applied one after the other, and a transcript can record them without being rewritten.
 */
export interface MessageEdits {
  readonly removed: readonly Message[]
  readonly inserted: readonly Insertion[]
  /** Pushed at the end. While a call is open they come after the results of its batch. */
  readonly appended: readonly Message[]
}

/** New messages and the old ones between which they were put. If one of these is gone, the other gives the place. */
export interface Insertion {
  readonly after: Message | undefined
  readonly before: Message | undefined
  readonly messages: readonly Message[]
}

/** Substitutes for other messages, and the originals. No hook wrote them, so they are not edits. */
const STAND_INS = new WeakMap<Message, Message | undefined>()

/** The conversation with the edits made. Where one half of a pair was dropped, a text that says so replaces it. */
export function applyEdits(messages: readonly Message[], edits: MessageEdits): readonly Message[] {
  const removed = new Set(edits.removed)
  const here = new Set(messages)
  const ahead = (anchor: Message): readonly Message[] =>
    edits.inserted.flatMap(({ before, messages: added }) => (before === anchor ? added : []))
  const behind = (anchor: Message | undefined): readonly Message[] =>
    edits.inserted.flatMap(({ after, before, messages: added }) =>
      after === anchor && (before === undefined || !here.has(before)) ? added : []
    )
  const kept = messages.flatMap(message => [
    ...ahead(message),
    ...(removed.has(message) ? [] : [message]),
    ...behind(message)
  ])
  return mend([...behind(undefined), ...kept, ...edits.appended], idsIn(messages, 'tool_result'))
}

/** What turned `before` into `after`. Throws when messages changed places or a pair was broken. */
export function editsBetween(before: readonly Message[], after: readonly Message[]): MessageEdits | undefined {
  if (after.length === before.length && after.every((message, place) => message === before[place])) return undefined
  const written = writtenIn(before, after)
  const held = new Set(before.filter(message => written.includes(message)))
  const removed = before.filter(message => !held.has(message))
  const inserted = insertionsIn(written, held)
  if (removed.length === 0 && inserted.length === 0) return undefined
  checkPairs(before, written, held)
  const last = inserted.at(-1)
  const appended = last !== undefined && last.before === undefined && last.after === before.at(-1) ? last.messages : []
  return { removed, inserted: appended.length > 0 ? inserted.slice(0, -1) : inserted, appended }
}

/** Without substitutes. A message that was inserted once more is a new one. */
function writtenIn(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const known = new Set(before)
  const kept = new Set<Message>()
  let place = 0
  const written = after.flatMap(message => {
    const original = known.has(message) || !STAND_INS.has(message) ? message : STAND_INS.get(message)
    if (original === undefined) return []
    if (!known.has(original)) return [original]
    const next = before.indexOf(original, place)
    if (next < 0 && !kept.has(original)) throw broken('messages changed places')
    if (next < 0) return [{ ...original }]
    place = next + 1
    kept.add(original)
    return [original]
  })
  const twice = before.find(message => kept.has(message) && timesIn(before, message) > timesIn(written, message))
  if (twice !== undefined) throw broken('a message that occurs twice cannot be removed once')
  return written
}

const timesIn = (messages: readonly Message[], message: Message): number =>
  messages.reduce((times, each) => times + (each === message ? 1 : 0), 0)

function insertionsIn(messages: readonly Message[], held: ReadonlySet<Message>): Insertion[] {
  const inserted: Insertion[] = []
  let added: Message[] = []
  let after: Message | undefined
  for (const message of [...messages, undefined]) {
    if (message !== undefined && !held.has(message)) {
      checkShape(message)
      added.push(freezeDeep(message))
      continue
    }
    if (added.length > 0) inserted.push({ after, before: message, messages: added })
    added = []
    after = message
  }
  return inserted
}

const broken = (why: string): Error => engineFault('E_MESSAGES_INVALID', why)

function checkShape(message: Message): void {
  const { role, content } = (message ?? {}) as Partial<Message>
  if (role !== 'user' && role !== 'assistant' && role !== 'system') throw broken('a message has no role')
  if (typeof content !== 'string' && !Array.isArray(content)) throw broken('a message has no content')
}

/**
 * New messages bring whole pairs, or put another half in the place of an old one. Each half occurs once,
 * a result behind its call, and no new message in between.
 */
function checkPairs(before: readonly Message[], written: readonly Message[], held: ReadonlySet<Message>): void {
  const fresh = written.filter(message => !held.has(message))
  const calls = idsIn(fresh, 'tool_use')
  const results = idsIn(fresh, 'tool_result')
  const old = { calls: idsIn(before, 'tool_use'), results: idsIn(before, 'tool_result') }
  const half =
    [...calls].find(id => !results.has(id) && !old.calls.has(id)) ??
    [...results].find(id => !calls.has(id) && !old.results.has(id))
  if (half !== undefined) throw broken(`call ${half} has no counterpart beside it`)
  const answered = idsIn(written, 'tool_result')
  const asked = new Set<string>()
  const ended = new Set<string>()
  let open = new Set<string>()
  for (const message of written) {
    const ends = idsIn([message], 'tool_result')
    for (const id of ends) {
      if (ended.has(id)) throw broken(`call ${id} has two results`)
      if (!asked.has(id) && (results.has(id) || calls.has(id))) throw broken('a result comes before its call')
      ended.add(id)
    }
    if (open.size > 0 && ends.size === 0 && !held.has(message)) {
      throw broken('a message is between a call and its result')
    }
    open = new Set([...open].filter(id => !ends.has(id)))
    for (const id of idsIn([message], 'tool_use')) {
      if (asked.has(id)) throw broken(`call ${id} occurs twice`)
      asked.add(id)
      if (answered.has(id)) open.add(id)
    }
  }
}

function idsIn(messages: readonly Message[], type: 'tool_use' | 'tool_result'): Set<string> {
  const blocks = messages.flatMap(blocksOf).filter(block => block.type === type)
  return new Set(
    blocks.flatMap(block =>
      block.type === 'tool_use' ? block.id : block.type === 'tool_result' ? block.tool_use_id : []
    )
  )
}

const blocksOf = ({ content }: Message): readonly Block[] => (typeof content === 'string' ? [] : content)

/** A call that had no result before is open, and left alone. */
function mend(messages: readonly Message[], answered: ReadonlySet<string>): readonly Message[] {
  const calls = idsIn(messages, 'tool_use')
  const results = idsIn(messages, 'tool_result')
  return messages.flatMap(message => {
    const lost = [...idsIn([message], 'tool_use')].filter(id => answered.has(id) && !results.has(id))
    const orphaned = [...idsIn([message], 'tool_result')].some(id => !calls.has(id))
    return [orphaned ? withoutOrphans(message, calls) : message, ...(lost.length > 0 ? [stubs(lost)] : [])]
  })
}

function withoutOrphans(message: Message, calls: ReadonlySet<string>): Message {
  const content = blocksOf(message).map((block): Block => {
    if (block.type !== 'tool_result' || calls.has(block.tool_use_id)) return block
    return { type: 'text', text: '[The result of a tool call that a hook removed.]' }
  })
  return standIn({ ...message, content }, message)
}

function stubs(ids: readonly string[]): Message {
  const content = '[The result was removed by a hook.]'
  const results = ids.map(id => ({ type: 'tool_result' as const, tool_use_id: id, content }))
  return standIn({ role: 'user', content: results }, undefined)
}

function standIn(message: Message, original: Message | undefined): Message {
  STAND_INS.set(message, original)
  return freezeDeep(message)
}
