import type { Subject } from '../message.ts'
import type { PlainObject } from '../util/plain.ts'
import type { RepositoryFacts } from '../world/files/repository.ts'
import type { Mode } from './modes.ts'
import type { RuledFiles, RulePlaces } from './path-pattern.ts'

export type Behavior = 'allow' | 'ask' | 'deny'

export interface Rule {
  readonly behavior: Behavior
  readonly tool: string
  readonly specifier?: string | undefined
  /** Where it was written: `file:line`, `session`, `cli`. */
  readonly source: string
  readonly text: string
  /** It came with the project: it does not lift the protection of paths. */
  readonly ofProject?: boolean | undefined
  /** Its commands run in the sandbox, or outside of it. */
  readonly sandbox?: boolean | undefined
}

/** Where a call is made, and how its paths are resolved. Without it, paths are taken as written. */
export interface PathLookup {
  /** The working folder, if known; else the project's root. */
  readonly cwd?: string | undefined
  /** Resolves a path for a process in this folder. */
  readonly real?: ((path: string, cwd: string) => { readonly path: string; readonly sure: boolean }) | undefined
  readonly has?: ((path: string) => boolean) | undefined
  /** The names in a folder; none if there is no such folder. */
  readonly list?: ((folder: string) => readonly string[]) | undefined
  /** The folders in which commands find programs, as in `PATH`. */
  readonly searchPath?: string | undefined
  /** What the repository of a folder makes git run. */
  readonly repository?: ((folder: string) => RepositoryFacts) | undefined
  readonly ruled?: RuledFiles | undefined
}

export interface CallFacts extends PathLookup {
  readonly tool: string
  readonly input: PlainObject
  readonly subject: Subject | undefined
  /** It changes nothing: known for built-in tools and the caller's tools, never for those of external servers. */
  readonly readOnly: boolean
  /** Why a person has to be asked about it, whatever allows it. */
  readonly doubt?: string | undefined
}

export interface Policy extends RulePlaces {
  readonly rules: readonly Rule[]
  readonly mode: Mode
  readonly hook?: HookWord | undefined
  /** Commands run in a sandbox, and need no question because of that. */
  readonly autoAllow?: boolean | undefined
  /** Further folders that may be written only with a user rule that names them: our own, and managed ones. */
  readonly own?: readonly string[] | undefined
}

export interface HookWord {
  readonly decision: Behavior
  readonly by: string
  readonly reason?: string | undefined
}

/** Whether it may run. `by` names the rule, mode, hook or person that decided; `reason` is a sentence. */
export interface Ruling {
  readonly decision: Behavior
  readonly by: string
  /** `asked`: a person or a hook was asked; `default`: no rule decides, or there was no one to ask. */
  readonly kind: 'rule' | 'mode' | 'hook' | 'safety' | 'asked' | 'default'
  readonly reason: string | undefined
  readonly askedBy?: string | undefined
  /** A yes to this question counts for the same input until the session ends. */
  readonly once?: boolean | undefined
  readonly ofProject?: boolean
}
