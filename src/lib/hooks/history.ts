import { fault } from '../errors.ts'
import type { Block, Message, ToolResultBlock } from '../message.ts'

/**
 * What hooks did to the conversation, by identity of its messages: so the edits of fires that ran side by
 * side can be applied one after the other, and a transcript can record them without being rewritten.
 */
export interface MessageEdits {
  readonly removed: readonly Message[]
  /** Placed behind the message `after`, or first where that is `undefined`. */
  readonly inserted: readonly { readonly after: Message | undefined; readonly messages: readonly Message[] }[]
  /** Pushed at the end. While a call is open they stand behind the results of its batch. */
  readonly appended: readonly Message[]
}

/** The conversation with the edits made. Messages that are gone by now are not missed. */
export function applyEdits(messages: readonly Message[], edits: MessageEdits): readonly Message[] {
  const removed = new Set(edits.removed)
  const behind = new Map(edits.inserted.map(({ after, messages: added }) => [after, added]))
  const kept = [...(behind.get(undefined) ?? [])]
  for (const message of messages) {
    if (!removed.has(message)) kept.push(message)
    kept.push(...(behind.get(message) ?? []))
  }
  return mend([...kept, ...edits.appended])
}

/** What turned `before` into `after`. Throws when messages changed places or lost their pairing. */
export function editsBetween(before: readonly Message[], after: readonly Message[]): MessageEdits | undefined {
  const known = new Map(before.map((message, index) => [message, index]))
  const kept = new Set<Message>()
  const groups = new Map<Message | undefined, Message[]>()
  let last: Message | undefined
  for (const message of after) {
    const place = known.get(message)
    if (place === undefined) {
      checkShape(message)
      groups.set(last, [...(groups.get(last) ?? []), Object.freeze(message)])
      continue
    }
    if (last !== undefined && place <= known.get(last)!) throw fault('E_MESSAGES_INVALID', 'messages changed places')
    kept.add(message)
    last = message
  }
  const appended = last === before.at(-1) ? (groups.get(last) ?? []) : []
  if (appended.length > 0) groups.delete(last)
  const removed = before.filter(message => !kept.has(message))
  if (removed.length === 0 && groups.size === 0 && appended.length === 0) return undefined
  checkPairs(before, after)
  return { removed, inserted: [...groups].map(([behind, messages]) => ({ after: behind, messages })), appended }
}

const blocksOf = (message: Message): readonly Block[] => (typeof message.content === 'string' ? [] : message.content)
const callsIn = (message: Message): readonly string[] =>
  blocksOf(message).flatMap(block => (block.type === 'tool_use' ? [block.id] : []))
const resultsIn = (message: Message): readonly string[] =>
  blocksOf(message).flatMap(block => (block.type === 'tool_result' ? [block.tool_use_id] : []))

function checkShape(message: Message): void {
  const { role, content } = (message ?? {}) as Partial<Message>
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw fault('E_MESSAGES_INVALID', 'a message needs a role: user, assistant or system')
  }
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw fault('E_MESSAGES_INVALID', 'a message needs content: a string or a list of blocks')
  }
}

/** New messages may neither hold half a pair nor stand between a call and its result. */
function checkPairs(before: readonly Message[], after: readonly Message[]): void {
  const old = new Set(before)
  const answered = new Set(after.flatMap(resultsIn))
  const asked = new Set<string>()
  let waiting: readonly string[] = []
  for (const message of after) {
    const calls = callsIn(message)
    const results = resultsIn(message)
    for (const id of calls) if (asked.has(id)) throw fault('E_MESSAGES_INVALID', `call ${id} stands there twice`)
    calls.forEach(id => asked.add(id))
    if (!old.has(message)) {
      const half = calls.find(id => !answered.has(id)) ?? results.find(id => !asked.has(id))
      if (half !== undefined) throw fault('E_MESSAGES_INVALID', `call ${half} has no counterpart`)
      if (waiting.length > 0 && results.length === 0) {
        throw fault('E_MESSAGES_INVALID', `a message stands between call ${waiting[0]} and its result`)
      }
    }
    waiting = [...waiting, ...calls].filter(id => answered.has(id) && !results.includes(id))
  }
}

/** Where one half of a pair was dropped, something truthful stands for it. An open last call is left alone. */
function mend(messages: readonly Message[]): readonly Message[] {
  const asked = new Set(messages.flatMap(callsIn))
  const answered = new Set(messages.flatMap(resultsIn))
  const lastCalls = messages.findLastIndex(message => callsIn(message).length > 0)
  return messages.flatMap((message, index) => {
    const orphans = new Set(resultsIn(message).filter(id => !asked.has(id)))
    const whole = orphans.size === 0 ? message : withoutResults(message, orphans)
    const open = index === lastCalls && !messages.slice(index + 1).some(next => next.role === 'assistant')
    const missing = open ? [] : callsIn(message).filter(id => !answered.has(id))
    return missing.length === 0 ? [whole] : [whole, stubResults(missing)]
  })
}

function withoutResults(message: Message, ids: ReadonlySet<string>): Message {
  const content = blocksOf(message).map((block): Block =>
    block.type === 'tool_result' && ids.has(block.tool_use_id)
      ? { type: 'text', text: '[The result of a tool call that a hook removed.]' }
      : block
  )
  return Object.freeze({ ...message, content })
}

function stubResults(ids: readonly string[]): Message {
  const content = ids.map(
    (id): ToolResultBlock => ({ type: 'tool_result', tool_use_id: id, content: '[The result was removed by a hook.]' })
  )
  return Object.freeze({ role: 'user', content })
}
