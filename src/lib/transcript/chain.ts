import { createHash, createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { closeSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addOwnFile, makeFolders } from '../world/files/own-file.ts'
import { ifThere } from '../world/files/paths.ts'
import type { Lock } from '../world/lock/lock.ts'
import { openInPlace } from './disk.ts'
import type { SessionKey } from './store.ts'

/** What the first signed line of a file follows. */
export const START = 'start'

/** The length of a signature: eight digits that name the key, a colon, half of the digits of the keyed hash. */
export const MAC_DIGITS = 41

export interface SigningKey {
  readonly id: string
  /** A `KeyObject`, which programs without the types of Node cannot name. */
  readonly secret: object
}

/**
 * The signature of a line covers the signature before it, so none can be changed, left out or moved. The line has one half
 * of the hash and the head, outside the file, the other (`rest`): no one can make a head from the log.
 */
export function signatureOf({ id, secret }: SigningKey, before: string, line: Uint8Array) {
  const sum = createHmac('sha256', secret as KeyObject)
    .update(before)
    .update(line)
    .digest('hex')
  return { mac: `${id}:${sum.slice(0, 32)}`, rest: sum.slice(32) }
}

/** The signatures of one file that is being written. */
export class Chain {
  readonly #key: SigningKey
  readonly #path: string
  readonly #held: Lock | undefined
  #last: ReturnType<typeof signatureOf>
  #file: number | undefined

  constructor(key: SigningKey, path: string, last: string, held: Lock | undefined) {
    this.#held = held
    this.#key = key
    this.#path = path
    this.#last = { mac: last, rest: '' }
  }

  sign(line: Uint8Array): string {
    this.#last = signatureOf(this.#key, this.#last.mac, line)
    return this.#last.mac
  }

  /** The head of what has been signed so far. It is written once that is durable: it never states more than the log has. */
  headAt(seq: number): Uint8Array {
    return Buffer.from(`${String(seq).padStart(16)} ${this.#key.id} ${this.#last.rest}\n`, 'latin1')
  }

  /** Unless another process writes the file by now. */
  writeHead(head: Uint8Array): void {
    this.#held?.check()
    if (this.#file === undefined) makeFolders(dirname(this.#path))
    writeSync((this.#file ??= openInPlace(this.#path)), head, 0, head.length, 0)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

const KEY = /^[0-9a-f]{64}\n?$/
const HEAD = /^ *(\d+) ([0-9a-f]{8}) ([0-9a-f]{32})\n$/

/** The key and the heads, in a folder to which agents have no access. */
export class Signatures {
  readonly headsFolder: string
  readonly #keyPath: string
  #key: SigningKey | undefined

  constructor(folder: string) {
    this.headsFolder = join(folder, 'heads')
    this.#keyPath = join(folder, 'key')
  }

  /**
   * Makes the key if there is none. Another process may do so at the same time: the first counts. `end`: the last line of
   * the file. If it is shorter than its head says, the chain stays broken here, whatever is added.
   */
  chainFor(key: SessionKey, end: { readonly last: number; readonly mac?: string }, held?: Lock): Chain {
    if (this.key() === undefined) addOwnFile(this.#keyPath, `${randomBytes(32).toString('hex')}\n`)
    const made = this.key()
    if (made === undefined) throw new Error(`${this.#keyPath} is not a key; move it away, and a new one is made`)
    const isCut = (this.head(key)?.seq ?? 0) > end.last
    return new Chain(made, this.#headPath(key), isCut ? 'cut' : (end.mac ?? START), held)
  }

  /** Undefined if there is none, or if it is not one. */
  key(): SigningKey | undefined {
    const text = this.#key === undefined ? ifThere(() => readFileSync(this.#keyPath, 'latin1')) : undefined
    if (text === undefined || !KEY.test(text)) return this.#key
    const secret = Buffer.from(text.trim(), 'hex')
    const id = createHash('sha256').update(secret).digest('hex').slice(0, 8)
    return (this.#key = { id, secret: createSecretKey(secret) })
  }

  #headPath({ projectKey, sessionId, subpath = '' }: SessionKey): string {
    return `${join(this.headsFolder, projectKey, sessionId, subpath)}.head`
  }

  /** The last durable line, as the head states it. Undefined if there is none that can be read. */
  head(key: SessionKey): { readonly seq: number; readonly keyId: string; readonly rest: string } | undefined {
    const [, seq, keyId = '', rest = ''] =
      HEAD.exec(ifThere(() => readFileSync(this.#headPath(key), 'latin1')) ?? '') ?? []
    return seq === undefined ? undefined : { seq: Number(seq), keyId, rest }
  }

  forget(key: SessionKey): void {
    rmSync(this.#headPath(key), { force: true })
  }
}
