import type { EventName } from './events/event-table.ts'
import type { Failure } from './dispatch/hook-failure.ts'

/** What a registry reports about its hooks while they run. */
export type HookMessage = HookStarted | HookProgress | HookResponse | HookNotice

interface Common {
  readonly type: 'system'
  readonly hook_id: string
  readonly hook_name: string
  readonly hook_event: EventName
  /** The value that matchers of the event test: the name of a tool, how a session began. */
  readonly hook_target?: string
  readonly session_id: string
}

/** A hook starts. */
export interface HookStarted extends Common {
  readonly subtype: 'hook_started'
  readonly status_message?: string | undefined
}

/** A hook reports progress. */
export interface HookProgress extends Common, Partial<Pick<RawResult, 'stdout' | 'stderr'>> {
  readonly subtype: 'hook_progress'
  readonly output: string
}

/** A hook has answered or failed. */
export interface HookResponse extends Common, Partial<RawResult> {
  readonly subtype: 'hook_response'
  readonly outcome: 'success' | 'error' | 'cancelled'
  /** The hook's answer, as JSON, or why it failed. */
  readonly output: string
  readonly duration_ms: number
}

/** The raw response of a hook outside this process. */
export interface RawResult {
  readonly stdout: string
  readonly stderr: string
  /** Absent if there is none: a signal, a timeout, a server. */
  readonly exit_code?: number
}

/** Something that decides nothing: a late answer, a write that was dropped. */
export interface HookNotice extends Common {
  readonly subtype: 'hook_notice'
  readonly output: string
}

/** Receives messages. Its return value is ignored. */
export type Sink = (message: HookMessage) => unknown

/** Delivers messages in order, after the caller has continued. A sink that throws or hangs has no effect on hooks. */
export function queueFor(sink: Sink): (message: HookMessage) => void {
  let waiting: HookMessage[] = []
  const deliver = (): void => {
    const messages = waiting
    waiting = []
    for (const message of messages) {
      try {
        const result = sink(message)
        if (result instanceof Promise) result.catch(() => undefined)
      } catch {
        // A sink only watches.
      }
    }
  }
  return message => {
    if (waiting.push(message) === 1) queueMicrotask(deliver)
  }
}

/** The result of one hook in one fire. */
export interface HookReport {
  readonly name: string
  readonly source: string
  readonly event: string
  readonly matched: boolean
  readonly ran: boolean
  /** Why it matched or not, ran or not. */
  readonly why: string
  readonly status: 'answered' | 'silent' | 'failed' | 'late' | 'skipped'
  readonly reply: unknown
  readonly failure: Failure | undefined
  /** Parts of its answer that were not used, and other notes. */
  readonly notes: readonly string[]
  readonly ms: number | undefined
  /** It changed the input, the prompt or the conversation. */
  readonly rewrote: boolean
  /** It was asked again, about the final input. */
  readonly rejudged: boolean
  /** For hooks outside this process. */
  readonly raw: RawResult | undefined
}
