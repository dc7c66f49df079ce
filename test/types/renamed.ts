/** Names of 0.1.0 that were changed: both can be imported, and they mean the same. */
import { HookEnvironment, Outside, type HookEnvironmentOptions, type OutsideOptions } from '../../src/external.ts'
import { hookStatuses, standing, type ArmedHooks, type HookStatus, type Standing } from '../../src/settings.ts'

type Same<A, B> = [A, B] extends [B, A] ? true : never

export const types: readonly true[] = [
  true satisfies Same<HookStatus, Standing>,
  true satisfies Same<HookEnvironmentOptions, OutsideOptions>,
  true satisfies Same<HookEnvironment, Outside>,
  true satisfies Same<ArmedHooks['statuses'], ArmedHooks['standings']>
]
export const values: readonly [typeof HookEnvironment, typeof hookStatuses] = [Outside, standing]
