import type { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import type { OutsideHook } from '../../hooks/kinds/spec.ts'
import type { ruleFits } from '../active/condition.ts'
import type { Loaded } from './loaded-hooks.ts'

type Make = (spec: never, place: HookEnvironment) => OutsideHook

/** Loaded on demand: only the kinds that some hook uses. */
const LOADERS: Readonly<Record<string, () => Promise<Make>>> = {
  command: async () => (await import('../../hooks/kinds/command.ts')).commandHook,
  agent: async () => (await import('../../hooks/kinds/prompt.ts')).agentHook,
  http: async () => (await import('../../hooks/kinds/http.ts')).httpHook,
  mcp_tool: async () => (await import('../../hooks/kinds/mcp-tool.ts')).mcpToolHook,
  prompt: async () => (await import('../../hooks/kinds/prompt.ts')).promptHook,
  worker: async () => (await import('../../hooks/kinds/worker/worker.ts')).workerHook
}

const makers = new Map<string, Make>()
let fits: typeof ruleFits | undefined

export async function loadKinds({ hooks }: Loaded): Promise<void> {
  for (const type of new Set(hooks.map(hook => hook.type))) {
    const load = makers.has(type) ? undefined : LOADERS[type]
    if (load !== undefined) makers.set(type, await load())
  }
  if (hooks.some(({ spec }) => spec['if'] !== undefined)) fits ??= (await import('../active/condition.ts')).ruleFits
}

/** Call after `loadKinds`. The keys of `spec` were checked against the table of handlers. */
export const makerOf = (type: string): ((spec: object, place: HookEnvironment) => OutsideHook) =>
  makers.get(type) as unknown as (spec: object, place: HookEnvironment) => OutsideHook

/** Call after `loadKinds`. */
export const ruleFitsNow: typeof ruleFits = (rule, input, root) => fits!(rule, input, root)
