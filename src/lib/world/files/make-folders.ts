import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

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
