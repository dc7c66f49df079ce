import type { Stats } from 'node:fs'
import { extname, join, resolve, sep } from 'node:path'
import { kindOf, realPath } from '../../world/files/paths.ts'
import { globOf } from '../../util/names.ts'
import { scriptText } from './script-text.ts'
import { filesBelow, namesIn } from '../files/sources.ts'
import { isData, isRun, type CommandWord } from './word-roles.ts'

export interface ReferencedFiles {
  readonly files: ReadonlySet<string>
  readonly scripts: ReadonlySet<string>
  /** Run by programs that accept folders. */
  readonly folders: ReadonlySet<string>
}

const ENDINGS = ['js', 'json', 'node', 'cjs', 'mjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'py', 'pyc', 'rb', 'lua']
const MOST_LOOKS = 20_000
const MOST_FILES = 5_000
const LONGEST_PATH = 4096

/** `undefined`: too many to check. */
export function referencedFiles(
  words: readonly CommandWord[],
  pieces: readonly string[],
  root: string,
  { plugin, from }: { readonly plugin: string | undefined; readonly from?: string }
): ReferencedFiles | undefined {
  const search = new Search(root, plugin, from)
  const partsIn = (wanted: (word: CommandWord) => boolean): ReadonlySet<string> =>
    new Set(words.filter(wanted).flatMap(({ text }) => partsOf(text)))
  search.through(new Set([...partsIn(() => true), ...pieces.flatMap(partsOf)]))
  const run = partsIn(({ role }) => isRun(role))
  const isArgument = ({ role, of }: CommandWord): boolean =>
    role === 'said' && of !== undefined && search.isScript(of, file => !scriptText(file).runsArguments)
  for (const part of partsIn(word => word.role === 'kept' || isArgument(word)))
    if (!run.has(part))
      search.leave(
        part,
        words.some(({ text, role }) => role === 'kept' && text === part)
      )
  for (const part of partsIn(({ role }) => role === 'program')) search.runs(part, false)
  for (const part of partsIn(({ role }) => role === 'given')) search.runs(part, true)
  if (words.some(({ role }) => role === 'anything')) search.everything()
  return search.isOver ? undefined : search
}

/**
 * What a word may mean: all of it, the part after `=` or `:`, the part joined to an option. If it starts with something
 * that only a shell can evaluate, such as `$(git rev-parse --show-toplevel)`, the rest is a path from an unknown
 * folder.
 */
function partsOf(word: string): readonly string[] {
  if (word.length > LONGEST_PATH) return []
  const joined = /^-\w(.+)$/s.exec(word)?.[1]
  const bits = [word, ...word.split(/[=:,{}]/), ...(joined === undefined ? [] : [joined])]
  return bits
    .flatMap(bit => (/^[/$})\]~]/.test(bit) ? [bit, bit.replace(/^[^/]*\/+/, '')] : [bit]))
    .filter(bit => bit !== '' && !/^-|^\$[^/]*$/.test(bit))
}

class Search implements ReferencedFiles {
  readonly files = new Set<string>()
  readonly scripts = new Set<string>()
  readonly folders = new Set<string>()
  readonly #roots: readonly string[]
  readonly #bases: string[]
  /** Left out, but added again if run under another spelling of the name. */
  readonly #left = new Set<string>()
  #looks = 0

  constructor(root: string, plugin: string | undefined, from: string | undefined) {
    this.#roots = plugin === undefined ? [root] : [root, plugin]
    this.#bases = from === undefined ? [root] : [root, from]
  }

  get isOver(): boolean {
    return this.#looks > MOST_LOOKS
  }

  /** A command may change its folder: paths are resolved from each folder that it names, too. */
  through(parts: ReadonlySet<string>): void {
    let seen: Set<string> | undefined
    for (const base of this.#bases)
      for (const path of [...parts].flatMap(part => pathsTo(part, base))) {
        const kind = this.#look(path)
        if (this.isOver) return
        if (kind?.isFile() === true && this.#isWithin(path)) this.files.add(path)
        if (kind?.isDirectory() !== true || !this.#isNear(path)) continue
        seen ??= new Set(this.#bases.map(each => realPath(each)))
        const real = realPath(path)
        if (!seen.has(real)) this.#bases.push(path)
        seen.add(real)
      }
  }

  isScript(name: string, fits: (file: string) => boolean): boolean {
    const found = this.#bases.flatMap(base => partsOf(name).map(part => resolve(base, part)))
    return found.some(path => this.files.has(path)) && found.every(path => !this.files.has(path) || fits(path))
  }

  /** Files that are written, or are data, are not run. Code stays, unless it is `written`. */
  leave(name: string, written: boolean): void {
    for (const base of this.#bases) {
      const path = resolve(base, name)
      if ((written || !isCode(path)) && this.files.delete(path)) this.#left.add(path)
    }
  }

  /** For commands of which it is unknown what they run. */
  everything(): void {
    for (const root of this.#roots) {
      const all = filesBelow(root, MOST_FILES)
      if (all === undefined) this.#looks = Infinity
      for (const file of all ?? []) this.files.add(file)
    }
  }

  /** `given`: the program that runs it accepts folders and names without an ending, too. */
  runs(name: string, given: boolean): void {
    const glob = globIn(name)
    for (const base of this.#bases) {
      if (this.isOver) return
      if (glob.includes('*')) this.#matches(base, glob)
      else
        for (const path of pathsTo(name, base))
          if (this.files.has(path) || this.#left.has(path)) this.#add(path)
          else if (given) this.#addGiven(path)
    }
  }

  #addGiven(path: string): void {
    const kind = this.#look(path)
    if (kind?.isDirectory() === true) {
      if (this.#isWithin(join(path, 'x'))) this.folders.add(path)
    } else if (kind === undefined && this.#isWithin(path)) for (const ending of ENDINGS) this.#add(`${path}.${ending}`)
  }

  #matches(base: string, glob: string): void {
    let found = [glob.startsWith('/') ? '/' : base]
    for (const part of glob.split('/').filter(each => each !== '')) {
      const test = globOf(part)
      const next: string[] = []
      for (const folder of found) {
        const names = part.includes('*') ? (this.#isNear(folder) ? namesIn(folder, '').filter(test) : []) : [part]
        this.#looks += names.length + 1
        if (this.isOver) return
        next.push(...names.map(name => join(folder, name)))
      }
      found = next
    }
    for (const path of found) this.#add(path)
  }

  #add(path: string): void {
    if (!this.#isWithin(path) || this.#look(path)?.isFile() !== true) return
    this.files.add(path)
    this.scripts.add(path)
  }

  #look(path: string): Stats | undefined {
    this.#looks++
    return kindOf(path)
  }

  #isWithin(path: string): boolean {
    return this.#roots.some(root => isBelow(path, root))
  }

  #isNear(folder: string): boolean {
    return this.#roots.some(root => folder === root || isBelow(folder, root) || isBelow(root, folder))
  }
}

/** As written, and with links followed before `..`, as the system does. */
const pathsTo = (name: string, base: string): readonly string[] =>
  name.includes('..') ? [resolve(base, name), realPath(name, base)] : [resolve(base, name)]

/** `*` replaces what only a shell can compute. */
const globIn = (word: string): string =>
  word
    .replaceAll(/(?<!^)\$(?:\{[^}]*\}|\([^)]*\)|\w+)?/g, '*')
    .replaceAll(/\{[^{}]*(?:,|\.\.)[^{}]*\}|\[[^\]]+\]|\?/g, '*')

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** By its ending, or by its executable bit. A file without an ending may be anything. */
export const isCode = (path: string): boolean =>
  !isData(path) && (extname(path) !== '' || ((kindOf(path)?.mode ?? 0) & 0o111) !== 0)

export const isEntry = (name: string): boolean => /^(?:index\.\w+|__(?:main|init)__\.pyc?|package\.json)$/.test(name)
