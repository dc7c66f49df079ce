import { createHash, hash } from 'node:crypto'

/**
 * Identifies content: one hash per stretch of bytes, `LENGTH:HASH` joined by commas. Stretches that an edit did not
 * touch keep their hash, so nothing large is hashed twice, and a change can be located.
 */
export type Fingerprint = string

export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: Buffer
}

const STRETCHES = 128
const SHORTEST = 512

export const stretchOf = (size: number): number => Math.max(SHORTEST, Math.ceil(size / STRETCHES))

const ALGORITHM = 'sha256'

/** The fingerprint of a part of `size` bytes. All parts but the last hold whole stretches. */
export function fingerprint(bytes: Buffer, size = bytes.length): Fingerprint {
  const stretch = stretchOf(size)
  const marks: string[] = []
  for (let at = 0; at < bytes.length; at += stretch) marks.push(markOf(bytes.subarray(at, at + stretch)))
  return marks.join(',')
}

const markOf = (bytes: Buffer): string => `${bytes.length}:${hash(ALGORITHM, bytes, 'base64')}`

export function changedRange(
  print: Fingerprint,
  bytes: Buffer
): { readonly start: number; readonly end: number } | undefined {
  const marks = marksOf(print)
  let start = 0
  let first = 0
  for (const { length, mark } of marks) {
    if (start + length > bytes.length || markOf(bytes.subarray(start, start + length)) !== mark) break
    start += length
    first++
  }
  if (first === marks.length && start === bytes.length) return undefined
  let end = bytes.length
  for (const { length, mark } of marks.slice(first).toReversed()) {
    if (end - length < start || markOf(bytes.subarray(end - length, end)) !== mark) break
    end -= length
  }
  return { start, end }
}

interface Mark {
  readonly length: number
  readonly mark: string
}

function marksOf(print: Fingerprint): readonly Mark[] {
  if (print === '') return []
  return print.split(',').map(mark => ({ length: Number(mark.slice(0, mark.indexOf(':'))), mark }))
}

/** The fingerprint after these splices (sorted, without overlap). Only stretches that they touch are hashed. */
export function afterSplices(print: Fingerprint, bytes: Buffer, splices: readonly Splice[]): Fingerprint {
  const out: string[] = []
  let start = 0
  let end = 0
  let from = 0
  for (const { length, mark } of marksOf(print)) {
    end += length
    let to = from
    while ((splices[to]?.start ?? end) < end) to++
    // A splice across the end of the stretch joins it with the next.
    if (to > from && (splices[to - 1]?.end ?? 0) > end) continue
    if (to > from) {
      const changed = markOfPieces(splicedPieces(bytes, splices.slice(from, to), start, end))
      if (changed !== undefined) out.push(changed)
    } else out.push(mark)
    start = end
    from = to
  }
  return out.join(',')
}

function markOfPieces(pieces: Iterable<Buffer>): string | undefined {
  const whole = createHash(ALGORITHM)
  let length = 0
  for (const piece of pieces) {
    whole.update(piece)
    length += piece.length
  }
  return length === 0 ? undefined : `${length}:${whole.digest('base64')}`
}

export function* splicedPieces(
  bytes: Buffer,
  splices: readonly Splice[],
  start = 0,
  end = bytes.length
): Generator<Buffer, void, undefined> {
  let at = start
  for (const splice of splices) {
    yield bytes.subarray(at, splice.start)
    yield splice.text
    at = splice.end
  }
  yield bytes.subarray(at, end)
}
