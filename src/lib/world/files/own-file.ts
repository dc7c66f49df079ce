import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file of ours atomically, replacing an existing one; only the user can access it. */
export function putOwnFile(path: string, text: string): void {
  const fresh = written(path, text, true)
  try {
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** The same for a new file. False if it exists already: the existing one is kept. */
export function addOwnFile(path: string, text: string): boolean {
  const fresh = written(path, text, false)
  try {
    const linked = linkNew(fresh, path)
    if (linked === 'unsupported') copyFileSync(fresh, path, constants.COPYFILE_EXCL)
    return linked !== 'taken'
  } finally {
    rmSync(fresh, { force: true })
  }
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])

/** Creates a hard link. Unlike renaming, this never replaces a file. Some file systems have no hard links. */
export function linkNew(from: string, to: string): 'linked' | 'taken' | 'unsupported' {
  try {
    linkSync(from, to)
    return 'linked'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The existing file may have been removed meanwhile.
    if (code === 'EEXIST' || lstatSync(to, { throwIfNoEntry: false }) !== undefined) return 'taken'
    if (NO_LINKS.has(code)) return 'unsupported'
    throw error
  }
}

function written(path: string, text: string, flush: boolean): string {
  makeFolders(dirname(path))
  const fresh = `${path}.${randomUUID()}`
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush })
  chmodSync(fresh, 0o600)
  return fresh
}

/** Creates a folder and its parents, for the user only. Node's `mkdir` never returns in places such as /proc. */
export function makeFolders(path: string): void {
  const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST'
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (isThere(error)) return
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolders(dirname(path))
    try {
      mkdirSync(path, { mode: 0o700 })
    } catch (again) {
      if (!isThere(again)) throw again
    }
  }
}
