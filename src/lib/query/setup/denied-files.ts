import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { fault } from '../../faults.ts'
import { literalNames, pathOf, patternOf, type RulePlaces } from '../../permissions/path-pattern.ts'
import type { Rule } from '../../permissions/policy.ts'
import { attempt } from '../../util/attempt.ts'
import { collect } from '../../world/files/hard-links.ts'
import { isFolder, isThere, isWithin, realPath } from '../../world/files/paths.ts'

const MOST_FOLDERS = 100_000

/** Finds the files that rules deny. Folders that have not changed since the last time are not read again. */
export class DeniedFiles {
  readonly #places: RulePlaces
  readonly #rules: () => readonly Rule[]
  readonly #read = new Map<string, { readonly mark: string; readonly entries: readonly Dirent[] }>()

  constructor(places: RulePlaces, rules: () => readonly Rule[]) {
    this.#places = places
    this.#rules = rules
  }

  /** Real paths: those that rules deny to these tools, and those that settings of the sandbox name. */
  find(tools: readonly string[], named: readonly string[]): readonly string[] {
    const ofRules = this.#rules().flatMap(({ behavior, tool, specifier }) =>
      behavior === 'deny' && tools.includes(tool) && specifier !== undefined ? [specifier] : []
    )
    const patterns = [...ofRules, ...named.map(asSpecifier)].map(each => patternOf(each, this.#places, true))
    const { roots } = this.#places
    const bases = patterns.flatMap(({ globs }) => globs.map(glob => literalNames(glob).literal))
    const starts = bases.flatMap(names => (names.length === 0 ? roots : [`/${names.join('/')}`]))
    const found = new Set<string>()
    const folders = new Set<string>()
    const look = (path: string, isDirectory: boolean): void => {
      if (patterns.some(pattern => pattern.fitsLoosely(pathOf(path)))) found.add(realPath(path))
      else if (isDirectory) folders.add(path)
    }
    for (const start of new Set(starts)) if (isThere(start)) look(start, isFolder(start))
    for (const folder of folders) {
      for (const entry of this.#entriesOf(folder)) look(join(folder, entry.name), entry.isDirectory())
      if (folders.size > MOST_FOLDERS) throw tooMany()
    }
    // A link to a folder above must not hide the project.
    return this.#withLinks([...found].filter(path => isThere(path) && !roots.some(root => isWithin(root, path))))
  }

  #entriesOf(folder: string): readonly Dirent[] {
    const stat = attempt(() => lstatSync(folder))
    const mark = `${stat?.ino} ${stat?.mtimeMs} ${stat?.ctimeMs}`
    const known = this.#read.get(folder)
    if (known?.mark === mark) return known.entries
    const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
    this.#read.set(folder, { mark, entries })
    return entries
  }

  /** Other names of the same files. */
  #withLinks(paths: readonly string[]): readonly string[] {
    const linked = collect(paths, () => true)
    const all = linked.names.size === 0 ? linked : collect(this.#places.roots, () => true)
    if (!linked.whole || !all.whole) throw tooMany()
    return [...paths, ...[...linked.names.keys()].flatMap(id => all.names.get(id) ?? [])]
  }
}

const tooMany = (): Error =>
  fault('E_SANDBOX', 'there are too many files to find all that rules deny; name the folders that they are in')

/** Paths of the sandbox settings are those of the file system; `/x` in a rule is in the project. */
const asSpecifier = (path: string): string =>
  path.startsWith('/') ? `/${path}` : path.startsWith('~') || path.startsWith('**/') ? path : `./${path}`
