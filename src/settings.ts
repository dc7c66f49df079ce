/** `carabiner/settings`: hooks from settings files, plugins and frontmatter; what is in force, and whether it is trusted. */
export {
  loadSettings,
  type Loaded,
  type LoadedHook,
  type LoadedModule,
  type LoadedRule,
  type LoadOptions,
  type Locks
} from './lib/settings/load.ts'
export { usualPlaces, type Scope, type Source, type Where } from './lib/settings/sources.ts'
export { armHooks, type ArmedHooks, type ArmOptions, type Situation } from './lib/settings/armed.ts'
export { standing, type Circumstances, type Standing } from './lib/settings/force.ts'
export type { Reloaded } from './lib/settings/live.ts'
export { giveTrust, trustOf, type Trust, type TrustOptions } from './lib/settings/trust.ts'
export { lint } from './lib/settings/lint.ts'
export type { Finding, Level, Place } from './lib/settings/finding.ts'
