import type { Profile } from '../../hooks/dialect.ts'
import type { KeyPath } from '../../schema/check.ts'
import type { Place } from './finding.ts'
import type { Loaded, Locks } from './loaded-hooks.ts'
import type { SettingsFile } from './settings-table.ts'
import { OF_PROJECT, type Scope } from './sources.ts'

const ALL_BUT_MANAGED: readonly Scope[] = ['user', 'project', 'local', 'flag', 'plugin', 'skill', 'agent']

export class Switches {
  readonly #disabled = new Set<Scope>()
  readonly #plugins = new Map<string, { on: boolean; scope: Scope; place: Place }>()
  readonly #locks: { -readonly [K in keyof Locks]: Locks[K] } = {
    profile: undefined,
    trustByDigest: false,
    noBypass: false,
    managedHooksOnly: false,
    pluginHooksOnly: false
  }
  #profile: Profile | undefined
  /** What managed policy, projects, and all others say. A project can only ask for more. */
  readonly #redact: Partial<Record<'managed' | 'project' | 'other', 'all' | 'credentials'>> = {}
  #urls: readonly string[] | undefined
  #variables: readonly string[] | undefined

  get plugins(): ReadonlyMap<string, { readonly on: boolean; readonly scope: Scope; readonly place: Place }> {
    return this.#plugins
  }

  read(settings: SettingsFile, scope: Scope, placeOf: (path: KeyPath) => Place): void {
    const { carabiner: { profile, trust, disableBypass, redact } = {}, permissions } = settings
    const ofProject = OF_PROJECT.includes(scope)
    // A project may ask for the stricter profile, and not for the other.
    if (profile !== undefined && (profile === 'strict' || !ofProject)) this.#profile = profile
    if (redact === 'all' || (redact !== undefined && !ofProject))
      this.#redact[ofProject ? 'project' : scope === 'managed' ? scope : 'other'] = redact
    // Every file may forbid the mode in which no call is asked about.
    this.#locks.noBypass ||= disableBypass === true || permissions?.disableBypassPermissionsMode === 'disable'
    if (settings.disableAllHooks === true) this.#disable(scope)
    for (const [name, on] of Object.entries(settings.enabledPlugins ?? {}))
      this.#enable(name, on, scope, placeOf(['enabledPlugins', name]))
    // A project neither opens what others have closed, nor closes the way to their gates.
    if (!ofProject) {
      const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: variables } = settings
      if (urls !== undefined) this.#urls = [...(this.#urls ?? []), ...urls]
      if (variables !== undefined) this.#variables = [...(this.#variables ?? []), ...variables]
    }
    if (scope !== 'managed') return
    const { allowManagedHooksOnly, strictPluginOnlyCustomization: pluginsOnly } = settings
    this.#locks.profile = profile ?? this.#locks.profile
    this.#locks.trustByDigest ||= trust === 'digest'
    this.#locks.managedHooksOnly ||= allowManagedHooksOnly === true
    this.#locks.pluginHooksOnly ||=
      typeof pluginsOnly === 'object' ? pluginsOnly.includes('hooks') : pluginsOnly === true
  }

  /** A project disables its own hooks, a user all but the managed ones. */
  #disable(scope: Scope): void {
    const scopes =
      scope === 'managed'
        ? ['managed' as const, ...ALL_BUT_MANAGED]
        : OF_PROJECT.includes(scope)
          ? OF_PROJECT
          : ALL_BUT_MANAGED
    for (const each of scopes) this.#disabled.add(each)
  }

  /** A project cannot disable a plugin that the user or managed policy has enabled. */
  #enable(name: string, on: boolean, scope: Scope, place: Place): void {
    const before = this.#plugins.get(name)
    if (before?.scope === 'managed') return
    if (before?.on === true && OF_PROJECT.includes(scope) && !OF_PROJECT.includes(before.scope)) return
    this.#plugins.set(name, { on, scope, place })
  }

  result(): Pick<Loaded, 'locks' | 'profile' | 'disabled' | 'allowedUrls' | 'allowedEnvVars' | 'showsSecrets'> {
    const { managed, project, other } = this.#redact
    return {
      showsSecrets: (managed ?? project ?? other) === 'credentials',
      locks: this.#locks,
      profile: this.#locks.profile ?? this.#profile,
      disabled: this.#disabled,
      allowedUrls: this.#urls,
      allowedEnvVars: this.#variables
    }
  }
}
