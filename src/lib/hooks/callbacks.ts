import type { EventName, InputOf } from './events/event-table.ts'
import type { Reply } from './reply.ts'

/** A callback as the Claude Agent SDK has it. Its replies have the contract's meaning. */
export type Callback<E extends EventName = EventName> = (
  input: InputOf<E>,
  toolUseId: string | undefined,
  options: { signal: AbortSignal }
) => Reply | void | null | undefined | PromiseLike<Reply | void | null | undefined>

/** Callbacks that run for the same tools. */
export interface CallbackMatcher<E extends EventName = EventName> {
  matcher?: string | undefined
  hooks: readonly Callback<E>[]
  /** Seconds. */
  timeout?: number | undefined
  onFailure?: 'block' | 'continue' | undefined
}

/** Matchers by event: what that SDK takes as `options.hooks`. */
export type CallbackRecord = { [E in EventName]?: readonly CallbackMatcher<E>[] | undefined }

/**
 * The same, typed by that SDK itself, whose one callback type spans all its events. It has no signature of its own, so
 * that callbacks written in place get the types of their event.
 */
export type ForeignCallbackRecord = {
  readonly [E in EventName]?:
    | readonly {
        matcher?: string | undefined
        hooks: readonly CallableFunction[]
        timeout?: number | undefined
      }[]
    | undefined
}
