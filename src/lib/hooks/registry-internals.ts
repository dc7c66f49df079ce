import type { Message } from '../message.ts'
import type { PlainObject } from '../util/plain.ts'
import type { Precedence } from './events/answers.ts'
import type { AgentView } from './hook-context.ts'
import type { SpawnedWork } from './background.ts'
import type { Deadlines, AbortFlag } from './dispatch/deadlines.ts'
import type { Roster } from './dispatch/roster.ts'
import type { EventName } from './events/event-table.ts'
import type { Outcome } from './dispatch/outcome.ts'
import type { Settings } from './registry-options.ts'
import type { HookMessage, HookReport } from './hook-messages.ts'
import type { Profile } from './dialect.ts'

/** Options of one fire. */
export interface FireOptions {
  /** Add a report: every registered hook, its answer, or why it did not run. */
  report?: boolean | undefined
  signal?: AbortSignal | undefined
  /** Whether a draft can be used that the hook from `source` has changed: true or nothing, or why not. */
  accept?: ((draft: unknown, source: string, before: unknown) => boolean | string | undefined | void) | undefined
  /**
   * Values of keys to use instead, after a change was accepted: `before` is what its hook was shown, `now` what hooks
   * that ran beside it have made of that.
   */
  combine?: ((changed: PlainObject, before: PlainObject, now: PlainObject) => PlainObject) | undefined
  /** The conversation that `ctx.messages` shows. */
  messages?: readonly Message[] | undefined
  /** What `ctx.metadata` shows; by default the registry keeps one object per session. */
  metadata?: Record<string, unknown> | undefined
  agent?: AgentView | undefined
  /** Fields for the input that the input itself does not have. Called only if a hook runs. */
  common?(): PlainObject
}

export const NO_OPTIONS: FireOptions = Object.freeze({})

/** An outcome with a report: what each hook answered, or why it did not run. */
export interface Reported extends Outcome {
  readonly precedence: Precedence
  readonly profile: Profile
  readonly report: readonly HookReport[]
}

export interface RegistryInternals {
  readonly settings: Settings
  readonly deadlines: Deadlines
  readonly background: SpawnedWork
  readonly session: AbortFlag | undefined
  readonly outbox: ((message: HookMessage) => void) | undefined
  /** What hooks store for a session, by its id, until SessionEnd. */
  readonly sessions: Map<string, Record<string, unknown>>
  readonly roster: Roster
  metadata(sessionId: string): Record<string, unknown>
  fire(event: EventName, input: PlainObject, options: FireOptions, depth: number): Outcome | Promise<Outcome>
}
