import { fault } from '../../faults.ts'
import type { Situation } from '../../settings/active/active-hooks.ts'
import { loadSettings } from '../../settings/files/load.ts'
import type { Loaded } from '../../settings/files/loaded-hooks.ts'
import { usualPlaces, type Where } from '../../settings/files/sources.ts'
import { OLDER, trustOf, type Trust } from '../../settings/trust/trust.ts'
import type { SandboxKeys } from '../../settings/permissions/sandbox-settings.ts'
import type { QueryOptions } from '../options/options.ts'

export interface ProjectContext {
  readonly options: QueryOptions
  readonly where: Where
  readonly loaded: Loaded
  readonly trusted: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reads settings and trust. Starts nothing. */
export function loadProject(options: QueryOptions): ProjectContext {
  const env = options.env ?? process.env
  const where = usualPlaces(options.cwd, env)
  const loaded = load(where, options)
  const { state, changes } = trustIn(loaded, where, options)
  const trusted = options.projectHooks !== false
  if (trusted && state !== 'nothing' && state !== 'trusted')
    throw fault(
      'E_UNTRUSTED',
      loaded.root,
      (typeof options.trust === 'string' ? 'the given digest does not match; ' : '') +
        (state === 'untrusted'
          ? 'never trusted'
          : `${changes[0] === OLDER ? '' : 'changed since: '}${changes.join(', ')}`)
    )
  return { options, where, loaded, trusted, env: { ...env, ...loaded.env } }
}

/** The settings that hooks are loaded from: the initial ones, and after a change, the current ones. */
export function reloadingProject({ options, where, loaded, trusted }: ProjectContext): () => Situation {
  let first = true
  return () => {
    if (first) {
      first = false
      return { loaded, projectTrusted: trusted, hasAgent: true }
    }
    const now = load(where, options)
    const { state } = trustIn(now, where, options)
    const stillTrusted = state === 'nothing' || state === 'trusted'
    return { loaded: now, projectTrusted: trusted && stillTrusted, hasAgent: true }
  }
}

function load(where: Where, options: QueryOptions): Loaded {
  return loadSettings(where, {
    settings: typeof options.settings === 'object' ? JSON.stringify(options.settings) : options.settings,
    pluginDirs: options.plugins?.map(({ path }) => path),
    modules: options.hookModules,
    sources: options.settingSources,
    sandbox: sandboxKeys(options.sandbox)
  })
}

const sandboxKeys = (sandbox: QueryOptions['sandbox']): SandboxKeys | undefined =>
  typeof sandbox === 'boolean' ? { enabled: sandbox } : sandbox && { enabled: true, ...sandbox }

function trustIn(loaded: Loaded, where: Where, { trust }: QueryOptions): Trust {
  return trustOf(loaded, where, { digest: typeof trust === 'string' ? trust : undefined, thisRun: trust === true })
}
