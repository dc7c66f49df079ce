import { applyEdits, type MessageEdits } from '../../hooks/dispatch/history.ts'
import type { Block, Message } from '../../message.ts'
import type { Kept, Log } from '../../transcript/entry.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { AssistantMessage } from '../output/agent-messages.ts'
import type { Reader } from '../output/reader.ts'
import { randomUuid } from '../../transcript/log.ts'

/**
 * The messages so far. It only grows, in one array, so that nothing traverses all of it again; only edits by hooks
 * create a new array. Each message has the id of its transcript line: replaying the transcript gives the same messages.
 */
export class Conversation {
  messages: Message[] = []
  /** The ids of these messages, in their order. A map with weak keys would cost the garbage collector more than the messages. */
  #uuids: string[] = []
  /** The ids of other messages: those that were removed, and those that an edit is about to add. */
  readonly #others = new WeakMap<Message, string>()
  #notes: string[] = []
  #edits: { readonly edits: MessageEdits; readonly uuid: string }[] = []
  readonly #ids = new Set<string>()
  /** Calls without results: nothing may come between them. */
  #open = false

  add(message: Message, uuid: string): void {
    this.messages.push(message)
    this.#uuids.push(uuid)
    if (this.messages.length === 1) this.#begin(uuid)
  }

  idOf(message: Message, unnamed: string = randomUuid()): string {
    const uuid = this.#uuids[this.messages.lastIndexOf(message)] ?? this.#others.get(message)
    if (uuid === undefined) this.#others.set(message, unnamed)
    return uuid ?? unnamed
  }

  withId(uuid: string): Message | undefined {
    return this.messages[this.#uuids.indexOf(uuid)]
  }

  /** Removes all messages but the last, without their ids: for readers of transcripts that never edit. */
  takeAllButLast(): readonly Message[] {
    this.#uuids.splice(0, this.#uuids.length - 1)
    return this.messages.splice(0, this.messages.length - 1)
  }

  /** Results are matched to calls by id: a call whose id is taken gets another. */
  withOwnIds(content: readonly Block[]): readonly Block[] {
    return content.map(block => {
      if (block.type !== 'tool_use') return block
      const isFree = block.id !== '' && !this.#ids.has(block.id)
      const id = isFree ? block.id : `toolu_${randomUuid()}`
      this.#ids.add(id)
      return isFree ? block : { ...block, id }
    })
  }

  answer(content: readonly Block[], uuid: string): void {
    this.add({ role: 'assistant', content }, uuid)
    this.#open = content.some(({ type }) => type === 'tool_use')
  }

  /** Providers refuse a conversation that is empty or starts with an answer. */
  #begin(uuid: string): void {
    const [first] = this.messages
    if (first !== undefined && first.role !== 'assistant') return
    const message: Message = { role: 'user', content: BEGINNING }
    this.messages.unshift(message)
    this.#uuids.unshift(`${uuid}:before`)
  }

  close(results: readonly Block[], uuid: string): void {
    this.add({ role: 'user', content: results }, uuid)
    this.#open = false
    for (const { edits, uuid: line } of this.#edits.splice(0)) this.#apply(edits, line)
  }

  addNote(text: string): void {
    this.#notes.push(text)
  }

  get notes(): readonly string[] {
    return this.#notes
  }

  deliverNotes(uuid: string): void {
    if (this.#notes.length > 0) this.add({ role: 'system', content: this.#notes.join('\n\n') }, uuid)
    this.#notes = []
  }

  shorten(cut: number, instead: Kept): readonly Kept[] {
    const kept = this.messages.slice(cut).map(message => ({ uuid: this.idOf(message), message }))
    this.restore([instead, ...kept], this.#notes)
    return kept
  }

  restore(kept: readonly Kept[], notes: readonly string[]): void {
    this.#replaceAll([])
    this.#uuids = []
    this.#notes = [...notes]
    for (const { uuid, message } of kept) this.add(message, uuid)
  }

  /** Edits of hooks, with the id of their transcript line. Applied when no call is open. */
  edit(edits: MessageEdits, uuid: string): void {
    if (this.#open) this.#edits.push({ edits, uuid })
    else this.#apply(edits, uuid)
  }

  #apply(edits: MessageEdits, uuid: string): void {
    this.#replaceAll([...applyEdits(this.messages, edits)])
    // Messages made here get the same ids whenever this is replayed.
    this.#uuids = this.messages.map((message, index) => this.#others.get(message) ?? `${uuid}:${index}`)
    this.#begin(uuid)
  }

  /** A slower hook may still name messages that are removed here. */
  #replaceAll(messages: Message[]): void {
    for (const [index, uuid] of this.#uuids.entries()) {
      const message = this.messages[index]
      if (message !== undefined) this.#others.set(message, uuid)
    }
    this.messages = messages
  }
}

const BEGINNING = '[The beginning of this conversation is missing.]'

export function messageText(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('')
}

/**
 * The conversation of a running session. Each change is appended to the transcript in the same operation, so that a
 * replay of the transcript gives the same messages.
 */
export class SessionConversation {
  readonly #transcript: Log
  readonly #reader: Reader
  #history = new Conversation()
  #system: readonly string[] = []
  /** The session has ended: late messages are dropped. */
  isClosed = false

  constructor(transcript: Log, reader: Reader) {
    this.#transcript = transcript
    this.#reader = reader
  }

  get messages(): readonly Message[] {
    return this.#history.messages
  }

  get notes(): readonly string[] {
    return this.#history.notes
  }

  get system(): readonly string[] {
    return this.#system
  }

  /** Replaces everything, with the content of a transcript or with nothing. */
  reset(history = new Conversation(), system: readonly string[] = []): void {
    this.#history = history
    this.#system = system
  }

  /** A message for the model. `entry`: further fields of its transcript entry; `synthetic`: the reader gets it, too. */
  add(message: Message & { role: 'user' }, more: { synthetic?: boolean; entry?: PlainObject } = {}): void {
    const uuid = randomUuid()
    const { content } = message
    this.#transcript.append({ type: 'user', message: { role: 'user', content }, ...more.entry }, uuid)
    this.#history.add(message, uuid)
    if (more.synthetic === true)
      this.#reader.emit({ type: 'user', message, parent_tool_use_id: null, isSynthetic: true }, uuid)
  }

  addContext(text: string, isLogged = true, about: PlainObject = { type: 'note' }): void {
    if (this.isClosed) return
    const rendered = isLogged ? text : UNLOGGED
    this.#transcript.append({ type: 'attachment', attachment: { ...about, rendered } })
    this.#history.addNote(text)
  }

  addToSystem(text: string, about: PlainObject): void {
    this.#transcript.append({ type: 'attachment', attachment: { ...about, system: text } })
    this.#system = [...this.#system, text]
  }

  deliverContext(): void {
    if (this.notes.length === 0) return
    const uuid = randomUuid()
    this.#transcript.append({ type: 'attachment', attachment: { type: 'notes' } }, uuid)
    this.#history.deliverNotes(uuid)
  }

  /**
   * An answer of the model, for the transcript, the conversation and the reader. Returns its content. `about`: further
   * fields of its transcript entries.
   */
  addAnswer(answer: AssistantMessage['message'], about?: PlainObject): readonly Block[] {
    const message = { ...answer, content: this.#history.withOwnIds(answer.content) }
    const uuid = randomUuid()
    const requestId = `req_${uuid}`
    const of = message.content.length
    // Viewers expect one line per block.
    for (const [index, block] of message.content.entries()) {
      const part = of === 1 ? message : { ...message, content: [block] }
      const entry = { type: 'assistant', requestId, message: part, part: [index, of], ...about } as const
      this.#transcript.append(entry, index === 0 ? uuid : randomUuid())
    }
    this.#history.answer(message.content, uuid)
    this.#reader.emit({ type: 'assistant', message, parent_tool_use_id: null }, uuid)
    return message.content
  }

  /** A text in place of a refused answer, and the feedback of hooks: one line, so that a crash cannot separate them. */
  addWithheld(answer: AssistantMessage['message'], feedback: string, about: PlainObject): void {
    const [line, uuid] = [randomUuid(), randomUuid()]
    // Programs that add up usage look at answers.
    const counted = { ...answer, content: [] }
    this.#transcript.append({ type: 'assistant', requestId: `req_${line}`, message: counted }, line)
    const said: Message = { role: 'assistant', content: answer.content }
    const message: Message = { role: 'user', content: feedback }
    const kept = [
      { uuid: line, message: said },
      { uuid, message }
    ]
    this.#transcript.append({ type: 'system', subtype: 'answer_withheld', ...about, kept }, uuid)
    for (const each of kept) this.#history.add(each.message, each.uuid)
    this.#reader.emit({ type: 'assistant', message: answer, parent_tool_use_id: null }, line)
    this.#reader.emit({ type: 'user', message, parent_tool_use_id: null, isSynthetic: true }, uuid)
  }

  /** The results of all open calls, in order. Each is in the transcript already; the first has this id there. */
  addResults(results: readonly Block[], uuid: string): void {
    this.#history.close(results, uuid)
  }

  edit(edits: MessageEdits, hookEvent: string): void {
    const uuid = randomUuid()
    const changes = editEntry(edits, message => this.#history.idOf(message))
    this.#transcript.append({ type: 'system', subtype: 'messages_changed', hookEvent, ...changes }, uuid)
    this.#history.edit(edits, uuid)
  }

  /** Replaces all messages before this one. The caller appends what is kept to the transcript. */
  shorten(cut: number, instead: Kept): readonly Kept[] {
    return this.#history.shorten(cut, instead)
  }

  idOf(message: Message): string {
    return this.#history.idOf(message)
  }
}

const UNLOGGED = '[A hook asked to leave this text out of the log.]'

function editEntry(edits: MessageEdits, idOf: (message: Message) => string): PlainObject {
  const kept = (messages: readonly Message[]): readonly Kept[] =>
    messages.map(message => ({ uuid: idOf(message), message }))
  return {
    removed: edits.removed.map(idOf),
    inserted: edits.inserted.map(({ after, before, messages }) => ({
      after: after === undefined ? null : idOf(after),
      before: before === undefined ? null : idOf(before),
      messages: kept(messages)
    })),
    appended: kept(edits.appended)
  }
}
