/** `carabiner/settings`: hooks from settings files, plugins and frontmatter; what is in force, and whether it is trusted. */
export { loadSettings } from './lib/settings/files/load.ts'
export type {
  Loaded,
  LoadedHook,
  LoadedModule,
  LoadedRule,
  LoadOptions,
  Locks
} from './lib/settings/files/loaded-hooks.ts'
export { usualPlaces, type Scope, type Source, type Where } from './lib/settings/files/sources.ts'
export { armHooks, type ArmedHooks, type ArmOptions } from './lib/settings/active/settings-registry.ts'
export {
  hookStatuses,
  type Circumstances,
  type Situation,
  type HookStatus
} from './lib/settings/active/active-hooks.ts'
export {
  /** @deprecated Use `hookStatuses`. */
  hookStatuses as standing,
  /** @deprecated Use `HookStatus`. */
  type HookStatus as Standing
} from './lib/settings/active/active-hooks.ts'
export type { ActiveSettings, ReloadResult } from './lib/settings/active/live-reload.ts'
export type {
  /** @deprecated Use `ActiveSettings`. */
  ActiveSettings as InForce,
  /** @deprecated Use `ReloadResult`. */
  ReloadResult as Reloaded
} from './lib/settings/active/live-reload.ts'
export { giveTrust, trustOf, type Trust, type TrustOptions } from './lib/settings/trust/trust.ts'
export { lint } from './lib/settings/lint/lint.ts'
export type { Finding, Level, Place } from './lib/settings/files/finding.ts'
