import type { Profile } from '../../hooks/dispatch/decode.ts'
import type { Document } from './document.ts'
import type { Place } from './finding.ts'
import { KeyReader } from './keys.ts'
import type { Loaded, Locks } from './loaded-hooks.ts'
import { OF_PROJECT, type Scope } from './sources.ts'

const ALL_BUT_MANAGED: readonly Scope[] = ['user', 'project', 'local', 'flag', 'plugin', 'skill', 'agent']

/** What settings say of everything at once: what is switched on and off, what is locked, which profile is in force. */
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
  #urls: readonly string[] | undefined
  #variables: readonly string[] | undefined

  /** Plugins that somebody has switched on or off. */
  get plugins(): ReadonlyMap<string, { readonly on: boolean; readonly scope: Scope; readonly place: Place }> {
    return this.#plugins
  }

  /** What stands under `carabiner`. */
  readOwn(own: KeyReader, scope: Scope): void {
    const profile = own.choice('profile', ['strict', 'compat'])
    // A project may ask for the stricter profile, and not for the other.
    if (profile !== undefined && (profile === 'strict' || !OF_PROJECT.includes(scope))) this.#profile = profile
    // Every file may forbid the mode in which nobody is asked.
    this.#locks.noBypass ||= own.flag('disableBypass') === true
    if (scope !== 'managed') return own.idle(['trust'])
    this.#locks.profile = profile ?? this.#locks.profile
    this.#locks.trustByDigest ||= own.choice('trust', ['digest']) === 'digest'
  }

  /** What stands at the top of a file. */
  read(document: Document, scope: Scope): void {
    const reader = new KeyReader(document)
    if (reader.flag('disableAllHooks') === true) this.#disable(scope)
    const enabled = new KeyReader(document, ['enabledPlugins'])
    for (const name of Object.keys(reader.object('enabledPlugins') ?? {})) {
      const on = enabled.flag(name)
      if (on !== undefined) this.#enable(name, on, scope, document.findings.place(['enabledPlugins', name]))
    }
    const [urls, variables] = [reader.texts('allowedHttpHookUrls'), reader.texts('httpHookAllowedEnvVars')]
    // A project neither opens what others have closed, nor closes the way to their gates.
    if (!OF_PROJECT.includes(scope)) {
      this.#urls = joined(this.#urls, urls)
      this.#variables = joined(this.#variables, variables)
    }
    const bypass = new KeyReader(document, ['permissions']).choice('disableBypassPermissionsMode', ['disable'])
    this.#locks.noBypass ||= bypass === 'disable'
    if (scope !== 'managed') return reader.idle(['allowManagedHooksOnly', 'strictPluginOnlyCustomization'])
    const pluginsOnly = reader.flagOrTexts('strictPluginOnlyCustomization')
    this.#locks.managedHooksOnly ||= reader.flag('allowManagedHooksOnly') === true
    this.#locks.pluginHooksOnly ||=
      typeof pluginsOnly === 'object' ? pluginsOnly.includes('hooks') : pluginsOnly === true
  }

  /** Nobody switches off what stands above them: a project its own hooks, a user all but the managed ones. */
  #disable(scope: Scope): void {
    const scopes =
      scope === 'managed'
        ? ['managed' as const, ...ALL_BUT_MANAGED]
        : OF_PROJECT.includes(scope)
          ? OF_PROJECT
          : ALL_BUT_MANAGED
    for (const each of scopes) this.#disabled.add(each)
  }

  /** What the user or managed policy has switched on is theirs, whatever a project says of it. */
  #enable(name: string, on: boolean, scope: Scope, place: Place): void {
    const before = this.#plugins.get(name)
    if (before?.scope === 'managed') return
    if (before?.on === true && OF_PROJECT.includes(scope) && !OF_PROJECT.includes(before.scope)) return
    this.#plugins.set(name, { on, scope, place })
  }

  result(): Pick<Loaded, 'locks' | 'profile' | 'disabled' | 'allowedUrls' | 'allowedEnvVars'> {
    return {
      locks: this.#locks,
      profile: this.#locks.profile ?? this.#profile,
      disabled: this.#disabled,
      allowedUrls: this.#urls,
      allowedEnvVars: this.#variables
    }
  }
}

const joined = (
  before: readonly string[] | undefined,
  more: readonly string[] | undefined
): readonly string[] | undefined => (more === undefined ? before : [...(before ?? []), ...more])
