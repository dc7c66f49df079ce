import type { MessageEdits } from '../../hooks/dispatch/history.ts'
import type { Block, Message } from '../../message.ts'
import type { Kept, Log } from '../../transcript/entry.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { AssistantMessage } from '../output/agent-messages.ts'
import type { Reader } from '../output/reader.ts'
import { Conversation } from './conversation.ts'
import { editEntry } from './transcript-entries.ts'
import { randomUuid } from '../../world/uuid.ts'

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

  /** An answer of the model, for the transcript, the conversation and the reader. Returns its content. */
  addAnswer(answer: AssistantMessage['message']): readonly Block[] {
    const message = { ...answer, content: this.#history.withOwnIds(answer.content) }
    const uuid = randomUuid()
    const requestId = `req_${uuid}`
    const of = message.content.length
    // Viewers expect one line per block.
    for (const [index, block] of message.content.entries()) {
      const part = of === 1 ? message : { ...message, content: [block] }
      const entry = { type: 'assistant', requestId, message: part, part: [index, of] } as const
      this.#transcript.append(entry, index === 0 ? uuid : randomUuid())
    }
    this.#history.answer(message.content, uuid)
    this.#reader.emit({ type: 'assistant', message, parent_tool_use_id: null }, uuid)
    return message.content
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
