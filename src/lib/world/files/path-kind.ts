import { accessSync, constants, statSync, type Stats } from 'node:fs'
import { attempt } from '../../util/attempt.ts'

/** What a path leads to; undefined where there is nothing, or nothing that can be looked at. */
export const kindOf = (path: string): Stats | undefined => attempt(() => statSync(path, { throwIfNoEntry: false }))

/** What this finds; undefined where the file or folder is not there. All other errors are thrown. */
export function ifThere<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const isFile = (path: string): boolean => kindOf(path)?.isFile() === true
export const isFolder = (path: string): boolean => kindOf(path)?.isDirectory() === true

/** Whether it is a file that may be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}
