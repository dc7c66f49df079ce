import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorMessage } from '../../errors.ts'
import { isWithin } from '../../world/files/paths.ts'
import { shownPath } from '../../world/files/files.ts'
import type { ToolSession } from '../tool.ts'

export interface SearchPlace {
  readonly folder: string
  readonly name: string | undefined
}

/** Folders that no search enters: reading what is in them may never end, or have effects. */
const MACHINERY = ['/proc', '/sys', '/dev']

export const besides = ({ folder }: SearchPlace): readonly string[] =>
  folder === '/' ? MACHINERY.map(name => `--glob=!${name}`) : []

export async function placeAt(path: string): Promise<SearchPlace | { readonly problem: string }> {
  if (MACHINERY.some(name => isWithin(path, name))) {
    return { problem: `${shownPath(path)} is a part of the system, not a file or folder; look at it with a command` }
  }
  let found: Stats
  try {
    found = await stat(path)
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))
    const why = isMissing ? 'is not there' : `cannot be searched: ${errorMessage(error)}`
    return { problem: `${shownPath(path)} ${why}` }
  }
  if (found.isDirectory()) return { folder: path, name: undefined }
  if (found.isFile()) return { folder: dirname(path), name: basename(path) }
  return { problem: `${shownPath(path)} is a pipe, a socket or a device, not a file or folder` }
}

export class ReadableFiles {
  leftOut = 0
  readonly #folder: string
  readonly #mayRead: ToolSession['mayRead']
  readonly #known = new Map<string, boolean>()

  constructor({ folder }: Pick<SearchPlace, 'folder'>, { mayRead }: ToolSession) {
    this.#folder = folder
    this.#mayRead = mayRead
  }

  has(path: Buffer): boolean {
    if (this.#mayRead === undefined) return true
    const name = path.toString()
    let shown = this.#known.get(name)
    if (shown === undefined) {
      shown = this.#mayRead(join(this.#folder, name))
      if (!shown) this.leftOut++
      this.#known.set(name, shown)
    }
    return shown
  }

  get notes(): readonly string[] {
    const { leftOut } = this
    return leftOut === 0
      ? []
      : [`(${leftOut} ${leftOut === 1 ? 'file is' : 'files are'} left out: a rule forbids reading them.)`]
  }
}
