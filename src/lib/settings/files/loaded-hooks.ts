import type { Profile } from '../../hooks/dialect.ts'
import type { Plugin } from '../../hooks/kinds/paths.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { Document } from './document.ts'
import type { Finding, Place } from './finding.ts'
import type { Declared } from './shapes.ts'
import type { Scope, Source } from './sources.ts'

/** A hook that was found in a file. */
export interface LoadedHook extends Declared {
  readonly scope: Scope
  readonly place: Place
  /** Where one of its keys stands. */
  readonly placeOf: (key: string) => Place
  readonly plugin: (Plugin & { readonly name: string; readonly managed: boolean }) | undefined
  /** The skill or subagent that it belongs to; it is in force only while that is. */
  readonly owner: string | undefined
  /** It came with the project: in force only when that is trusted. */
  readonly ofProject: boolean
  /** The user's hook of its name, whose place it takes while it is in force. */
  readonly replaces: LoadedHook | undefined
}

export interface EnabledPlugin extends Plugin {
  /** What comes with it is called after it: `name:skill`. */
  readonly name: string
  /** The name under which it was enabled, such as `name@marketplace`; or its folder. */
  readonly id: string
  /** Managed policy has enabled it. */
  readonly managed: boolean
  /** The project has: it counts only when that is trusted. */
  readonly ofProject: boolean
}

/** A skill, a slash command or a subagent: what stands in its file is read when it is wanted. */
export interface LoadedOwner {
  readonly kind: 'skill' | 'command' | 'agent'
  readonly name: string
  readonly file: string
  /** The settings at the top of its file. */
  readonly document: Document | undefined
  readonly plugin: EnabledPlugin | undefined
  readonly ofProject: boolean
}

/** What a skill or a slash command may do without a question while it is active. */
export interface LoadedGrant {
  readonly owner: string
  readonly rule: string
  readonly place: Place
  readonly ofProject: boolean
}

/** A permission rule that was found in a file. */
export interface LoadedRule {
  readonly behaviour: 'allow' | 'deny' | 'ask'
  readonly rule: string
  readonly scope: Scope
  readonly place: Place
}

/** A module of hooks that a file names. */
export interface LoadedModule {
  readonly file: string
  readonly scope: Scope
  readonly place: Place
  readonly ofProject: boolean
}

/** An MCP server that `.mcp.json` of a project names. */
export interface LoadedServer {
  readonly name: string
  /** What is said about it, as it stands there. */
  readonly spec: Readonly<PlainObject>
  readonly place: Place
}

/** What managed policy fixes, so that nobody else can loosen it. */
export interface Locks {
  readonly profile: Profile | undefined
  /** Trust is given by digest only, never by a flag for one run. */
  readonly trustByDigest: boolean
  readonly noBypass: boolean
  readonly managedHooksOnly: boolean
  readonly pluginHooksOnly: boolean
}

/** All that the settings in force here say. */
export interface Loaded {
  readonly root: string
  readonly files: readonly Source[]
  /** The files that might, and the folders of such files. */
  readonly watched: readonly string[]
  readonly hooks: readonly LoadedHook[]
  readonly rules: readonly LoadedRule[]
  readonly modules: readonly LoadedModule[]
  readonly servers: readonly LoadedServer[]
  /** The plugins that are enabled, each under a name of its own. */
  readonly plugins: readonly EnabledPlugin[]
  /** Of two of one kind and name the later counts. */
  readonly owners: readonly LoadedOwner[]
  readonly grants: readonly LoadedGrant[]
  readonly findings: readonly Finding[]
  readonly locks: Locks
  readonly profile: Profile | undefined
  /** Whose hooks are switched off. */
  readonly disabled: ReadonlySet<Scope>
  readonly allowedUrls: readonly string[] | undefined
  readonly allowedEnvVars: readonly string[] | undefined
  /** The permission mode to begin with. */
  readonly mode: string | undefined
  /** The one that managed policy has chosen: nobody begins with one that lets more pass. */
  readonly managedMode: string | undefined
  /** Further folders that belong to the work. */
  readonly directories: readonly string[]
  /** Variables for commands and hooks. */
  readonly env: Readonly<Record<string, string>>
}

/** What is added on the command line. */
export interface LoadOptions {
  /** A file of settings, or the JSON itself. */
  readonly settings?: string | undefined
  readonly pluginDirs?: readonly string[] | undefined
  readonly modules?: readonly string[] | undefined
  /** Which of user, project and local count. Default: all. Managed policy always does. */
  readonly sources?: readonly ('user' | 'project' | 'local')[] | undefined
}
