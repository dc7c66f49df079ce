import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Form } from '../shell/form.ts'
import { isProgramOf } from '../shell/programs.ts'
import { isOfSystem } from '../shell/row.ts'
import type { Folders } from '../shell/walk.ts'
import { FILE_READERS, FILE_WRITERS } from '../tool-table.ts'
import { pathGlob } from '../util/path-glob.ts'
import { isWithin, pathFrom, repositoryTop } from '../world/files/paths.ts'
import type { RepositoryFacts } from '../world/files/repository.ts'
import { copiedBy, foundBy, wayTo } from './named-paths.ts'
import { pathOf, patternOf } from './path-pattern.ts'
import type { CallFacts, Policy } from './policy.ts'
import { isPrivate, isProtectedFolder } from './protected-paths.ts'

/** What known programs start, and find in `PATH`. */
const STARTED =
  'basename bash bzip2 cat compress expr git gpg grep gzip less lzip lzma lzop perl sed sh ssh tr uname xz zstd'.split(
    ' '
  )

/** The folders in which a command may run: what must be true for its form to be harmless, must be true in each. */
export class CommandPlace {
  readonly #folders: readonly string[]
  readonly #call: CallFacts
  readonly #policy: Policy

  constructor(folders: Folders, call: CallFacts, policy: Policy) {
    this.#folders = folders ?? []
    this.#call = call
    this.#policy = policy
  }

  isInside(path: string): boolean {
    const ways = this.#folders.map(folder => wayTo(path, folder, this.#call))
    return ways.length > 0 && ways.every(way => way.sure && this.#isOurs(way.path))
  }

  #isOurs(path: string): boolean {
    return this.#policy.roots.some(root => isWithin(path, root))
  }

  #real(path: string): readonly string[] {
    return this.#folders.map(folder => wayTo(path, folder, this.#call).path)
  }

  isFolder(path: string): boolean {
    return this.#real(path).some(each => this.#call.has?.(`${each}/.`) === true)
  }

  /** Git finds its repository right here, and not one that a command before has completed. */
  get isTop(): boolean {
    const { has } = this.#call
    return has === undefined || this.#folders.every(folder => has(join(folder, '.git')))
  }

  /** The repository of the project, and no `cd` before but to its top. Without one, git compares and searches any files. */
  get #isOwnRepository(): boolean {
    const { has, cwd } = this.#call
    const [root = '/'] = this.#policy.roots
    if (has === undefined) return true
    const top = repositoryTop(root, has)
    const isOwn = (folder: string): boolean =>
      (folder === top || folder === (cwd ?? root)) && repositoryTop(folder, has) === top
    return top !== undefined && this.#folders.every(isOwn)
  }

  get #repositories(): readonly RepositoryFacts[] {
    const { repository } = this.#call
    return repository === undefined ? [] : this.#folders.map(folder => repository(folder))
  }

  /** Why reading these files needs a rule. `isCovered`: one allows the program. */
  readProblem(paths: readonly string[], isCovered = false): string | undefined {
    const outside = paths.find(path => !this.isInside(path))
    if (outside !== undefined) return `${outside} is not in the project`
    if (isCovered) return undefined
    const hidden = paths.find(path => this.#real(path).some(each => isPrivate(each, this.#policy, this.#call)))
    return hidden === undefined ? undefined : `${hidden} may hold credentials or control the agent`
  }

  /** A search for files by a name, such as `-name .env` and `--include=.env`. */
  secretIn(words: readonly string[]): string | undefined {
    const names = words.map(word => word.replace(/^--[\w-]+=/, ''))
    const found = names.find(name => isPrivate(`/${name}`, this.#policy, this.#call))
    return found && `${found} may hold credentials or control the agent`
  }

  /** What it copies by patterns is there afterwards. */
  copied(form: Form): readonly string[] {
    return this.#folders.flatMap(folder => copiedBy(form, folder, this.#call))
  }

  /** Why what it runs may be other code: the program itself looks for a file in a folder, or with a longer name. */
  scriptProblem(scripts: readonly string[]): string | undefined {
    const { has } = this.#call
    const odd = scripts.find(path => this.isFolder(path) || (has && !this.#real(path).every(has)))
    return odd && `${odd} is not a file`
  }

  /** Why a program may be one that is downloaded, of whatever package has its name. */
  binProblem(bins: readonly string[]): string | undefined {
    const { has } = this.#call
    const isInstalled = (folder: string, name: string): boolean =>
      has?.(join(folder, 'node_modules/.bin', name)) !== false ||
      (folder !== dirname(folder) && isInstalled(dirname(folder), name))
    const odd = bins.find(name => !this.#folders.every(folder => isInstalled(folder, name)))
    return odd && `${odd} is not installed, and only a rule that contains it covers it`
  }

  /** Why files that it does not name need a prompt: they may control the agent or run later. */
  fillProblem(folders: readonly string[], merged: readonly string[]): string | undefined {
    const { roots } = this.#policy
    const isSpecial = (path: string): boolean =>
      roots.some(root => pathFrom(root, path)?.split('/').some(isProtectedFolder) === true)
    // Files with names that have an effect are looked for there.
    const isSensitive = (folder: string): boolean =>
      roots.some(root => isWithin(root, folder)) || this.#call.has?.(join(folder, '.git')) === true
    const filled =
      folders.find(folder => this.#real(folder).some(isSensitive)) ??
      merged.find(path => this.#real(path).some(isSpecial))
    if (filled !== undefined) return `what it writes in ${filled} may control the agent or run later`
    const through = merged.find(path => this.isFolder(path))
    return through && `links in ${through} may lead out of the project`
  }

  /** What git would run besides itself. */
  repositoryProblem(fact: 'program' | 'driver' | 'hook', remotes: readonly string[]): string | undefined {
    if (fact === 'program' && !this.#isOwnRepository) return 'git does not run in the repository of the project'
    const facts = this.#repositories
    const program = facts.find(each => each[fact])?.[fact]
    if (program !== undefined) return `git would run ${program}`
    return facts.flatMap(each => remotes.map(remote => each.remoteProblem(remote))).find(each => each !== undefined)
  }

  /** What git would run once its index has changed, and if `isWritten` also its files. */
  changeProblem(fact: 'driver' | 'hook', isWritten: boolean): string | undefined {
    const problems = this.#repositories.map(
      each => (isWritten ? each.hookFolder : undefined) ?? each.nestedProblem(fact)
    )
    const problem = problems.find(each => each !== undefined)
    return problem && `git would run ${problem}`
  }

  /** What a pattern finds must be in the project, and in no folder that a rule about files names. */
  patternProblem(patterns: readonly string[]): string | undefined {
    const folderOf = (pattern: string): string => pattern.slice(0, pattern.search(/[*?[]/)).replace(/[^/]*$/, '') || '.'
    const found = patterns.find(pattern => {
      // Some shells find `..` with `.*`.
      const parts = pattern.split('/')
      const isUp = (part: string): boolean => part === '..' || (/^\.\.?[*?[]/.test(part) && pathGlob(part)(['..']))
      if (parts.slice(parts.findIndex(part => /[*?[]/.test(part))).some(isUp) || !this.isInside(folderOf(pattern)))
        return true
      const isKnown = this.#folders
        .map(folder => foundBy(pattern, folder, this.#call))
        .every(({ paths, sure }) => sure && paths.every(path => this.isInside(path)))
      if (pattern.includes('[') || (this.#call.list && !isKnown)) return true
      const folders = this.#real(folderOf(pattern)).map(pathOf)
      return this.#policy.rules.some(({ behavior, tool, specifier }) => {
        if (behavior === 'allow' || specifier === undefined || !(FILE_READERS.has(tool) || FILE_WRITERS.has(tool)))
          return false
        const { fits, isBelow } = patternOf(specifier, this.#policy, true)
        return folders.some(folder => fits(folder) || isBelow(folder, this.#call.ruled))
      })
    })
    return found && `what ${found} finds may not be in the project, or in a folder that a rule names`
  }

  /**
   * A program of the project that `PATH` puts in the place of one of the system, or of one that such a program starts:
   * nothing is known about it. `isInner`: another program starts it, and no shell.
   */
  planted(name: string, { row, does }: Form, isInner: boolean): string | undefined {
    const { searchPath = '', has } = this.#call
    if (does === 'runs' || !(does === 'wraps' || isOfSystem(row)) || name.includes('/')) return undefined
    if (!isInner && isProgramOf('builtIn', name)) return undefined
    const own = searchPath
      .split(delimiter)
      .filter(entry => !isAbsolute(entry) || this.#isOurs(wayTo(entry, '/', this.#call).path))
      .flatMap(entry => this.#folders.flatMap(folder => [name, ...STARTED].map(each => resolve(folder, entry, each))))
      .find(path => has?.(path) === true)
    return own && `PATH leads to ${own}, which is not the usual ${basename(own)}`
  }
}
