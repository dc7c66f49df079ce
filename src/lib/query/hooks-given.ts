import { HookRegistry } from '../hooks/registry.ts'
import type { QueryOptions } from './options.ts'

/** The hooks of the caller, as a registry. */
export function registryOf(hooks: QueryOptions['hooks']): HookRegistry | undefined {
  if (hooks === undefined || hooks instanceof HookRegistry) return hooks
  const registry = new HookRegistry({ precedence: 'ask-over-allow' })
  registry.callbacks(hooks, 'options.hooks')
  return registry
}
