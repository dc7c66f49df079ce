import { randomUUID } from 'node:crypto'
import { applyEdits, type MessageEdits } from '../hooks/history.ts'
import type { Block, Message } from '../message.ts'

/**
 * What was said so far. It only grows, in one array, so that nobody has to look at the whole of it again; only hooks
 * that change it cause a new array.
 */
export class Conversation {
  messages: Message[] = []
  #notes: { readonly text: string; readonly isLogged: boolean }[] = []
  #edits: MessageEdits[] = []
  /** Of all calls so far. */
  readonly #ids = new Set<string>()
  /** Calls without results: until they have theirs, nothing may stand between. */
  #open = false

  add(message: Message): void {
    this.messages.push(message)
  }

  /** Results are told apart by the ids of their calls: a call whose id is taken gets another. */
  withOwnIds(content: readonly Block[]): readonly Block[] {
    return content.map(block => {
      if (block.type !== 'tool_use') return block
      const isFree = block.id !== '' && !this.#ids.has(block.id)
      const id = isFree ? block.id : `toolu_${randomUUID()}`
      this.#ids.add(id)
      return isFree ? block : { ...block, id }
    })
  }

  /** The answer of the model. Calls in it stay open until `close`. */
  answer(content: readonly Block[], hasCalls: boolean): void {
    this.messages.push({ role: 'assistant', content })
    this.#open = hasCalls
  }

  /** The results of all open calls, in their order. */
  close(results: readonly Block[]): void {
    this.messages.push({ role: 'user', content: results })
    this.#open = false
    for (const edits of this.#edits.splice(0)) this.#apply(edits)
  }

  /** Text that the next model call is given, and that is history from then on. */
  note(text: string, isLogged = true): void {
    this.#notes.push({ text, isLogged })
  }

  /** Adds what is waiting, as one message. Gives back what may be written down of it. */
  deliverNotes(): string | undefined {
    if (this.#notes.length === 0) return undefined
    const notes = this.#notes
    this.#notes = []
    this.messages.push({ role: 'system', content: notes.map(({ text }) => text).join('\n\n') })
    return notes.map(({ text, isLogged }) => (isLogged ? text : UNLOGGED)).join('\n\n')
  }

  /** Puts one message in place of all before this one. */
  shorten(cut: number, instead: Message): void {
    this.messages = [instead, ...this.messages.slice(cut)]
  }

  /** What hooks did to the conversation. While calls are open it waits for their results. */
  edit(edits: MessageEdits): void {
    if (this.#open) this.#edits.push(edits)
    else this.#apply(edits)
  }

  #apply(edits: MessageEdits): void {
    this.messages = [...applyEdits(this.messages, edits)]
  }
}

const UNLOGGED = '[What a hook said here was to be left out of the log.]'

/** The text of a message, without what else is in it. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('')
}
