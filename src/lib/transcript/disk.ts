import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from 'node:fs'
import { fault } from '../faults.ts'
import { makeFolders } from '../world/files/own-file.ts'

/** The disk operations that transcripts use. No other file in this folder accesses the disk. */
export interface Disk {
  makeFolder(path: string): void
  /** Opens a file for appending, readable by the user only; creates it if it does not exist. */
  openToAppend(path: string): number
  openToRead(path: string): number
  size(file: number): number
  /** Returns the number of bytes written, which may be less than requested. */
  write(file: number, bytes: Uint8Array, from: number): number
  read(file: number, into: Uint8Array, at: number): number
  /** Settles when the data is durable. */
  sync(file: number): Promise<void>
  /** The same, synchronously: on a fast disk this takes less time than a trip through the thread pool. */
  syncNow?(file: number): void
  /** The same for the names in a folder. */
  syncFolder(path: string): Promise<void>
  /** Whether the name of a file or folder is durable without that. False if it does not exist. */
  isNameDurable(path: string): boolean
  close(file: number): void
}

export interface ReplacingDisk extends Disk {
  openAnew(path: string): number
  /** Creates a hard link; fails if the name exists. Returns false if the file system has no hard links. */
  link(path: string, further: string): boolean
  rename(from: string, to: string): void
  remove(path: string): void
}

// Opening a named pipe would block forever.
const { O_APPEND, O_CREAT, O_RDWR, O_RDONLY, O_TRUNC, O_NONBLOCK, O_NOFOLLOW } = constants

export const realDisk: ReplacingDisk = {
  makeFolder: makeFolders,
  openToAppend: path => ordinary(openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NONBLOCK | O_NOFOLLOW, 0o600), path),
  openToRead: path => ordinary(openSync(path, O_RDONLY | O_NONBLOCK), path),
  size: file => fstatSync(file).size,
  write: (file, bytes, from) => writeSync(file, bytes, from),
  read: (file, into, at) => readSync(file, into, 0, into.length, at),
  sync: file => settled(done => fdatasync(file, done)),
  syncNow: fdatasyncSync,
  async syncFolder(path) {
    if (process.platform === 'win32') return
    const folder = openSync(path, O_RDONLY)
    try {
      await settled(done => fsync(folder, done))
    } finally {
      closeSync(folder)
    }
  },
  isNameDurable(path) {
    const stat = statSync(path, { throwIfNoEntry: false })
    // Some file systems have no birth time, and say 0.
    return stat !== undefined && stat.birthtimeMs > 0 && Date.now() - stat.birthtimeMs > OLD
  },
  close: closeSync,
  openAnew: path => ordinary(openSync(path, O_TRUNC | O_CREAT | O_RDWR | O_NONBLOCK | O_NOFOLLOW, 0o600), path),
  link(path, further) {
    try {
      linkSync(path, further)
      return true
    } catch (error) {
      if (NO_LINKS.has((error as NodeJS.ErrnoException).code)) return false
      throw error
    }
  },
  rename: renameSync,
  remove: path => rmSync(path, { force: true })
}

/**
 * In milliseconds. Systems write new names to the disk by themselves within half a minute. A file system that does not
 * record when a file was created reports its last change instead, which is later.
 */
const OLD = 60_000

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])

function ordinary(file: number, path: string): number {
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw fault('E_NOT_TRANSCRIPT', path, 'it is not a regular file')
}

/** For a few bytes that are replaced in place: a head. */
export const openInPlace = (path: string): number =>
  ordinary(openSync(path, O_CREAT | O_RDWR | O_NONBLOCK | O_NOFOLLOW, 0o600), path)

const settled = (start: (done: (error: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start(error => (error === null ? resolve() : reject(error))))
