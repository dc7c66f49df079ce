import type { Profile } from '../../hooks/dialect.ts'
import type { Plugin } from '../../hooks/kinds/paths.ts'
import type { RuleExamples } from '../../permissions/rule-examples.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { Document } from './document.ts'
import type { Finding, Place } from './finding.ts'
import type { Declared } from './shapes.ts'
import type { LoadedSandbox, SandboxKeys } from '../permissions/sandbox-settings.ts'
import type { Scope, Source } from './sources.ts'

/** A hook that was found in a file. */
export interface LoadedHook extends Declared {
  readonly scope: Scope
  readonly place: Place
  readonly placeOf: (key: string) => Place
  readonly plugin: (Plugin & { readonly name: string; readonly managed: boolean }) | undefined
  /** The skill or subagent that it belongs to: it is active only while that is. */
  readonly owner: string | undefined
  /** It came with the project, and applies only when the project is trusted. */
  readonly ofProject: boolean
  /** Another agent asks Carabiner by it, so it never runs here. */
  readonly isOwnLine: boolean
  /** The user's hook of the same name, which does not run while this one is active. */
  readonly replaces: LoadedHook | undefined
}

export interface EnabledPlugin extends Plugin {
  /** From its manifest; else `id`, without the marketplace. Prefix of the names that it brings: `name:skill`. */
  readonly name: string
  /** As it was enabled, such as `name@marketplace`; else its name. */
  readonly id: string
  readonly managed: boolean
  readonly ofProject: boolean
}

/** A skill, a slash command or a subagent. Its body is read when it is used. */
export interface LoadedOwner {
  readonly kind: 'skill' | 'command' | 'agent'
  readonly name: string
  readonly file: string
  /** Its frontmatter. */
  readonly document: Document | undefined
  readonly plugin: EnabledPlugin | undefined
  readonly ofProject: boolean
}

export interface LoadedGrant {
  readonly owner: string
  readonly rule: string
  readonly place: Place
  readonly ofProject: boolean
}

/** A permission rule in a settings file. */
export interface LoadedRule {
  readonly behaviour: 'allow' | 'deny' | 'ask'
  readonly rule: string
  readonly examples?: RuleExamples | undefined
  readonly sandbox?: boolean | undefined
  readonly scope: Scope
  readonly place: Place
}

/** A module of hooks that a settings file names. */
export interface LoadedModule {
  readonly file: string
  readonly scope: Scope
  readonly place: Place
  readonly ofProject: boolean
}

export interface LoadedServer {
  readonly name: string
  readonly spec: Readonly<PlainObject>
  readonly place: Place
}

/** What managed policy fixes: no other settings can loosen it. */
export interface Locks {
  readonly profile: Profile | undefined
  /** Trust is given by digest only, never by a flag for one run. */
  readonly trustByDigest: boolean
  readonly noBypass: boolean
  readonly managedHooksOnly: boolean
  readonly pluginHooksOnly: boolean
}

/** All that the settings say that apply here. */
export interface Loaded {
  readonly root: string
  readonly files: readonly Source[]
  /** Files that may hold settings, and folders in which such files may appear. */
  readonly watched: readonly string[]
  readonly hooks: readonly LoadedHook[]
  readonly rules: readonly LoadedRule[]
  readonly modules: readonly LoadedModule[]
  readonly servers: readonly LoadedServer[]
  readonly plugins: readonly EnabledPlugin[]
  /** Of two with the same kind and name, the later one is used. */
  readonly owners: readonly LoadedOwner[]
  readonly grants: readonly LoadedGrant[]
  readonly findings: readonly Finding[]
  readonly locks: Locks
  readonly profile: Profile | undefined
  readonly disabled: ReadonlySet<Scope>
  readonly allowedUrls: readonly string[] | undefined
  readonly allowedEnvVars: readonly string[] | undefined
  readonly mode: string | undefined
  /** Set by managed policy: a session cannot start in a looser mode. */
  readonly managedMode: string | undefined
  readonly directories: readonly string[]
  readonly sandbox: LoadedSandbox
  /** Secrets that are recognized only by their form are not masked. */
  readonly showsSecrets: boolean
  readonly env: Readonly<Record<string, string>>
}

/** Settings from the command line. */
export interface LoadOptions {
  /** The path of a settings file, or JSON. */
  readonly settings?: string | undefined
  readonly sandbox?: SandboxKeys | undefined
  readonly pluginDirs?: readonly string[] | undefined
  readonly modules?: readonly string[] | undefined
  /** Default: all. Managed policy always applies. */
  readonly sources?: readonly ('user' | 'project' | 'local')[] | undefined
}
