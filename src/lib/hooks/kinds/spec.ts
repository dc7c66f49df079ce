import type { HookContext } from '../hook-context.ts'
import type { Dialect } from '../dialect.ts'
import type { EventName } from '../events/event-table.ts'
import type { Hook, HookOptions, HookResult } from '../hook.ts'
import { Later, type Reply } from '../reply.ts'
import type { Matcher } from '../events/tool-inputs.ts'
import type { HookEnvironment } from './hook-environment.ts'
import { cleanReply } from './clean-reply.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'
import type { Clock } from '../../util/clock.ts'
import type { PlainObject } from '../../util/plain.ts'
import { LONGEST_TIMER } from '../option-values.ts'

/** The options of any hook outside this process. */
export interface OutsideSpec<E extends EventName = EventName> extends HookOptions {
  /** Omit it for a member of a group: the group has the event and the matcher. */
  events?: E | readonly E[] | undefined
  matcher?: Matcher | undefined
  /** How its keys are read. Default `contract`: scripts are written for Claude Code's hook contract. */
  dialect?: Dialect | undefined
  /** One permission rule, such as `Bash(git *)`: the hook runs only if it matches. */
  if?: string | undefined
  /** Shown to people while it runs. */
  statusMessage?: string | undefined
  /** Where it was declared, for reports. */
  source?: string | undefined
  /** Called before each run; returns why the hook must not run, which counts as its failure. */
  verify?: (() => string | undefined) | undefined
}

/** A hook outside this process: register it like any other. */
export interface OutsideHook<E extends EventName = EventName> extends Hook<E> {
  /** What it runs, asks or calls. */
  readonly label?: string | undefined
  readonly outside?: boolean | undefined
  /** Ends what it keeps running between events. */
  close(): void
}

export type OutsideContext = Pick<
  HookContext,
  | 'agent'
  | 'event'
  | 'wire'
  | 'input'
  | 'profile'
  | 'sessionId'
  | 'cwd'
  | 'env'
  | 'signal'
  | 'progress'
  | 'ran'
  | 'note'
  | 'letPass'
>

interface Kind {
  readonly label: string
  readonly identity: string
  run(ctx: OutsideContext): HookResult | PromiseLike<HookResult>
  close?(): void
}

/** Hooks outside this process run concurrently: most of their time is waiting. */
export function buildHook<E extends EventName>(
  spec: OutsideSpec<E>,
  place: HookEnvironment,
  kind: Kind
): OutsideHook<E> {
  const { name, priority, timeout, onFailure, once, observe, statusMessage, source } = spec
  const hook = {
    name,
    priority,
    timeout,
    onFailure,
    once,
    observe,
    statusMessage,
    source,
    events: spec.events ?? [],
    matcher: spec.matcher as string | undefined,
    concurrent: true,
    dialect: spec.dialect ?? 'contract',
    label: kind.label,
    outside: true,
    identity: `${kind.identity}\0${spec.if ?? ''}`,
    condition: spec.if === undefined || spec.if === '' ? undefined : place.condition(spec.if),
    // The engine gives each hook the context of its event; these read only what all events have.
    run: (ctx: HookContext<E>) => {
      const objection = spec.verify?.()
      if (objection !== undefined) throw new HookFailure('untrusted', objection)
      const answer = kind.run(ctx)
      return answer instanceof Later ? cleanLater(answer) : Promise.resolve(answer).then(cleanResult)
    },
    close: () => kind.close?.()
  } satisfies OutsideHook<E>
  return hook
}

const cleanResult = (answer: HookResult): HookResult =>
  answer instanceof Later ? cleanLater(answer) : cleanReply(answer)

function cleanLater({ promise, patience, announced }: Later): Later {
  const answer = Promise.resolve(promise).then(cleanReply)
  // It may fail before a handler is attached.
  answer.catch(() => undefined)
  return new Later(answer, patience, announced)
}

/** A reply that is still to come, and how to end the work on it. */
export interface UnfinishedReply {
  readonly answer: Promise<Reply | undefined>
  end(): void
}

/**
 * The `async: true` of a hook outside this process: a gate of the strict profile waits for the answer, and other events
 * do not. Library hooks give the limit in seconds; the contract gives it in milliseconds.
 */
export function asyncReply(
  { asyncTimeout, async_timeout }: PlainObject,
  pending: UnfinishedReply,
  { dialect }: Pick<OutsideSpec, 'dialect'>,
  clock: Clock
): Later {
  const { answer } = pending
  const limit = asyncTimeout ?? async_timeout
  const unit = dialect === 'library' ? 1000 : 1
  if (typeof limit !== 'number' || !(limit > 0)) return new Later(answer, undefined, 'unlimited')
  const ms = Math.min(limit * unit, LONGEST)
  return dialect === 'library'
    ? new Later(answer, ms, 'limited')
    : new Later(withTimeLimit(pending, ms, clock), undefined, 'limited')
}

/** A longer timer would fire at once. */
const LONGEST = LONGEST_TIMER - 1000

/** An answer within its time, in milliseconds; after that its process is ended. */
export function withTimeLimit(
  { answer, end }: UnfinishedReply,
  limit: number,
  clock: Clock
): Promise<Reply | undefined> {
  const inTime = new Promise<Reply | undefined>((resolve, reject) => {
    const cancel = clock.after(limit, () => {
      end()
      reject(new HookFailure('timeout', `gave no answer within ${limit} ms`))
    })
    void answer.finally(cancel).then(resolve, reject)
  })
  // The event may no longer wait for it.
  inTime.catch(() => undefined)
  return inTime
}
