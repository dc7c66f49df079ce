import { lstatSync, readdirSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { isFolder, isThere, REPLACEMENT } from './paths.ts'

const MOST_FOLDERS = 100_000
/** In milliseconds. */
const SETTLED = 100

interface FoundFile {
  readonly path: string
  /** `DEV:INO` of an ordinary file: the same for all its names. */
  readonly id: string | undefined
  /** Neither a file nor a folder. */
  readonly isLink: boolean
}

type Entry = Pick<FoundFile, 'path' | 'isLink'> & { readonly isOpen: boolean }

interface Listing {
  readonly found: readonly FoundFile[]
  readonly folders: readonly string[]
  readonly files: number
  /** What was found, and the folders, can be opened by their names. */
  readonly isNamed: boolean
}

/** Finds files by their paths. Folders that have not changed since the last time are not read again. */
export class FileFinder {
  readonly #isWanted: (path: string, isLink: boolean) => boolean
  readonly #searchesFound: boolean
  readonly #listings = new Map<string, Listing & { readonly mark: string }>()

  /** `searchesFound`: whether a folder is also searched if it is wanted itself. */
  constructor(isWanted: (path: string, isLink: boolean) => boolean, searchesFound: boolean) {
    this.#isWanted = isWanted
    this.#searchesFound = searchesFound
  }

  /** `whole` is false if there are more than `most` files, too many folders, or names that are not known, or not valid UTF-8. */
  find(starts: readonly string[], most = Infinity): { readonly found: readonly FoundFile[]; readonly whole: boolean } {
    const first = this.#sort(starts.map(path => ({ path, isOpen: isFolder(path), isLink: false })))
    const found = [...first.found]
    const folders = new Set(first.folders)
    let files = 0
    for (const folder of folders) {
      const listing = this.#list(folder)
      for (const each of listing.found) found.push(each)
      for (const each of listing.folders) folders.add(each)
      files += listing.files
      if (files > most || folders.size > MOST_FOLDERS || !listing.isNamed) return { found, whole: false }
    }
    return { found, whole: true }
  }

  #list(folder: string): Listing {
    const stat = attempt(() => lstatSync(folder))
    const mark = `${stat?.ino} ${stat?.mtimeMs} ${stat?.ctimeMs}`
    const known = this.#listings.get(folder)
    if (known?.mark === mark) return known
    const entries = attempt(() => readdirSync(folder, { withFileTypes: true }))
    const sorted = this.#sort(
      (entries ?? []).map(each => ({
        path: join(folder, each.name),
        isOpen: each.isDirectory(),
        isLink: !each.isFile() && !each.isDirectory()
      }))
    )
    // Where names cannot be listed, files may still be opened by them.
    const listing = { ...sorted, isNamed: sorted.isNamed && (entries !== undefined || !isThere(`${folder}/.`)) }
    // Times are exact to some milliseconds: what changes at once again would not be noticed.
    if (Date.now() - (stat?.mtimeMs ?? Infinity) > SETTLED) this.#listings.set(folder, { ...listing, mark })
    return listing
  }

  #sort(entries: readonly Entry[]): Listing {
    const wanted = entries.filter(({ path, isLink }) => this.#isWanted(path, isLink))
    const folders = entries.filter(each => each.isOpen && (this.#searchesFound || !wanted.includes(each)))
    return {
      found: wanted.map(({ path, isOpen, isLink }) => ({
        path,
        isLink,
        id: isOpen ? undefined : idOf(fileStat(path))
      })),
      folders: folders.map(({ path }) => path),
      files: entries.length - folders.length,
      isNamed: ![...wanted, ...folders].some(({ path }) => path.includes(REPLACEMENT))
    }
  }
}

const fileStat = (path: string): BigIntStats | undefined => {
  const stat = attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  return stat?.isFile() === true ? stat : undefined
}

const idOf = (stat: BigIntStats | undefined): string | undefined => stat && `${stat.dev}:${stat.ino}`

/** The identity of an ordinary file that has several names; undefined for all others. */
export const linkOf = (stat: BigIntStats | undefined): string | undefined =>
  stat !== undefined && stat.nlink > 1n ? idOf(stat) : undefined

export const linkAt = (path: string): string | undefined => linkOf(fileStat(path))
