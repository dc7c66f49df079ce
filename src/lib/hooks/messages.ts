import type { EventName } from './events.ts'
import type { Context, Failure, SystemMessage } from './outcome.ts'

/** What a registry tells about its hooks while they run. */
export type HookMessage = HookStarted | HookProgress | HookResponse | HookNotice

interface Common {
  readonly type: 'system'
  /** One for each run of a hook. */
  readonly hook_id: string
  readonly hook_name: string
  readonly hook_event: EventName
  readonly session_id: string
}

export interface HookStarted extends Common {
  readonly subtype: 'hook_started'
}

export interface HookProgress extends Common {
  readonly subtype: 'hook_progress'
  readonly output: string
}

export interface HookResponse extends Common {
  readonly subtype: 'hook_response'
  readonly outcome: 'success' | 'error' | 'cancelled'
  /** What the hook answered, as JSON, or why it failed. */
  readonly output: string
}

/** Something that is worth knowing and decides nothing: a late answer, a write that was dropped. */
export interface HookNotice extends Common {
  readonly subtype: 'hook_notice'
  readonly output: string
}

export type Sink = (message: HookMessage) => unknown

/** An answer that came after its event had gone on. */
export interface LateAnswer {
  readonly by: string
  readonly event: EventName
  readonly sessionId: string
  readonly contexts: readonly Context[]
  readonly systemMessages: readonly SystemMessage[]
  readonly failure: Failure | undefined
}

/** Hands messages on in order, after the caller has gone on. A sink that throws or hangs harms nobody. */
export class Outbox {
  readonly #sink: Sink
  #waiting: HookMessage[] = []

  constructor(sink: Sink) {
    this.#sink = sink
  }

  post(message: HookMessage): void {
    this.#waiting.push(message)
    if (this.#waiting.length === 1) queueMicrotask(() => this.#deliver())
  }

  #deliver(): void {
    const messages = this.#waiting
    this.#waiting = []
    for (const message of messages) {
      try {
        const result = this.#sink(message)
        if (result instanceof Promise) result.catch(() => undefined)
      } catch {
        // A sink only watches.
      }
    }
  }
}
