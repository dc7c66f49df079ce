import type { PlainObject } from '../util/plain.ts'
import type { Background } from './late.ts'
import type { Deadlines, Heard } from './deadlines.ts'
import type { Entry } from './entry.ts'
import type { EventName } from './events.ts'
import type { Outbox } from './trace.ts'
import type { Outcome } from './outcome.ts'
import type { FireOptions } from './run.ts'
import type { Settings } from './settings.ts'

/** What a fire needs of its registry. */
export interface Hub {
  readonly settings: Settings
  readonly deadlines: Deadlines
  readonly background: Background
  /** The registry's own signal, listened to. */
  readonly session: Heard | undefined
  readonly outbox: Outbox | undefined
  /** What hooks keep for a session, by its id, until SessionEnd. */
  readonly sessions: Map<string, Record<string, unknown>>
  /** Every registered hook, in the order of running, for reports. */
  entries(): readonly Entry[]
  /** A `once` hook has done its work. */
  retire(entry: Entry): void
  fire(event: EventName, input: PlainObject, options: FireOptions, depth: number): Outcome | Promise<Outcome>
}
