import { crc32 } from 'node:zlib'
import { isObject } from '../util/plain.ts'
import { MAC_DIGITS, type Chain } from './chain.ts'
import type { Rec } from './entry.ts'
import { jsonIn } from '../util/attempt.ts'

/** An entry starts with its sequence number and ends with a checksum of all before, which tells it from garbage. */
const HEAD = '{"seq":'
const SEAL = ',"crc":"'
const SEAL_BYTES = Buffer.from(SEAL)
const SEAL_LENGTH = SEAL.length + 8 + '"}'.length
/** Before it, in signed files, its signature. */
const MAC = ',"mac":"'
const MAC_LENGTH = MAC.length + MAC_DIGITS + '"'.length
const NO_MAC = `${MAC}${'0'.repeat(MAC_DIGITS)}"`
const NEWLINE = 10

export function seal(entry: Rec, seq: number, chain?: Chain): Buffer {
  const { seq: _, crc: __, mac: ___, ...rest } = entry
  return sealText(JSON.stringify(rest), seq, chain)
}

export function sealText(text: string, seq: number, chain?: Chain): Buffer {
  const mac = chain === undefined ? '' : NO_MAC
  const line = Buffer.from(`${HEAD}${seq},${text.slice(1, -1)}${mac}${SEAL}00000000"}\n`)
  const end = line.length - SEAL_LENGTH - 1
  if (chain !== undefined) line.write(chain.sign(line.subarray(0, end - MAC_LENGTH)), end - MAC_DIGITS - 1, 'latin1')
  const sum = crc32(line.subarray(0, end))
  for (let digit = 0; digit < 8; digit++) line[end + SEAL.length + digit] = HEX[(sum >>> (28 - 4 * digit)) & 15]!
  return line
}

const HEX = Buffer.from('0123456789abcdef')

export function reseal(line: Buffer, seq: number): Buffer {
  const body = signedPart(line)?.toString() ?? line.toString('utf8', 0, line.length - SEAL_LENGTH)
  return sealText(`{${body.slice(body.indexOf(',') + 1)}}`, seq)
}

/** What the signature of a line covers; undefined if it has none. */
export function signedPart(line: Buffer): Buffer | undefined {
  const end = line.length - SEAL_LENGTH - MAC_LENGTH
  return end > 0 && line.toString('latin1', end, end + MAC.length) === MAC ? line.subarray(0, end) : undefined
}

export type Read =
  | { readonly kind: 'sealed'; readonly entry: Rec; readonly seq: number }
  | { readonly kind: 'unsealed'; readonly entry: Rec }
  | { readonly kind: 'damaged' }

const DAMAGED: Read = { kind: 'damaged' }

export function unseal(line: Buffer): Read {
  if (isSealed(line)) {
    const entry = parse(line)
    const seq = entry?.['seq']
    return entry !== undefined && Number.isSafeInteger(seq) && (seq as number) > 0
      ? { kind: 'sealed', entry, seq: seq as number }
      : DAMAGED
  }
  // It starts or ends like an entry of ours, but was changed.
  if (line.toString('latin1', 0, HEAD.length) === HEAD) return DAMAGED
  const entry = parse(line)
  return entry === undefined || 'crc' in entry ? DAMAGED : { kind: 'unsealed', entry }
}

function isSealed(line: Buffer): boolean {
  const end = line.length - SEAL_LENGTH
  if (end < HEAD.length || line[0] !== 0x7b) return false
  for (let index = 0; index < SEAL.length; index++) if (line[end + index] !== SEAL_BYTES[index]) return false
  const sum = hexIn(line, end + SEAL.length)
  return sum !== undefined && crc32(line.subarray(0, end)) === sum
}

function hexIn(line: Buffer, from: number): number | undefined {
  let sum = 0
  for (let at = from; at < from + 8; at++) {
    const byte = line[at]!
    const digit = byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1
    if (digit < 0) return undefined
    sum = sum * 16 + digit
  }
  return sum
}

function parse(line: Buffer): Rec | undefined {
  const value = jsonIn(line.toString('utf8'))
  return isObject(value) && typeof value['type'] === 'string' ? (value as Rec) : undefined
}

export interface Found {
  readonly at: number
  readonly end: number
  readonly read: Read
}

/** How many ends are tried per start, and how many in total: garbage may contain many of both. */
const ENDS = 4
const TRIES = 10_000

/** Finds entries within a line that is not an entry as a whole: two in one line, or one after a torn one. */
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

const GLUE = /(?<=\})\{"|\{"parentUuid":/g

export function unglue(line: Buffer): readonly Found[] {
  if (line.toString('latin1', 0, HEAD.length) === HEAD) return []
  const starts = [0, ...Array.from(line.toString('latin1').matchAll(GLUE), ({ index }) => index)]
  const ends = [...starts.filter(at => line[at - 1] === 0x7d), line.length]
  const found: Found[] = []
  let tries = 0
  for (const at of starts.slice(0, TRIES)) {
    if (at < (found.at(-1)?.end ?? 0)) continue
    for (const end of ends.filter(each => each > at).slice(0, ENDS)) {
      const entry = tries++ < TRIES ? parse(line.subarray(at, end)) : undefined
      if (entry === undefined || 'crc' in entry || !isClaudeLine(entry)) continue
      found.push({ at, end, read: { kind: 'unsealed', entry } })
      break
    }
  }
  return found
}

/** Whether Claude Code may have written this line; other programs write lines of JSON with a type, too. */
export const isClaudeLine = ({ type, uuid, sessionId, messageId, leafUuid, message }: Rec): boolean =>
  [uuid, sessionId, messageId, leafUuid].some(id => typeof id === 'string') ||
  (isObject(message) && (type === 'user' || type === 'assistant'))

/** Calls `take` for each complete line with its offset. Returns the offset of the incomplete rest. */
export function eachLine(bytes: Buffer, from: number, take: (line: Buffer, at: number) => void): number {
  let begin = from
  for (let end = bytes.indexOf(NEWLINE, begin); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    take(bytes.subarray(begin, end), begin)
    begin = end + 1
  }
  return begin
}
