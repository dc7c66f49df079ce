import type { Precedence } from '../events/answers.ts'
import type { AnyRow, EventName } from '../events/event-table.ts'
import type { Condition } from '../hook.ts'
import type { Matching } from './matcher.ts'
import type { Dialect, Profile } from '../dialect.ts'

/** Hooks that were declared together. A `continue: false` of one skips the rest. */
export interface Group {
  readonly name: string | undefined
  readonly sequential: boolean
}

export interface HookEntry {
  readonly name: string
  /** Where it was registered or declared: `file:line:column`. */
  readonly source: string
  readonly event: EventName
  readonly row: AnyRow
  readonly precedence: Precedence
  readonly profile: Profile
  readonly dialect: Dialect
  readonly call: (ctx: object) => unknown
  readonly matching: Matching
  readonly priority: number
  readonly order: number
  /** Timeout, in milliseconds. */
  readonly patience: number
  readonly onFailure: 'block' | 'continue' | undefined
  readonly observe: boolean
  readonly concurrent: boolean
  readonly once: boolean
  readonly group: Group | undefined
  readonly identity: string | undefined
  readonly rank: number
  readonly condition: Condition | undefined
  readonly statusMessage: string | undefined
  /** Nothing but its own failure can keep it from running: it has no condition, does not run once, nor belong to a group. */
  readonly simple: boolean
  readonly state: EntryState
}

export interface EntryState {
  enabled: boolean
  /** Of a `once` hook: it has begun; it is back to `ready` when it fails or refuses, and else it is done for good. */
  once: 'ready' | 'running' | 'done'
  judged: number
  allowed: number
}
