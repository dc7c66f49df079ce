import type { SessionOptions } from '../session/session-options.ts'
import type { AgentMessage, Unsigned } from './agent-messages.ts'
import type { Display } from './display.ts'
import { randomUuid } from '../../transcript/log.ts'

/** The reader of a session's output stream. None of this is written to the transcript. */
export class Reader {
  readonly #options: Pick<SessionOptions, 'agent' | 'emit' | 'place'>
  readonly #warnings = new Set<string>()
  /** The texts of subagents are not displayed. */
  display: Display | undefined

  constructor(options: Pick<SessionOptions, 'agent' | 'emit' | 'place'>) {
    this.#options = options
  }

  emit(message: Unsigned<AgentMessage>, uuid: string = randomUuid()): void {
    const { agent, emit, place } = this.#options
    if (agent !== undefined && 'parent_tool_use_id' in message)
      Object.assign(message, { parent_tool_use_id: agent.toolUseId })
    const signed = message as AgentMessage & { session_id: string; uuid: string }
    signed.session_id = place.id
    signed.uuid = uuid
    if (this.display === undefined) emit(signed)
    else this.display.show(signed)
  }

  /** A sentence for people; the model does not see it. */
  notice(content: string, level: 'info' | 'notice' | 'warning' = 'info', tag?: string): void {
    this.emit({ type: 'system', subtype: 'informational', content, level, ...(tag !== undefined && { tag }) })
  }

  /** A warning about the model, at most once per session. */
  warnOnce(content: string): void {
    if (!this.#warnings.has(content)) this.notice(content, 'warning', 'model')
    this.#warnings.add(content)
  }
}

/** A queue between a loop that never waits for its reader and a reader that waits for the loop. */
export class MessageQueue<T> {
  #items: T[] = []
  #head = 0
  #over = false
  #failure: unknown
  #waiting: ((result: IteratorResult<T, undefined> | Promise<never>) => void)[] = []

  /** Never blocks. Messages after the end are dropped. */
  push(item: T): void {
    if (this.#over) return
    const reader = this.#waiting.shift()
    if (reader === undefined) this.#items.push(item)
    else reader({ value: item, done: false })
  }

  /** The next read rejects with this error, once. */
  fail(error: unknown): void {
    this.#failure = error
    this.#waiting.shift()?.(this.next() as Promise<never>)
  }

  end(): void {
    this.#over = true
    for (const reader of this.#waiting.splice(0)) reader({ value: undefined, done: true })
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#items.length) {
      const value = this.#items[this.#head]!
      this.#forget()
      return Promise.resolve({ value, done: false })
    }
    if (this.#failure !== undefined) {
      const failure = this.#failure
      this.#failure = undefined
      return Promise.reject(failure)
    }
    if (this.#over) return Promise.resolve({ value: undefined, done: true })
    return new Promise(resolve => void this.#waiting.push(resolve))
  }

  /** Drops messages that were read, in batches large enough to be cheap. */
  #forget(): void {
    this.#head++
    if (this.#head < 1024) return
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
