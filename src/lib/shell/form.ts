import type { ShellWord } from './parse.ts'
import type { ProgramRow } from './row.ts'

interface Doubt {
  readonly why: string
  /** A rule that writes out this many words lifts it: they were read by a person. */
  readonly until: number
  /** It may start another program. */
  readonly isOpaque: boolean
}

const PATHS = ['reads', 'writes', 'inside', 'scripts', 'fills', 'merges', 'copies', 'patterns'] as const
const LISTS = [...PATHS, 'bins', 'commands', 'remotes', 'urls'] as const

/** What a program does with these words. */
export class Form {
  /** What its row says; `asks`: nothing is known. */
  does: ProgramRow['does'] = 'asks'
  row: string | undefined
  /** Why it is not known to be harmless. */
  readonly doubts: Doubt[] = []
  readonly reads: string[] = []
  readonly writes: string[] = []
  /** They must lead into the project: scripts that it runs, folders that it fills. */
  readonly inside: string[] = []
  /** Those of `inside` that must be files, and not only complete to one. */
  readonly scripts: string[] = []
  /** Folders in which it writes files that the command does not name: what an archive or another folder holds. */
  readonly fills: string[] = []
  /** If these are folders, it writes through links that are in them. */
  readonly merges: string[] = []
  /** What a pattern finds is put into the target, each with its name. */
  readonly copies: { readonly pattern: string; readonly target: string }[] = []
  /** Commands that it runs. */
  readonly commands: (readonly ShellWord[])[] = []
  /** Remote repositories; empty: the usual one. */
  readonly remotes: string[] = []
  readonly urls: string[] = []
  /** Programs of packages, which are downloaded if they are not installed. */
  readonly bins: string[] = []
  /** Words that the shell replaces by names of files, none of which can be an option. */
  readonly patterns: string[] = []
  /** A text in a language of its own, which needs a rule. */
  wide: string | undefined
  deep = false
  /** It follows links that it finds, which may lead anywhere. */
  follows = false
  /** Given a folder, it reads the files in it, also through links. */
  enters = false
  /** It may create links: where paths lead afterwards is not known. */
  plants = false
  /** Git may then start in repositories that are in the project, and that the index does not name yet. */
  findsRepositories = false
  /** What must be true of the repository. */
  repository: 'config' | 'hooks' | undefined

  /** `until`: how many words a rule has to write out. `isOpaque` is false where it only writes a file. */
  add(why: string, until = Infinity, isOpaque = true): void {
    this.doubts.push({ why, until, isOpaque })
  }

  /** The first doubt that a rule with this many words of the command does not lift. */
  doubt(literal = 0): string | undefined {
    return this.doubts.find(({ until }) => until > literal)?.why
  }

  get isKnown(): boolean {
    return this.doubts.length === 0
  }

  /** It may start another program, and this form is not known to start none. */
  get isOpaque(): boolean {
    return this.doubts.some(({ isOpaque }) => isOpaque)
  }

  include(inner: Form): void {
    for (const list of LISTS) (this[list] as unknown[]).push(...inner[list])
    this.wide ??= inner.wide
    this.deep ||= inner.deep
    this.follows ||= inner.follows
    this.enters ||= inner.enters
    this.plants ||= inner.plants
    this.findsRepositories ||= inner.findsRepositories
  }
}
