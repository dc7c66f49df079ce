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
  writeSync
} from 'node:fs'
import { fault } from '../faults.ts'
import { makeFolders } from '../world/files/own-file.ts'

/** The few things that a transcript asks of a disk. Nothing else in this room touches one. */
export interface Disk {
  makeFolder(path: string): void
  /** Opens a file for the user alone, to put bytes behind its end; makes it where it is not there. */
  openToAppend(path: string): number
  openToRead(path: string): number
  size(file: number): number
  /** Gives how many bytes were taken: it may be fewer than there are. */
  write(file: number, bytes: Uint8Array, from: number): number
  read(file: number, into: Uint8Array, at: number): number
  /** Settles when what was written cannot be lost any more. */
  sync(file: number): Promise<void>
  /** The same at once: on a fast disk that is shorter than the way through a thread. */
  syncNow?(file: number): void
  /** The same for the names in a folder. */
  syncFolder(path: string): Promise<void>
  close(file: number): void
}

export interface ReplacingDisk extends Disk {
  openAnew(path: string): number
  /** A further name for a file; fails where that name is taken. False where the disk has no such names. */
  link(path: string, further: string): boolean
  rename(from: string, to: string): void
  remove(path: string): void
}

// To wait for a pipe that somebody put there is to wait for ever.
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

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'])

function ordinary(file: number, path: string): number {
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw fault('E_NOT_TRANSCRIPT', path, 'it is not a regular file')
}

const settled = (start: (done: (error: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start(error => (error === null ? resolve() : reject(error))))
