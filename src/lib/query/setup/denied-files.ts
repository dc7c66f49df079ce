import { fault } from '../../faults.ts'
import { searchStarts } from '../../permissions/ruled-files.ts'
import { pathOf, patternOf, type RulePlaces } from '../../permissions/path-pattern.ts'
import { FileFinder, linkAt } from '../../world/files/file-finder.ts'
import { isThere, isWithin, realPath } from '../../world/files/paths.ts'

const MOST_FILES = 50_000

/** Finds the files that rules deny, by the patterns of these rules. */
export class DeniedFiles {
  readonly #places: RulePlaces
  readonly #all = new FileFinder(() => true, true)
  #key: string | undefined
  #finder = this.#all

  constructor(places: RulePlaces) {
    this.#places = places
  }

  /** Real paths. What is in a folder that was found is not listed. */
  find(specifiers: readonly string[]): readonly string[] {
    const { roots } = this.#places
    const patterns = specifiers.map(each => patternOf(each, this.#places, true))
    if (specifiers.join('\0') !== this.#key)
      this.#finder = new FileFinder(path => patterns.some(({ fitsLoosely }) => fitsLoosely(pathOf(path))), false)
    this.#key = specifiers.join('\0')
    const { found, whole } = this.#finder.find(searchStarts(patterns, this.#places).filter(isThere))
    if (!whole) throw notAll()
    const real = found.map(({ path }) => realPath(path)).filter(isThere)
    // A link to a folder above must not hide the project.
    return this.#withLinks(real.filter(path => !roots.some(root => isWithin(root, path))))
  }

  /** Other names of the same files. */
  #withLinks(paths: readonly string[]): readonly string[] {
    const denied = this.#all.find(paths, MOST_FILES)
    const linked = new Set(denied.found.flatMap(({ path }) => linkAt(path) ?? []))
    const all = linked.size === 0 ? denied : this.#all.find(this.#places.roots, MOST_FILES)
    if (!denied.whole || !all.whole) throw notAll()
    const others = all.found.filter(({ id }) => id !== undefined && linked.has(id))
    return [...new Set([...paths, ...others.map(({ path }) => path)])]
  }
}

const notAll = (): Error =>
  fault(
    'E_SANDBOX',
    'not all files that rules deny can be found: there are too many files, so name the folders that they are in; or a name is not valid UTF-8, so rename that file or folder'
  )
