import { resolve } from 'node:path'
import { commandsHeldBy, wordsOfKnown, type HeldCommand } from '../shell/nested-commands.ts'
import { programName } from '../shell/programs.ts'
import { formOf } from '../shell/read-form.ts'
import { programRow } from '../shell/row.ts'
import type { CommandStep, Folders, WalkedText, Walker } from '../shell/walk.ts'
import { isWithin, repositoryTop } from '../world/files/paths.ts'
import { copiedBy, foundBy, isWidePathspec, Looking, oncePerCall, walkFrom } from './named-paths.ts'
import type { PathLookup } from './policy.ts'

/** The paths that a command is known to read and to write, and the folders that it searches. */
export interface UsedPaths {
  readonly reads: ReadonlySet<string>
  readonly writes: ReadonlySet<string>
  readonly searched: ReadonlySet<string>
  /** Folders in which it may write files that it does not name. */
  readonly swept: ReadonlySet<string>
  /** It uses no others. */
  readonly whole: boolean
}

export const pathsUsedBy = oncePerCall((command, places, ground): UsedPaths => {
  const { walker, walked } = walkFrom(command, places, ground)
  const use = new Use(ground)
  use.text(walked)
  if (!use.whole) use.held(command, walker)
  const { reads, writes, searched, swept, whole } = use
  return { reads: reads.paths, writes: writes.paths, searched: searched.paths, swept: swept.paths, whole }
})

const MOST_HELD = 500

class Use {
  readonly reads: Looking
  readonly writes: Looking
  readonly searched: Looking
  readonly swept: Looking
  whole = true
  readonly #ground: PathLookup

  constructor(ground: PathLookup) {
    this.#ground = ground
    this.reads = new Looking(ground)
    this.writes = new Looking(ground)
    this.searched = new Looking(ground)
    this.swept = new Looking(ground)
  }

  text({ isFlat, steps }: WalkedText): void {
    if (!isFlat) this.whole = false
    for (const step of steps) this.#step(step)
  }

  /** What is run by something else, such as `sudo cat a` or `eval 'cat a'`; of what may be run, what it searches. */
  held(command: string, walker: Walker): void {
    const { commands, texts } = commandsHeldBy(command)
    for (const text of texts) this.text(walker.text(text, 1))
    for (const { words, start, sure } of commands.filter(isInner).slice(0, MOST_HELD)) {
      const { folders } = walker
      const known = wordsOfKnown(words.slice(start))
      const step = walker.command(known, 1)
      // What xargs reads becomes words of its command.
      const isOpen = words.slice(0, start).some(word => programName(word ?? '') === 'xargs')
      const { row = '', reads } = formOf(isOpen ? [...known, READ] : known)
      if (reads.includes(READ.text) && !TELLS_NO_CONTENT.has(row)) this.#at(this.searched, '.', folders)
      if (sure) this.#step(step)
      else {
        walker.folders = folders
        this.#search(step)
      }
    }
  }

  #step(step: CommandStep): void {
    const { leaf, form, isByPath, folders, inner, texts } = step
    if (leaf.assignments.length > 0) this.whole = false
    for (const { kind, target } of leaf.redirections) {
      if (kind === 'nowhere' || kind === 'text') continue
      if (!target.known) this.whole = false
      else this.#at(kind === 'read' ? this.reads : this.writes, target.text, folders)
    }
    if (leaf.words.length === 0) return
    const { does, isKnown, reads, writes, fills, follows, repository, patterns } = form
    if (isByPath || !isKnown || does === 'runs' || patterns.length > 0) this.whole = false
    const { has } = this.#ground
    const tops = repository && has ? (folders ?? []).map(folder => repositoryTop(folder, has)) : []
    const isOutside = (path: string): boolean =>
      tops.some((top, at) => top === undefined || !isWithin(resolve(folders?.[at] ?? top, path), top))
    for (const path of new Set(reads)) {
      this.#at(this.reads, path, folders)
      for (const top of tops) if (top !== undefined) this.reads.at(path, top)
      if (isWidePathspec(path)) this.whole = false
    }
    const copied = folders?.flatMap(folder => copiedBy(form, folder, this.#ground)) ?? []
    for (const path of [...writes, ...copied]) this.#at(this.writes, path, folders)
    // What code of the project writes, such as `prettier --check .`, is not known by its words.
    if (does !== 'runs')
      for (const path of [...writes, ...fills].map(folderOfPattern)) this.#at(this.swept, path, folders)
    // Outside of a repository, git compares and searches any files.
    if (reads.some(isOutside)) for (const path of reads) this.#at(this.searched, path, folders)
    for (const path of patterns.flatMap(
      each => folders?.flatMap(folder => foundBy(each, folder, this.#ground).paths) ?? []
    ))
      this.#at(does === 'changes' ? this.writes : this.reads, path, folders)
    this.#search(step)
    if (follows) this.#at(this.searched, '/', folders)
    for (const each of inner) this.#step(each)
    for (const each of texts) this.text(each)
  }

  #search({ form: { deep, reads }, folders }: CommandStep): void {
    if (deep) for (const path of reads.length === 0 ? ['.'] : reads) this.#at(this.searched, path, folders)
  }

  #at(looking: Looking, path: string, folders: Folders): void {
    if (folders === undefined) this.whole = false
    for (const folder of folders ?? []) looking.at(path, folder)
  }
}

const READ = { text: './read', known: true }

const TELLS_NO_CONTENT = new Set(['du', 'file', 'ls', 'stat', 'wc'])

/** Words in front of a command that others run. */
const MOST_BEFORE = 100

const isInner = ({ words, start }: HeldCommand): boolean =>
  start > 0 && start < MOST_BEFORE && programRow(programName(words[start] ?? '')) !== undefined

/** Of what git takes for a pattern, the folder. */
const folderOfPattern = (path: string): string =>
  /[*?[]/.test(path) ? path.replace(/[^/]*[*?[].*$/s, '') || '.' : path
