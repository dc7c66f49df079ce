import { AGENT_TYPES } from './handlers.ts'
import type { Loaded, LoadedHook } from './load.ts'

/** A hook that was found, and whether it is in force. */
export interface Standing {
  readonly hook: LoadedHook
  /** Why it is not in force; absent when it is. */
  readonly off: string | undefined
}

/** What decides over it, beside the files. */
export interface Circumstances {
  /** What came with the project counts. */
  readonly projectTrusted: boolean
  /** The skills and subagents that are active. */
  readonly owners?: readonly string[] | undefined
  /** The kinds that need an agent can run. */
  readonly hasAgent?: boolean | undefined
}

/** Every hook that was found, with what keeps it from running. */
export function standing(loaded: Loaded, circumstances: Circumstances): readonly Standing[] {
  const standings = loaded.hooks.map(hook => ({ hook, off: reasonOff(hook, loaded, circumstances) }))
  const inForce = standings.filter(({ off }) => off === undefined)
  return standings.map(({ hook, off }) => {
    const other = inForce.find(each => each.hook.replaces === hook)?.hook.place
    return { hook, off: off ?? (other && `${other.file}:${other.line} has its name and takes its place`) }
  })
}

function reasonOff(
  hook: LoadedHook,
  { disabled, locks }: Loaded,
  { projectTrusted, owners = [], hasAgent = false }: Circumstances
): string | undefined {
  if (disabled.has(hook.scope)) return 'switched off by disableAllHooks'
  if (locks.managedHooksOnly && hook.scope !== 'managed') return 'managed policy allows managed hooks only'
  if (locks.pluginHooksOnly && hook.scope !== 'managed' && hook.scope !== 'plugin')
    return 'managed policy allows hooks of plugins only'
  if (hook.ofProject && !projectTrusted) return 'the project is not trusted'
  if (hook.owner !== undefined && !owners.includes(hook.owner))
    return `in force while ${hook.scope} ${hook.owner} is active`
  if (AGENT_TYPES.includes(hook.type) && !hasAgent) return `a hook of type ${hook.type} needs a running agent`
  return undefined
}
