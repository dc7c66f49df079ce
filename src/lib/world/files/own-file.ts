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

/** Puts a file of ours in place of the one that is there, if there is one: whole or not at all, for the user alone. */
export function putOwnFile(path: string, text: string): void {
  const fresh = written(path, text, true)
  try {
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** The same where there is none yet. False: somebody else was first, and theirs stays. */
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

/** Gives a file a second name. Unlike renaming, this never replaces anything. Some file systems have no hard links. */
export function linkNew(from: string, to: string): 'linked' | 'taken' | 'unsupported' {
  try {
    linkSync(from, to)
    return 'linked'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // What was there may be gone again by now.
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

/** Makes a folder and those above it, for the user alone. Node's own way never ends where nothing can be made, as in /proc. */
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
