import type { HookContext } from './hook-context.ts'
import type { EventName, InputOf } from './events/event-table.ts'
import type { Later, Reply } from './reply.ts'
import type { Matcher } from './events/tool-inputs.ts'
import type { PlainObject } from '../util/plain.ts'
import type { Dialect } from './dialect.ts'

/** The result of a hook: nothing, a reply, or a promise of one. */
export type HookResult = Reply | Later | null | undefined | void

/** A hook as a function: it reads its context and answers, or not. */
export type HookFunction<E extends EventName = EventName, M extends Matcher = string> = (
  ctx: HookContext<E, M>
) => HookResult | PromiseLike<HookResult>

/** The options of every hook. */
export interface HookOptions {
  /** The name for lists, reports and removal. Without one it is named after its place in the source. */
  name?: string | undefined
  /** Higher runs first. Default 0. */
  priority?: number | undefined
  /** Seconds. Default 60 for library hooks. */
  timeout?: number | undefined
  /** What its failure means. By default gates close and everything else continues. */
  onFailure?: 'block' | 'continue' | undefined
  /** Removed after its first run that neither failed nor blocked. */
  once?: boolean | undefined
  /** Runs last, sees what was decided, and decides nothing. */
  observe?: boolean | undefined
  /** It may run concurrently with its neighbours, and does not see what they change. */
  concurrent?: boolean | undefined
}

/** A hook as an object: the one interface of all kinds, in this process or outside. */
export interface Hook<E extends EventName = EventName, M extends Matcher = string> extends HookOptions {
  events: E | readonly E[]
  matcher?: M | undefined
  dialect?: Dialect | undefined
  /** Of hooks with the same identity that match an event only one runs: the highest in rank, and of those the last. */
  identity?: string | undefined
  /** Of hooks with the same `identity`, in any order and scope, the highest runs, with its options. Default 0. */
  rank?: number | undefined
  /** Called after the matcher. */
  condition?: Condition | undefined
  /** Shown to people while it runs. */
  statusMessage?: string | undefined
  /** Where it was declared, for reports. Default: where it was registered. */
  source?: string | undefined
  run: HookFunction<E, M>
}

/** A condition beyond the matcher. If it cannot be evaluated, the hook runs. */
export interface Condition {
  /** As it was written, for reports. */
  readonly words: string
  holds(input: Readonly<PlainObject>): boolean
}

/** A hook of a group: the group says on which event, and for what. */
export type GroupHook<E extends EventName = EventName, M extends Matcher = string> =
  | HookFunction<E, M>
  | Omit<Hook<E, M>, 'events' | 'matcher'>

/** What the hooks of a group have in common. */
export interface GroupOptions extends Pick<HookOptions, 'name' | 'priority' | 'timeout' | 'onFailure'> {
  /** Members that could run concurrently run one after the other instead. */
  sequential?: boolean | undefined
}

/** A registered hook, as `list()` and `describe()` show it. */
export interface HookDescription extends Readonly<{ [K in keyof HookOptions]-?: NonNullable<HookOptions[K]> }> {
  readonly events: readonly EventName[]
  readonly matcher: string
  /** As it was written: the `if` of a hook in a file. */
  readonly condition: string | undefined
  readonly dialect: Dialect
  readonly enabled: boolean
  readonly source: string
  readonly group: string | undefined
  readonly scope: string | undefined
}

/** A callback in the format of the Claude Agent SDK. Its replies have the contract's meaning. */
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
 * The same, typed by that SDK itself, whose one callback type covers all its events. It has no call signature, so that
 * inline callbacks get the types of their event.
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
