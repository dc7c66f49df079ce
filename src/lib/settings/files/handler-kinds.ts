import type { HookEnvironment } from '../../hooks/kinds/hook-environment.ts'
import type { OutsideHook } from '../../hooks/kinds/spec.ts'
import type { ruleFits } from '../active/condition.ts'
import type { Loaded } from './loaded-hooks.ts'

type Make = (spec: never, place: HookEnvironment) => OutsideHook

/** What makes hooks of a type of what a file says, and what reads their rules. Nothing is loaded that no hook needs. */
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

/** Loads what these hooks need. */
export async function loadKinds({ hooks }: Loaded): Promise<void> {
  for (const type of new Set(hooks.map(hook => hook.type))) {
    const load = makers.has(type) ? undefined : LOADERS[type]
    if (load !== undefined) makers.set(type, await load())
  }
  if (hooks.some(({ spec }) => spec['if'] !== undefined)) fits ??= (await import('../active/condition.ts')).ruleFits
}

/** What makes hooks of this type, after `loadKinds`. Their keys were checked one by one against the table of handlers. */
export const makerOf = (type: string): ((spec: object, place: HookEnvironment) => OutsideHook) =>
  makers.get(type) as unknown as (spec: object, place: HookEnvironment) => OutsideHook

/** Whether a rule of `if` fits, after `loadKinds`. */
export const ruleFitsNow: typeof ruleFits = (rule, input) => fits!(rule, input)
