import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { DESCRIPTORS, explained, openJudged, shownPath, type JudgedFile } from '../../world/files/files.ts'
import { holdFolder } from '../../world/files/folders.ts'
import type { FoundFile } from '../../world/files/found-file.ts'
import { attempt } from '../../util/attempt.ts'
import { isWithin } from '../../world/files/paths.ts'

/** What is searched, opened: it stays the same, whatever replaces it meanwhile. */
export interface SearchPlace {
  readonly folder: string
  /** The path that leads to the opened folder. */
  readonly at: string
  /** The only file to search; without it, all files in the folder. */
  readonly file?: FoundFile
  close(): Promise<void>
}

/** Folders that no search enters: reading what is in them may never end, or have effects. */
const MACHINERY = ['/proc', '/sys', '/dev']

export const besides = (folder: string): readonly string[] =>
  folder === '/' ? MACHINERY.map(name => `--glob=!${name}`) : []

/** Opens the place that was judged, and no other. */
export async function openPlace(judged: JudgedFile): Promise<SearchPlace | { readonly problem: string }> {
  const { path } = judged
  const problem = placeProblem(path)
  if (problem !== undefined) return { problem }
  try {
    if (attempt(() => statSync(path).isFile()) === true) {
      const { handle } = await openJudged(judged)
      const descriptor = DESCRIPTORS === undefined ? undefined : handle.fd
      const file = { ...judged, name: Buffer.from(basename(path)), descriptor }
      return { folder: dirname(path), at: dirname(path), file, close: () => handle.close() }
    }
    const { at, handle } = await holdFolder(path)
    return { folder: path, at: at(''), close: () => handle.close() }
  } catch (error) {
    return { problem: errorMessage(explained(error, path)) }
  }
}

/** Why a path cannot be searched. */
export function placeProblem(path: string): string | undefined {
  const name = shownPath(path)
  if (MACHINERY.some(each => isWithin(path, each)))
    return `${name} is a part of the system, not a file or folder; look at it with a command`
  try {
    const found = statSync(path)
    const isUsable = found.isDirectory() || found.isFile()
    return isUsable ? undefined : `${name} is a pipe, a socket or a device, not a file or folder`
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))
    return `${name} ${isMissing ? 'is not there' : `cannot be searched: ${errorMessage(error)}`}`
  }
}
