import { AGENT_TYPES } from '../files/handlers.ts'
import type { Loaded, LoadedHook } from '../files/loaded-hooks.ts'

/** A hook from a file, and whether it is active. */
export interface HookStatus {
  readonly hook: LoadedHook
  /** Why it is not active. */
  readonly off: string | undefined
}

/** What decides whether hooks are active, beside the files. */
export interface Circumstances {
  readonly projectTrusted: boolean
  readonly owners?: readonly string[] | undefined
  readonly hasAgent?: boolean | undefined
}

/** Loaded settings, and what decides whether they are active. */
export interface Situation extends Circumstances {
  readonly loaded: Loaded
}

/** Every hook that was found, with what keeps it from running. */
export function hookStatuses(loaded: Loaded, circumstances: Circumstances): readonly HookStatus[] {
  const statuses = loaded.hooks.map(hook => ({ hook, off: reasonOff(hook, loaded, circumstances) }))
  const replaced = new Map(
    statuses.filter(({ off }) => off === undefined).map(({ hook }) => [hook.replaces, hook.place])
  )
  return statuses.map(({ hook, off }) => {
    const other = replaced.get(hook)
    return { hook, off: off ?? (other && `${other.file}:${other.line} has the same name and replaces it`) }
  })
}

/** A hook that is not active, and why. */
export const inactiveLine = ({ hook, off }: HookStatus): readonly string[] =>
  off === undefined ? [] : [`${hook.runs}  is not active: ${off}  (${hook.place.file}:${hook.place.line})`]

function reasonOff(hook: LoadedHook, loaded: Loaded, circumstances: Circumstances): string | undefined {
  const { owners = [], hasAgent = false } = circumstances
  if (hook.isOwnLine) return 'another agent asks Carabiner by it'
  const barred = reasonBarred(hook, { ...circumstances, loaded })
  if (barred !== undefined) return barred
  if (hook.owner !== undefined && !owners.includes(hook.owner))
    return `only active while ${hook.scope} ${hook.owner} is active`
  if (AGENT_TYPES.includes(hook.type) && !hasAgent) return `a hook of type ${hook.type} needs a running agent`
  return undefined
}

export function reasonBarred(
  { scope: own, ofProject, plugin }: Pick<LoadedHook, 'scope' | 'ofProject'> & Partial<Pick<LoadedHook, 'plugin'>>,
  { loaded: { disabled, locks }, projectTrusted }: Situation
): string | undefined {
  // A skill of a plugin is as much the plugin's as its other hooks.
  const scope = plugin === undefined ? own : plugin.managed ? 'managed' : 'plugin'
  if (disabled.has(scope)) return 'switched off by disableAllHooks'
  if (locks.managedHooksOnly && scope !== 'managed') return 'managed policy allows managed hooks only'
  if (locks.pluginHooksOnly && scope !== 'managed' && scope !== 'plugin')
    return 'managed policy allows hooks of plugins only'
  if (ofProject && !projectTrusted) return 'the project is not trusted'
  return undefined
}
