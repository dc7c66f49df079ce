import { asText } from '../util/plain.ts'
import type { Rec } from './entry.ts'
import { eachLine, salvage, unglue, unseal, type Read } from './seal.ts'
import type { Gap, GapKind, LoadedTranscript, SessionKey } from './store.ts'

export interface Placed {
  readonly at: number
  readonly length: number
  readonly seq: number
  readonly sum: number
  readonly entry: Rec
}

interface ReadingOptions {
  readonly at?: number
  /** This is a part of a file: sequence numbers before it are not missing. */
  readonly isPart?: boolean
  /** `false`: entries are passed to `each` and not kept, so that a file of any length can be read. */
  readonly keep?: boolean
  /** Called for each entry in file order, once per sequence number. */
  readonly each?: (entry: Rec, at: number, length: number) => void
  /** Called for each gap where it is found, in order with the calls of `each`. Later entries may still fill it. */
  readonly onGap?: (gap: Gap) => void
}

type Mark = Pick<Placed, 'length' | 'sum'>

const NEWLINE = 10

/** Reads any bytes: collects the entries that verify, by sequence number, and the gaps. Never throws. */
export class Reading {
  readonly #key: SessionKey | undefined
  readonly #keep: boolean
  readonly #isPart: boolean
  readonly #each: ReadingOptions['each']
  readonly #onGap: ReadingOptions['onGap']
  #highest = 0
  #seen: Map<number, Mark> | undefined
  readonly #sealed: Placed[] = []
  /** With `onGap`, all that is kept of an entry: its number, its length, its checksum. */
  readonly #marks: number[] = []
  readonly #unsealed: { readonly at: number; readonly length: number; readonly entry: Rec }[] = []
  readonly #gaps: Gap[] = []
  #rest: Buffer[] = []
  #at = 0
  count = 0

  constructor(key?: SessionKey, { at = 0, isPart = false, keep = true, each, onGap }: ReadingOptions = {}) {
    this.#key = key
    this.#at = at
    this.#isPart = isPart
    this.#keep = keep
    this.#each = each
    this.#onGap = onGap
  }

  get placed(): readonly Placed[] {
    return this.#sealed
  }

  add(bytes: Buffer): void {
    let from = 0
    if (this.#rest.length > 0) {
      const to = bytes.indexOf(NEWLINE)
      if (to < 0) return this.#keepRest(bytes)
      const line = Buffer.concat([...this.#rest, bytes.subarray(0, to)])
      this.#rest = []
      this.#line(line, this.#at, true)
      this.#at += line.length + 1
      from = to + 1
    }
    const used = eachLine(bytes, from, (line, begin) => this.#line(line, this.#at + begin - from, true))
    this.#at += used - from
    this.#keepRest(bytes.subarray(used))
  }

  /** The caller may reuse its buffer. */
  #keepRest(bytes: Buffer): void {
    if (bytes.length > 0) this.#rest.push(Buffer.from(bytes))
  }

  endLine(): void {
    if (this.#rest.length > 0) this.#line(Buffer.concat(this.#rest), this.#at, false)
    this.#rest = []
  }

  end(): LoadedTranscript & { readonly isForeign: boolean } {
    this.endLine()
    const isForeign = this.#sealed.length === 0 && this.#unsealed.length > 0
    if (isForeign) {
      this.count = this.#unsealed.length
      const entries = this.#unsealed.map(({ entry }) => entry)
      return { entries, gaps: this.#gaps, offsets: this.#unsealed.map(({ at }) => at), isForeign }
    }
    for (const { at, length } of this.#unsealed) this.#gap(at, length, 'unsealed')
    const entries = this.#inOrder()
    this.count = entries.length
    const offsets = this.#sealed.map(({ at }) => at)
    return { entries, gaps: this.#gaps.toSorted((a, b) => a.at - b.at), offsets, isForeign }
  }

  #line(line: Buffer, at: number, hasEnd: boolean): void {
    if (line.length === 0) return
    const read = unseal(line)
    if (read.kind !== 'damaged') return this.#take(read, at, line.length)
    const sealed = salvage(line)
    const found = sealed.length > 0 ? sealed : unglue(line)
    let from = 0
    for (const piece of found) {
      if (piece.at > from) this.#gap(at + from, piece.at - from, 'damaged')
      this.#take(piece.read, at + piece.at, piece.end - piece.at)
      from = piece.end
    }
    if (line.length > from) this.#gap(at + from, line.length - from, hasEnd ? 'damaged' : 'torn')
  }

  #take(read: Read, at: number, length: number): void {
    if (read.kind === 'damaged') return
    const { entry } = read
    const kept = this.#keep ? entry : EMPTY
    if (read.kind === 'unsealed') {
      // With `onGap`, nothing reads this list at the end.
      if (this.#onGap === undefined) this.#unsealed.push({ at, length, entry: kept })
      this.#each?.(entry, at, length)
    } else if (this.#isOurs(entry)) {
      const { seq } = read
      const placed = { at, length, seq, sum: Number(`0x${asText(entry['crc'])}`), entry: kept }
      if (!this.#isNew(placed)) return
      if (this.#onGap === undefined) this.#sealed.push(placed)
      else this.#marks.push(seq, length, placed.sum)
      this.#each?.(entry, at, length)
    } else this.#gap(at, length, 'foreign')
  }

  /** Whether this sequence number is new. Entries are usually in order, so a map of them is built only when needed. */
  #isNew(placed: Placed): boolean {
    const { seq, at, length } = placed
    if (seq > this.#highest) {
      if (seq > this.#highest + 1) this.#onGap?.({ at, length: 0, why: 'missing', seqs: [this.#highest + 1, seq - 1] })
      this.#highest = seq
      this.#seen?.set(seq, placed)
      return true
    }
    this.#seen ??= this.#soFar()
    const first = this.#seen.get(seq)
    const isSame = first?.length === length && first.sum === placed.sum
    this.#gap(at, length, first === undefined ? 'moved' : isSame ? 'duplicate' : 'conflict')
    if (first === undefined) this.#seen.set(seq, placed)
    return first === undefined
  }

  #soFar(): Map<number, Mark> {
    const seen = new Map<number, Mark>(this.#sealed.map(each => [each.seq, each]))
    const marks = this.#marks
    for (let at = 0; at < marks.length; at += 3) seen.set(marks[at]!, { length: marks[at + 1]!, sum: marks[at + 2]! })
    return seen
  }

  #isOurs({ sessionId, isSidechain, agentId }: Rec): boolean {
    if (this.#key === undefined) return true
    const { sessionId: ours, subpath } = this.#key
    const isInPlace = isSidechain === undefined || isSidechain === (subpath !== undefined)
    if (subpath !== undefined && typeof agentId === 'string' && !subpath.endsWith(`agent-${agentId}`)) return false
    // A store may hold anything, but our own entries name the session and subagent that they belong to.
    return (sessionId === undefined || sessionId === ours) && isInPlace
  }

  #gap(at: number, length: number, why: GapKind, seqs?: readonly [number, number]): void {
    const gap = seqs === undefined ? { at, length, why } : { at, length, why, seqs }
    this.#gaps.push(gap)
    this.#onGap?.(gap)
  }

  #inOrder(): Rec[] {
    const placed = this.#sealed
    placed.sort((a, b) => a.seq - b.seq)
    let next = this.#isPart ? (placed[0]?.seq ?? 1) : 1
    return placed.map(({ seq, at, entry }) => {
      if (seq > next) this.#gap(at, 0, 'missing', [next, seq - 1])
      next = seq + 1
      return entry
    })
  }
}

const EMPTY: Rec = Object.freeze({ type: '' })
