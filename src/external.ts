/** `carabiner/external`: hooks outside this process. Commands, workers that stay, and servers. */
export { mcpToolHook, type McpToolSpec } from './lib/hooks/kinds/mcp-tool.ts'
export { agentHook, promptHook, type PromptSpec } from './lib/hooks/kinds/prompt.ts'
export { commandHook, type CommandSpec } from './lib/hooks/kinds/command.ts'
export { httpHook, type HttpSpec } from './lib/hooks/kinds/http.ts'
export { HookEnvironment, type HookEnvironmentOptions } from './lib/hooks/kinds/hook-environment.ts'
export {
  /** @deprecated Use `HookEnvironment`. */
  HookEnvironment as Outside,
  /** @deprecated Use `HookEnvironmentOptions`. */
  type HookEnvironmentOptions as OutsideOptions
} from './lib/hooks/kinds/hook-environment.ts'
export { workerHook, type WorkerHook, type WorkerSpec, type WorkerStatus } from './lib/hooks/kinds/worker/worker.ts'
export { LatencyLedger, type HookRecord } from './lib/hooks/ledger.ts'
