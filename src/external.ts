/** `carabiner/external`: hooks outside this process. Commands, workers that stay, and servers. */
export { commandHook, type CommandSpec } from './lib/hooks/kinds/command.ts'
export { Outside, type OutsideOptions } from './lib/hooks/kinds/outside.ts'
export { LatencyLedger, type HookRecord } from './lib/hooks/ledger.ts'
