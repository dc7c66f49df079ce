import { crc32 } from 'node:zlib'
import { isObject } from '../util/plain.ts'
import type { Rec } from './entry.ts'

/** An entry begins with its number and ends with a checksum of all before, so that any of them can be told from rubbish. */
const HEAD = '{"seq":'
const SEAL = ',"crc":"'
const SEAL_LENGTH = SEAL.length + 8 + '"}'.length
const NEWLINE = 10
const COMMA = 44

/** One line, with its end. */
export function seal(entry: Rec, seq: number): Buffer {
  const { seq: _, crc: __, ...rest } = entry
  return sealText(JSON.stringify(rest), seq)
}

/** The same for an object that is text already. */
export function sealText(text: string, seq: number): Buffer {
  const body = Buffer.from(`${HEAD}${seq},${text.slice(1, -1)}`)
  const sum = crc32(body).toString(16).padStart(8, '0')
  return Buffer.concat([body, Buffer.from(`${SEAL}${sum}"}\n`)])
}

/** A line that verifies, without its end, under another number; nothing else in it changes. */
export function reseal(line: Buffer, seq: number): Buffer {
  const body = line.toString('utf8', line.indexOf(COMMA) + 1, line.length - SEAL_LENGTH)
  return sealText(`{${body}}`, seq)
}

/** What stands in a line. */
export type Read =
  | { readonly kind: 'sealed'; readonly entry: Rec; readonly seq: number }
  /** An entry of somebody else, with no checksum. */
  | { readonly kind: 'unsealed'; readonly entry: Rec }
  | { readonly kind: 'damaged' }

const DAMAGED: Read = { kind: 'damaged' }

/** Reads a line, without its end. */
export function unseal(line: Buffer): Read {
  if (isSealed(line)) {
    const entry = parse(line)
    const seq = entry?.['seq']
    return entry !== undefined && Number.isSafeInteger(seq) && (seq as number) > 0
      ? { kind: 'sealed', entry, seq: seq as number }
      : DAMAGED
  }
  const entry = parse(line)
  return entry === undefined || 'crc' in entry ? DAMAGED : { kind: 'unsealed', entry }
}

/** Whether the checksum at the end is that of what stands before it. */
export function isSealed(line: Buffer): boolean {
  const end = line.length - SEAL_LENGTH
  if (end < HEAD.length || line[0] !== 0x7b || line.toString('latin1', end, end + SEAL.length) !== SEAL) return false
  const sum = line.toString('latin1', end + SEAL.length, line.length - 2)
  return /^[0-9a-f]{8}$/.test(sum) && crc32(line.subarray(0, end)) === Number.parseInt(sum, 16)
}

function parse(line: Buffer): Rec | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return isObject(value) && typeof value['type'] === 'string' ? (value as Rec) : undefined
  } catch {
    return undefined
  }
}

/** A piece of rubbish in which whole entries may stand. */
export interface Found {
  readonly at: number
  readonly end: number
  readonly read: Read
}

/** How many ends are tried for one beginning, and how many in all: rubbish may be made to look like many. */
const ENDS = 4
const TRIES = 10_000

/** The entries that stand somewhere in a line that as a whole is none: two in one line, or one behind something torn. */
export function salvage(line: Buffer): readonly Found[] {
  const found: Found[] = []
  let tries = 0
  for (let at = line.indexOf(HEAD); at >= 0 && tries < TRIES;) {
    let whole: Found | undefined
    let end = at
    for (let each = 0; each < ENDS && whole === undefined; each++, tries++) {
      const mark = line.indexOf(SEAL, end)
      if (mark < 0) break
      end = mark + SEAL_LENGTH
      const read = unseal(line.subarray(at, end))
      if (read.kind === 'sealed') whole = { at, end, read }
    }
    if (whole !== undefined) found.push(whole)
    at = line.indexOf(HEAD, whole?.end ?? at + 1)
  }
  return found
}

/** Calls for each line, with where it begins; the last may have no end. Gives where what is left begins. */
export function eachLine(bytes: Buffer, offset: number, take: (line: Buffer, at: number) => void): number {
  let from = 0
  for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
    take(bytes.subarray(from, to), offset + from)
    from = to + 1
  }
  return from
}
