import { constants, existsSync, readlinkSync, statfsSync, statSync, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { escaped } from '../../util/escape.ts'
import { realPath } from './paths.ts'

/** An ordinary file that is open for reading. The caller closes `handle`. */
export interface OpenFile {
  readonly path: string
  readonly handle: FileHandle
  readonly stat: BigIntStats
  /** Whether any later change is certain to change `ctime`. */
  readonly isSettled: boolean
}

/** The resolution of file times: two changes within it may share one time. */
const STEP_MS = 2000

/** Windows has only the first; the others are undefined there, which `|` treats as 0. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants

/** A file that is replaced by renaming may change between `lstat` and `open`: tried this often. */
const ATTEMPTS = 5

export const DESCRIPTORS = process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined

/**
 * Opens the ordinary file at a real path and verifies that it is still at that path, so that a link placed there
 * meanwhile is not followed. Anything but an ordinary file is refused before opening, since opening may block or have
 * effects.
 */
export async function openFile(path: string): Promise<OpenFile> {
  for (let attempt = 1; ; attempt++) {
    refuseKind(await lstat(path), path)
    const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    try {
      const stat = await handle.stat({ bigint: true })
      refuseKind(stat, path)
      refuseMadeUp(handle, path)
      if (isAt(handle, stat, path))
        return { path, handle, stat, isSettled: Date.now() - Number(stat.ctimeMs) > STEP_MS }
    } catch (error) {
      await handle.close()
      throw error
    }
    await handle.close()
    if (attempt === ATTEMPTS) throw new Error(`${shownPath(path)} was replaced while it was opened; try again`)
  }
}

export function isAt(handle: FileHandle, stat: BigIntStats, path: string): boolean {
  if (DESCRIPTORS !== undefined) return readlinkSync(`${DESCRIPTORS}/${handle.fd}`) === path
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  return there?.ino === stat.ino && there.dev === stat.dev && realPath(path) === path
}

const KINDS = [
  ['isDirectory', 'a folder'],
  ['isSymbolicLink', 'a link, which it was not a moment ago'],
  ['isFIFO', 'a pipe'],
  ['isSocket', 'a socket'],
  ['isCharacterDevice', 'a device'],
  ['isBlockDevice', 'a device']
] as const

type Kinds = Record<'isFile' | (typeof KINDS)[number][0], () => boolean>

function refuseKind(stat: Kinds, path: string): void {
  if (stat.isFile()) return
  const kind = KINDS.find(([is]) => stat[is]())?.[1] ?? 'something else'
  throw new Error(`${shownPath(path)} is ${kind}, not an ordinary file`)
}

/** proc, sysfs, debugfs, tracefs, cgroup, cgroup2: their content is generated when it is read. */
const MADE_UP = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x27e0eb, 0x63677270])

function refuseMadeUp(handle: FileHandle, path: string): void {
  if (DESCRIPTORS === undefined || !MADE_UP.has(statfsSync(`${DESCRIPTORS}/${handle.fd}`).type)) return
  throw new Error(`${shownPath(path)} is made up by the kernel (/proc, /sys), not an ordinary file`)
}

export async function readAll({ handle, stat }: OpenFile): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Number(stat.size))
  return bytes.subarray(0, await fillFrom(handle, bytes, 0))
}

export async function fillFrom(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

export const shownPath = (path: string): string => escaped(path)

/** A system error as a sentence about the path. Other errors are returned unchanged. */
export function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  const words = code === undefined ? undefined : WORDS[code]
  if (words === undefined) return error
  return Object.assign(new Error(`${shownPath(path)} ${words}`, { cause: error }), { code })
}

const WORDS: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'cannot be there: a part of the path is a file, not a folder',
  EACCES: 'may not be used by this user (permission denied); the file and its folder are unchanged',
  EPERM: 'may not be changed by this user, or is protected (immutable)',
  EROFS: 'is on a file system that is read-only',
  ELOOP: 'is a link that leads round in circles, or was just replaced by one',
  ENAMETOOLONG: 'has a name that is too long for this file system',
  ENOSPC: 'was not changed: there is no space left on the disk',
  EDQUOT: 'was not changed: the quota of the disk is used up',
  EFBIG: 'was not changed: the file would be larger than is allowed',
  EIO: 'cannot be used: the disk reports an error',
  EMFILE: 'cannot be opened: this process has too many open files; try again',
  ENFILE: 'cannot be opened: the system has too many open files; try again',
  ENXIO: 'is a device or a socket, not an ordinary file',
  ETXTBSY: 'is a program that is running just now'
}
