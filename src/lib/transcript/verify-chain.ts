import { START, signatureOf, type Signatures, type SigningKey } from './chain.ts'
import { realDisk } from './disk.ts'
import type { Rec } from './entry.ts'
import { bytesIn, eachIn, withOpenFile } from './file.ts'
import { gapText } from './load.ts'
import { signedPart } from './seal.ts'
import type { Gap, SessionKey } from './store.ts'
import { gapMeaning } from './verify.ts'
import { asText } from '../util/plain.ts'

/**
 * `changed`: an entry is not as it was signed, or is missing · `unchecked`: the key or the head is not here · `unsigned`:
 * checksums only, as 0.1.0 wrote them.
 */
export type ChainVerdict = 'signed' | 'unsigned' | 'unchecked' | 'changed'

export interface ChainReport {
  readonly verdict: ChainVerdict
  readonly entries: number
  /** What was changed, added, moved or removed, and where. */
  readonly problems: readonly string[]
  /** What cannot be checked, and what a crash has left. */
  readonly notes: readonly string[]
}

/** Checks the signature of every line of a file, and that it is as long as its head says. Undefined if there is no file. */
export function verifyChain(path: string, key: SessionKey | undefined, from: Signatures): ChainReport | undefined {
  return withOpenFile(path, realDisk, file => {
    const check = new ChainCheck(from.key(), key && from.head(key))
    const bytes = (at: number, length: number): Buffer => bytesIn(file, realDisk, at, length)
    for (const met of eachIn(path, key)) {
      if ('gap' in met) check.gap(met.gap, bytes(met.gap.at, Math.min(met.gap.length, 64)).toString('latin1'))
      else check.entry(met.entry, bytes(met.at, met.length))
    }
    return check.end(key !== undefined)
  })
}

class ChainCheck {
  readonly #key: SigningKey | undefined
  readonly #head: ReturnType<Signatures['head']>
  readonly #problems: string[] = []
  readonly #notes: string[] = []
  readonly #otherKeys = new Set<string>()
  #strangers = 0
  #entries = 0
  #signed = 0
  #last = 0
  /** The signature that the next one covers; before those, and after lines without one, it may begin anew. */
  #before: string = START
  #mayBegin = true
  /** The other half of the signature of the entry that the head names. */
  #atHead: string | undefined

  constructor(key: SigningKey | undefined, head: ReturnType<Signatures['head']>) {
    this.#key = key
    this.#head = head
  }

  /** A line that was cut off by a crash has the number that the next one gets. */
  gap(gap: Gap, start: string): void {
    const next = `{"seq":${this.#last + 1},`
    const isCrash = (gap.why === 'torn' || gap.why === 'damaged') && next.startsWith(start.slice(0, next.length))
    if (isCrash) this.#notes.push(`${gapText(gap)}: cut off while it was written, as a crash leaves it`)
    else this.#problems.push(`${gapText(gap)}: ${gapMeaning(gap).words}`)
  }

  entry({ seq: number, mac, crc, subtype, original }: Rec, line: Buffer): void {
    if (crc === undefined) return void this.#strangers++
    const seq = Number(number)
    this.#entries++
    this.#last = Math.max(this.#last, seq)
    const part = signedPart(line)
    const isSigned = part !== undefined && typeof mac === 'string'
    if (isSigned) this.#checkMac(seq, mac, part)
    else if (this.#signed > 0)
      this.#problems.push(`entry ${seq} is not signed: someone without the key has written it, or version 0.1.0`)
    else if (subtype === 'repaired')
      this.#notes.push(`it was repaired, which removes signatures; the original is ${asText(original)}`)
    this.#mayBegin = !isSigned
  }

  #checkMac(seq: number, mac: string, part: Buffer): void {
    const key = this.#key
    const starts = this.#mayBegin ? [this.#before, START] : [this.#before]
    this.#signed++
    this.#before = mac
    if (key === undefined || !mac.startsWith(key.id)) return void this.#otherKeys.add(mac.slice(0, 8))
    const found = starts.map(before => signatureOf(key, before, part)).find(each => each.mac === mac)
    if (found === undefined)
      this.#problems.push(`entry ${seq} does not follow as it was signed: it was changed, or what was before it`)
    else if (this.#head?.seq === seq) this.#atHead = found.rest
  }

  end(hasHead: boolean): ChainReport {
    const [entries, signed] = [this.#entries, this.#signed]
    if (this.#strangers > 0) (entries > 0 ? this.#problems : this.#notes).push('another program wrote lines of it')
    const isEndChecked = this.#checkHead(hasHead)
    for (const id of this.#otherKeys) this.#notes.push(`the key ${id} that signed it is not here`)
    if (signed > 0 && signed < entries) this.#notes.push(`${entries - signed} of its entries have checksums only`)
    const isChecked = this.#otherKeys.size === 0 && (isEndChecked || !hasHead)
    const verdict =
      this.#problems.length > 0 ? 'changed' : !isChecked ? 'unchecked' : signed === 0 ? 'unsigned' : 'signed'
    return { verdict, entries, problems: this.#problems, notes: this.#notes }
  }

  /** Whether it is known where the file ended. */
  #checkHead(hasHead: boolean): boolean {
    const head = this.#head
    if (head === undefined && this.#signed === 0) return true
    const why = hasHead ? 'it has no head' : 'only the original has a head'
    if (head === undefined) this.#notes.push(`its end cannot be checked: ${why}`)
    else if (head.keyId !== this.#key?.id) this.#otherKeys.add(head.keyId)
    else if (head.seq > this.#last)
      this.#problems.push(`entries ${this.#last + 1} to ${head.seq} were written, and are cut off at the end`)
    else if (this.#atHead !== head.rest)
      this.#problems.push(`entry ${head.seq} is not the one that was written: what is here was put in its place`)
    return head !== undefined
  }
}
