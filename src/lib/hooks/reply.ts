import type { Decision, SpecificField } from './events/answers.ts'
import type { PlainObject } from '../util/plain.ts'
import { millisecondsOf } from './option-values.ts'

/**
 * A hook's answer: nothing, or this plain object. Helpers below build it; hooks outside the process print the same
 * object as JSON. Both spellings are read (`stopReason`, `stop_reason`).
 */
export interface Reply extends Partial<Record<SpecificField, unknown>> {
  /** `approve` and `block` are the older words for `allow` and `deny`. */
  decision?: Decision | 'approve' | 'block' | '' | undefined
  reason?: string | undefined
  /** `false` ends the run after this step, and blocks on a gate. `true` on Stop makes the agent continue. */
  continue?: boolean | undefined
  /** `false` blocks this action; the run continues. */
  continueExecution?: boolean | undefined
  stopReason?: string | undefined
  /** On PostToolUse: hides the tool's output from model and user. */
  suppressOutput?: boolean | undefined
  suppressLogging?: boolean | undefined
  systemMessage?: string | undefined
  /** Sent to the terminal of `carabiner run`: titles, notifications, the bell; nothing if it holds anything else. */
  terminalSequence?: string | undefined
  additionalContext?: string | undefined
  updatedInput?: PlainObject | null | undefined
  /** `true` alone has no effect: return `later(promise)` for an answer that comes later. */
  async?: boolean | undefined
  asyncTimeout?: number | undefined
  hookSpecificOutput?: SpecificOutput | undefined
}

/** The part of a reply that belongs to one event; `hookEventName` must be its name. */
export interface SpecificOutput extends Partial<Record<SpecificField, unknown>> {
  hookEventName?: string | undefined
  permissionDecision?: Decision | undefined
  permissionDecisionReason?: string | undefined
  decision?:
    | { behavior: 'allow'; updatedInput?: PlainObject | undefined; updatedPermissions?: readonly unknown[] | undefined }
    | { behavior: 'deny'; message?: string | undefined; interrupt?: boolean | undefined }
    | undefined
}

/** Fields that go with any answer. */
export interface ReplyOptions {
  context?: string | undefined
  systemMessage?: string | undefined
  updatedInput?: object | undefined
  suppressOutput?: boolean | undefined
  suppressLogging?: boolean | undefined
}

export const ALLOW: Reply = Object.freeze({ decision: 'allow' })
const DEFER: Reply = Object.freeze({ decision: 'defer' })

/** No permission is needed. Rules that deny or ask still apply. */
export const allow = (options?: ReplyOptions): Reply =>
  options === undefined ? ALLOW : withOptions({ decision: 'allow' }, options)

/** This call is refused, whatever other hooks answer. */
export const deny = (reason?: string, options?: ReplyOptions): Reply =>
  withOptions({ decision: 'deny', reason }, options)

/** The user must be asked, whatever the rules allow. */
export const ask = (reason?: string, options?: ReplyOptions): Reply => withOptions({ decision: 'ask', reason }, options)

/** This action is refused and the run continues. */
export const block = (reason?: string, options?: ReplyOptions): Reply =>
  withOptions({ continueExecution: false, stopReason: reason }, options)

/** The call is deferred, to be decided later. */
export const defer = (options?: ReplyOptions): Reply =>
  options === undefined ? DEFER : withOptions({ decision: 'defer' }, options)

/** The tool gets this input instead. */
export const transform = (value: object, options?: ReplyOptions): Reply =>
  withOptions({ updatedInput: value as PlainObject }, options)

function withOptions(reply: Reply, options: ReplyOptions | undefined): Reply {
  if (options === undefined) return reply
  const { context, updatedInput, ...rest } = options
  Object.assign(reply, rest)
  if (context !== undefined) reply.additionalContext = context
  if (updatedInput !== undefined) reply.updatedInput = updatedInput as PlainObject
  return reply
}

type LateReply = PromiseLike<Reply | null | undefined | void>

export type Announced = 'limited' | 'unlimited' | undefined

/** An answer that is not ready yet; see `later`. */
export class Later {
  readonly promise: LateReply
  /** How long it may take, in milliseconds. */
  readonly patience: number | undefined
  /** A hook outside the process announced it, with or without its own time limit. */
  readonly announced: Announced

  constructor(promise: LateReply, patience: number | undefined, announced?: Announced) {
    this.promise = promise
    this.patience = patience
    this.announced = announced
  }
}

/**
 * Returns an answer that comes later. An event that decides something waits up to `asyncTimeout` seconds for it; any
 * other continues at once, and an answer in time is given to the registry's `onLate`.
 */
export function later(promise: LateReply, options: { asyncTimeout?: number | undefined } = {}): Later {
  const { asyncTimeout } = options
  return new Later(promise, asyncTimeout === undefined ? undefined : millisecondsOf('asyncTimeout', asyncTimeout))
}
