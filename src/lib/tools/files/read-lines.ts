import { isUtf8 } from 'node:buffer'
import { fillFrom, type OpenFile } from '../../world/files/files.ts'
import { fingerprint, stretchOf, type Fingerprint } from '../../world/files/fingerprint.ts'
import { LARGEST } from './files-read.ts'

export interface LineRange {
  readonly first: number
  readonly count: number
  readonly most: number
}

export interface Lines {
  readonly lines: readonly string[]
  /** The number of lines; if the file was not read to its end, the number found so far. */
  readonly total: number
  /** The file was read to its end. Then `hash` is that of the whole file. */
  readonly isWhole: boolean
  readonly isFull: boolean
  readonly cut: number
  readonly garbled: number
  readonly hash: Fingerprint
}

/** In characters. Longer lines are cut. */
export const LONGEST_LINE = 2000

const KEPT = LONGEST_LINE * 4

const BLOCK = 4 * 1024 * 1024

/**
 * Reads lines from a file of any size, holding one block and the lines in memory. Files that are too large to edit are
 * read only as far as needed, and never beyond that size.
 */
export async function readFileLines(
  { handle, stat }: OpenFile,
  wanted: LineRange,
  signal: AbortSignal
): Promise<Lines> {
  const size = Number(stat.size)
  const isKnown = size <= LARGEST
  // Blocks of whole stretches: their fingerprints, joined, are the fingerprint of the file.
  const stretch = isKnown ? stretchOf(size) : BLOCK
  const block = Buffer.allocUnsafeSlow(Math.min(size, Math.max(1, Math.floor(BLOCK / stretch)) * stretch))
  const reader = new LineReader(wanted)
  const prints: Fingerprint[] = []
  let at = 0
  while (at < Math.min(size, LARGEST)) {
    if (!isKnown && reader.isDone) break
    signal.throwIfAborted()
    const room = block.subarray(0, Math.min(block.length, size - at))
    const bytes = room.subarray(0, await fillFrom(handle, room, at))
    if (bytes.length === 0) break
    if (isKnown) prints.push(fingerprint(bytes, size))
    reader.take(bytes)
    at += bytes.length
  }
  if (isKnown || !reader.isDone) reader.end()
  const { lines, number, isFull, cut, garbled } = reader
  return { lines, total: number - 1, isFull, cut, garbled, isWhole: isKnown, hash: prints.join(',') }
}

class LineReader {
  readonly lines: string[] = []
  cut = 0
  garbled = 0
  isFull = false
  number = 1
  readonly #range: LineRange
  #characters = 0
  #begun: Buffer[] = []
  #kept = 0
  #length = 0

  constructor(range: LineRange) {
    this.#range = range
  }

  get isDone(): boolean {
    return this.isFull || this.number >= this.#range.first + this.#range.count
  }

  take(bytes: Buffer): void {
    let at = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
      this.#add(bytes.subarray(at, end), true)
      at = end + 1
    }
    this.#add(bytes.subarray(at), false)
  }

  /** What follows the last line end is a line, too, even if it is empty. */
  end(): void {
    this.#add(Buffer.alloc(0), true)
  }

  #add(bytes: Buffer, isEnded: boolean): void {
    if (this.number >= this.#range.first && !this.isDone) {
      this.#length += bytes.length
      // The block is reused for the next one.
      const piece = Buffer.from(bytes.subarray(0, KEPT - this.#kept))
      this.#kept += piece.length
      if (piece.length > 0) this.#begun.push(piece)
      if (isEnded) this.#finish()
    }
    if (isEnded) this.number++
  }

  #finish(): void {
    const [first] = this.#begun
    const whole = first !== undefined && this.#begun.length === 1 ? first : Buffer.concat(this.#begun)
    const hasMark = this.number === 1 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf
    const bytes = hasMark ? whole.subarray(3) : whole
    const isLong = this.#length > this.#kept
    const text = bytes.toString('utf8').replace(/\r$/, '')
    const line = isLong || text.length > LONGEST_LINE ? this.#shortened(text, bytes) : text
    const size = line.length + 1
    this.isFull = this.lines.length > 0 && this.#characters + size > this.#range.most
    if (!this.isFull) {
      this.lines.push(line)
      this.#characters += size
      if (isLong ? line.includes('\uFFFD') : !isUtf8(bytes)) this.garbled++
    }
    this.#begun = []
    this.#kept = 0
    this.#length = 0
  }

  #shortened(text: string, bytes: Buffer): string {
    this.cut++
    const kept = text.slice(0, LONGEST_LINE).replace(/[\uD800-\uDBFF]$/, '')
    const rest = this.#length - (this.#kept - bytes.length) - Buffer.byteLength(kept)
    return `${kept}… [cut here: ${rest} more bytes in this line]`
  }
}
