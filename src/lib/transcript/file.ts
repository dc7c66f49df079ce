import { realDisk, type Disk } from './disk.ts'
import { Reading } from './reading.ts'
import type { Rec } from './entry.ts'
import type { Cursor, Gap, LoadedTranscript, Page, SessionKey, TranscriptStore } from './store.ts'
import { ifThere } from '../world/files/paths.ts'

/** Bytes per read: small enough that the entries are collected before V8 moves them to the old generation. */
const PIECE = 1 << 15
const TAIL = 1 << 16
const MORE = 1 << 20

export function withOpenFile<T>(path: string, disk: Disk, read: (file: number) => T): T | undefined {
  const file = ifThere(() => disk.openToRead(path))
  if (file === undefined) return undefined
  try {
    return read(file)
  } finally {
    disk.close(file)
  }
}

export const bytesIn = (file: number, disk: Disk, at: number, most: number): Buffer =>
  fill(Buffer.allocUnsafe(most), file, disk, at)

export function fill(bytes: Buffer, file: number, disk: Disk, at: number): Buffer {
  let length = 0
  while (length < bytes.length) {
    const read = disk.read(file, bytes.subarray(length), at + length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

export function writeAll(file: number, bytes: Buffer, disk: Disk): void {
  for (let from = 0; from < bytes.length;) {
    const taken = disk.write(file, bytes, from)
    if (taken <= 0) throw new Error('nothing more can be written')
    from += taken
  }
}

export function* piecesOf(file: number, disk: Disk, size = PIECE): Generator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (let length = disk.read(file, piece, at); length > 0; length = disk.read(file, piece, at)) {
    yield piece.subarray(0, length)
    at += length
  }
}

export function readPieces(reading: Reading, file: number, disk: Disk): number {
  let bytes = 0
  for (const piece of piecesOf(file, disk)) {
    reading.add(piece)
    bytes += piece.length
  }
  return bytes
}

export type Met = { readonly entry: Rec; readonly at: number; readonly length: number } | { readonly gap: Gap }

/** Yields the entries and gaps of a file in file order. Holds one chunk of the file at a time. */
export function* eachIn(path: string, key?: SessionKey, disk: Disk = realDisk): Generator<Met> {
  const file = disk.openToRead(path)
  const met: Met[] = []
  const each = (entry: Rec, at: number, length: number): void => void met.push({ entry, at, length })
  const reading = new Reading(key, { keep: false, each, onGap: gap => met.push({ gap }) })
  try {
    for (const piece of piecesOf(file, disk)) {
      reading.add(piece)
      yield* met.splice(0)
    }
    reading.endLine()
    yield* met
  } finally {
    disk.close(file)
  }
}

export type LoadedFile = LoadedTranscript & { readonly isForeign: boolean }

export function loadFile(path: string, disk: Disk, key?: SessionKey): LoadedFile | undefined {
  return withOpenFile(path, disk, file => {
    const reading = new Reading(key)
    readPieces(reading, file, disk)
    return reading.end()
  })
}

export function pageOfFile(
  path: string,
  disk: Disk,
  key: SessionKey | undefined,
  before: Cursor | undefined
): Page | undefined {
  return withOpenFile(path, disk, file => {
    const size = disk.size(file)
    const end = before === undefined ? size : Number(before)
    // Each further page is as large as all pages so far together, so that reading a whole file takes few pages.
    for (let length = Math.min(Math.max(TAIL, size - end), MORE); ; length *= 4) {
      const start = Math.max(0, end - length)
      const bytes = bytesIn(file, disk, start, end - start)
      // The first line starts before this chunk, unless the file starts here.
      const cut = start === 0 ? 0 : bytes.indexOf(10) + 1
      if (start > 0 && (cut === 0 || cut === bytes.length)) continue
      const at = start + cut
      const reading = new Reading(key, { at, isPart: at > 0 })
      reading.add(bytes.subarray(cut))
      return { ...reading.end(), before: at === 0 ? undefined : at }
    }
  })
}

/** A transcript at any path, read-only. Transcripts of its subagents are not available. */
export const oneFile = (path: string): TranscriptStore => ({
  append: () => Promise.reject(new Error(`${path} is only read`)),
  pathOf: () => path,
  load: async ({ subpath }) => (subpath === undefined ? loadFile(path, realDisk) : undefined),
  page: async ({ subpath }, before) =>
    subpath === undefined ? pageOfFile(path, realDisk, undefined, before) : undefined
})
