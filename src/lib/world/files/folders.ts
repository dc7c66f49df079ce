import { constants, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdir, open, readdir, readFile, unlink, type FileHandle } from 'node:fs/promises'
import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DESCRIPTORS, isAt, shownPath } from './files.ts'

/** An open folder: files are created in it even if its path changes meanwhile. */
export interface OpenFolder {
  readonly path: string
  readonly handle: FileHandle
  at(name: string): string
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

export async function openFolder(path: string): Promise<OpenFolder> {
  const missing: string[] = []
  let there = path
  for (; statSync(there, { throwIfNoEntry: false }) === undefined; there = dirname(there))
    missing.unshift(basename(there))
  let folder = await holdFolder(there)
  for (const name of missing) folder = await enter(folder, name)
  return folder
}

/** Opens the folder at a real path, never through a link. */
export async function holdFolder(path: string, through = path): Promise<OpenFolder> {
  const handle = await open(through, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    if (!isAt(handle.fd, await handle.stat({ bigint: true }), path)) {
      throw new Error(`${shownPath(path)} was replaced while it was opened; try again`)
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  const at = DESCRIPTORS === undefined ? path : `${DESCRIPTORS}/${handle.fd}`
  return { path, handle, at: name => join(at, name) }
}

async function enter(folder: OpenFolder, name: string): Promise<OpenFolder> {
  try {
    await mkdir(folder.at(name)).catch(error => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
    await syncFolder(folder)
    return await holdFolder(join(folder.path, name), folder.at(name))
  } finally {
    await folder.handle.close()
  }
}

/** Not supported by every file system, or for every folder. */
const CANNOT_SYNC = new Set<unknown>(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM'])

export async function syncFolder({ handle }: OpenFolder): Promise<void> {
  await handle.sync().catch(error => {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code)) throw error
  })
}

/** `.carabiner-PLACE-PID-START-RANDOM.tmp`: names its owner, and cannot be guessed. */
const TEMPORARY = /^\.carabiner-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{16}\.tmp$/

export function temporaryName(): string {
  const { place, start } = ourselves()
  return `.carabiner-${place}-${process.pid}-${start}-${randomBytes(8).toString('hex')}.tmp`
}

export async function sweep(folder: OpenFolder): Promise<void> {
  const names = await readdir(folder.at('.')).catch(() => [])
  for (const name of names) {
    const [, place, pid = '', start] = TEMPORARY.exec(name) ?? []
    if (place !== ourselves().place || (await startOf(pid)) === start) continue
    await unlink(folder.at(name)).catch(() => undefined)
  }
}

let known: { readonly place: string; readonly start: string } | undefined

/** Process ids are valid only on one machine and in one namespace. */
function ourselves(): { readonly place: string; readonly start: string } {
  if (known === undefined) {
    const namespace = DESCRIPTORS === undefined ? '' : readlinkSync('/proc/self/ns/pid')
    const place = createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8)
    const start = DESCRIPTORS === undefined ? '0' : startIn(readFileSync('/proc/self/stat', 'latin1'))
    known = { place, start }
  }
  return known
}

/** The start time of a process, for comparison only; undefined when it has ended. */
async function startOf(pid: string): Promise<string | undefined> {
  if (DESCRIPTORS !== undefined) return readFile(`/proc/${pid}/stat`, 'latin1').then(startIn, () => undefined)
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined
  }
  return '0'
}

/** The program name, in parentheses, may contain anything. */
const startIn = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
