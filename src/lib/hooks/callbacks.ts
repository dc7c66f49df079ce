import type { HookContext } from './context.ts'
import type { EventName, InputOf } from './events.ts'
import type { GroupHook } from './hook.ts'
import type { Reply } from './reply.ts'

/** A callback as the Claude Agent SDK has it. Its replies have the contract's meaning. */
export type Callback<E extends EventName = EventName> = (
  input: InputOf<E>,
  toolUseId: string | undefined,
  options: { signal: AbortSignal }
) => Reply | void | null | undefined | PromiseLike<Reply | void | null | undefined>

export interface CallbackMatcher<E extends EventName = EventName> {
  matcher?: string | undefined
  hooks: readonly Callback<E>[]
  /** Seconds. */
  timeout?: number | undefined
  onFailure?: 'block' | 'continue' | undefined
}

/** Matchers by event: what that SDK takes as `options.hooks`. */
export type CallbackRecord = { [E in EventName]?: readonly CallbackMatcher<E>[] | undefined }

/** A callback as one of our hooks. All callbacks of an event may run side by side, as their authors expect. */
export function callbackHook<E extends EventName>(callback: Callback<E>): GroupHook<E> {
  const run = (ctx: HookContext<E>): ReturnType<Callback<E>> => {
    const { input, toolUseId, signal } = ctx as unknown as CallbackView<E>
    return callback(input, toolUseId, { signal })
  }
  Object.defineProperty(run, 'name', { value: callback.name })
  return { run, dialect: 'contract', concurrent: true }
}

interface CallbackView<E extends EventName> {
  readonly input: InputOf<E>
  readonly toolUseId: string | undefined
  readonly signal: AbortSignal
}
