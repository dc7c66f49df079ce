import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { linkOf } from './file-finder.ts'
import { DESCRIPTORS } from './files.ts'
import { realPath } from './paths.ts'

/** A file that a search has found. */
export interface FoundFile {
  /** Relative to the folder of the search. */
  readonly name: Buffer
  readonly path: string
  /** Undefined where a process cannot open the same file by its descriptor: everywhere but on Linux. */
  readonly descriptor: number | undefined
  /** Its identity, if it has several names. */
  readonly link: string | undefined
}

interface OpenedFolder {
  readonly folder: string
  /** The path that leads to it, even if it is moved. */
  readonly at: string
}

/** Opens a file as a place, without an effect on it, not even on a device. */
const O_PATH = 0o10000000

/** Undefined if it is not, or no longer, an ordinary file at that path: no link is followed. */
export function openFound(place: OpenedFolder, name: Buffer): FoundFile | undefined {
  const opened = openAt(place, name)
  if (opened === undefined) return undefined
  const { descriptor, stat } = opened
  const file = { name, path: join(place.folder, name.toString()), descriptor, link: linkOf(stat) }
  if (stat.isFile()) return file
  closeFound(file)
  return undefined
}

/** Whether something is at that path itself, not only through a link. */
export function isPlaced(place: OpenedFolder, name: Buffer): boolean {
  const opened = openAt(place, name)
  if (opened !== undefined) closeFound(opened)
  return opened !== undefined
}

export function closeFound({ descriptor }: Pick<FoundFile, 'descriptor'>): void {
  if (descriptor !== undefined) closeSync(descriptor)
}

/** Whole lines, and where in a file they begin. */
export interface Lines {
  readonly offset: number
  readonly bytes: Buffer
}

const NEWLINE = 10

/** Whether these are whole lines of the file. False if it cannot be read. */
export function hasLines({ path, descriptor }: FoundFile, lines: Lines | undefined): boolean {
  if (lines === undefined) return false
  const { offset, bytes } = lines
  let reading: number | undefined
  try {
    reading = openSync(descriptor === undefined ? path : `${DESCRIPTORS}/${descriptor}`, 'r')
    // With the byte before, which ends a line, and the one after.
    const lead = Math.min(offset, 1)
    const there = Buffer.allocUnsafe(lead + bytes.length + 1)
    const count = readSync(reading, there, 0, there.length, offset - lead)
    const end = lead + bytes.length
    const isWhole = bytes.at(-1) === NEWLINE || count === end || there[end] === NEWLINE
    return isWhole && count >= end && (lead === 0 || there[0] === NEWLINE) && there.subarray(lead, end).equals(bytes)
  } catch {
    return false
  } finally {
    if (reading !== undefined) closeSync(reading)
  }
}

type Opened = { readonly descriptor: number | undefined; readonly stat: BigIntStats }

function openAt({ folder, at }: OpenedFolder, name: Buffer): Opened | undefined {
  const inside = Buffer.concat([Buffer.from(`${at}/`), name])
  const path = Buffer.concat([Buffer.from(join(folder, '/')), name])
  try {
    if (DESCRIPTORS === undefined) {
      const stat = lstatSync(inside, { bigint: true })
      return realPath(path.toString()) === path.toString() ? { descriptor: undefined, stat } : undefined
    }
    const descriptor = openSync(inside, O_PATH | constants.O_NOFOLLOW)
    if (readlinkSync(`${DESCRIPTORS}/${descriptor}`, 'buffer').equals(path))
      return { descriptor, stat: fstatSync(descriptor, { bigint: true }) }
    closeSync(descriptor)
  } catch (error) {
    if (['EMFILE', 'ENFILE'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  }
  return undefined
}
