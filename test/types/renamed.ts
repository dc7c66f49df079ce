/* oxlint-disable typescript/no-deprecated -- it is about the old names */
/** Names of 0.1.0 that were changed: both can be imported, and they mean the same. */
import type * as external from '../../src/external.ts'
import type * as index from '../../src/index.ts'
import type * as settings from '../../src/settings.ts'
import type * as testing from '../../src/testing.ts'

type Same<A, B> = [A, B] extends [B, A] ? true : never

export const types: readonly true[] = [
  true satisfies Same<index.LoadedTranscript, index.Loaded>,
  true satisfies Same<testing.ScriptedRequest, testing.Asked>,
  true satisfies Same<settings.HookStatus, settings.Standing>,
  true satisfies Same<typeof settings.hookStatuses, typeof settings.standing>,
  true satisfies Same<settings.ArmedHooks['statuses'], settings.ArmedHooks['standings']>,
  true satisfies Same<settings.ActiveSettings, settings.InForce>,
  true satisfies Same<settings.ReloadResult, settings.Reloaded>,
  true satisfies Same<external.HookEnvironmentOptions, external.OutsideOptions>,
  true satisfies Same<typeof external.HookEnvironment, typeof external.Outside>
]
