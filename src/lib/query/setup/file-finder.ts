import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fault } from '../../faults.ts'
import { literalNames, pathOf, patternOf, type RulePlaces } from '../../permissions/path-pattern.ts'
import { attempt } from '../../util/attempt.ts'
import { collect } from '../../world/files/hard-links.ts'
import { isFolder, isThere, isWithin, realPath } from '../../world/files/paths.ts'

const MOST_FOLDERS = 100_000
/** In milliseconds. */
const SETTLED = 100

interface SearchedFolder {
  readonly mark: string
  readonly found: readonly string[]
  readonly folders: readonly string[]
}

/** Finds files by the patterns of rules. Folders that have not changed since the last time are not read again. */
export class FileFinder {
  readonly #places: RulePlaces
  #key = ''
  #searched = new Map<string, SearchedFolder>()

  constructor(places: RulePlaces) {
    this.#places = places
  }

  /** Real paths. What is in a folder that was found is not listed. */
  find(specifiers: readonly string[]): readonly string[] {
    if (specifiers.join('\0') !== this.#key) this.#searched.clear()
    this.#key = specifiers.join('\0')
    const patterns = specifiers.map(each => patternOf(each, this.#places, true))
    const fits = (path: string): boolean => patterns.some(pattern => pattern.fitsLoosely(pathOf(path)))
    const { roots } = this.#places
    const starts = patterns
      .flatMap(({ globs }) => globs.map(glob => literalNames(glob).literal))
      .flatMap(names => (names.length === 0 ? roots : [`/${names.join('/')}`]))
      .filter(isThere)
    const found = new Set(starts.filter(fits))
    const folders = new Set(starts.filter(path => !found.has(path) && isFolder(path)))
    for (const folder of folders) {
      const searched = this.#search(folder, fits)
      for (const path of searched.found) found.add(path)
      for (const path of searched.folders) folders.add(path)
      if (folders.size > MOST_FOLDERS) throw tooMany()
    }
    const real = [...found].map(path => realPath(path)).filter(isThere)
    // A link to a folder above must not hide the project.
    return this.#withLinks(real.filter(path => !roots.some(root => isWithin(root, path))))
  }

  #search(folder: string, fits: (path: string) => boolean): SearchedFolder {
    const stat = attempt(() => lstatSync(folder))
    const mark = `${stat?.ino} ${stat?.mtimeMs} ${stat?.ctimeMs}`
    const known = this.#searched.get(folder)
    if (known?.mark === mark) return known
    const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
    const all = entries.map(entry => ({ path: join(folder, entry.name), isOpen: entry.isDirectory() }))
    const found = all.filter(({ path }) => fits(path)).map(({ path }) => path)
    const folders = all.filter(({ path, isOpen }) => isOpen && !found.includes(path)).map(({ path }) => path)
    // Times are exact to some milliseconds: what changes at once again would not be noticed.
    if (Date.now() - (stat?.mtimeMs ?? Infinity) > SETTLED) this.#searched.set(folder, { mark, found, folders })
    return { mark, found, folders }
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
