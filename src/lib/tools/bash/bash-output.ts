import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { errorMessage } from '../../errors.ts'
import { SecretFilter } from '../../util/secrets.ts'
import type { OutputListener } from '../../world/process/process.ts'
import { makeFolders } from '../../world/files/own-file.ts'

/** The maximum number of characters shown, of both streams together. */
export const SHOWN = 30_000
/** Standard error gets this many of them, however much standard output there is. */
const SHOWN_ERRORS = 10_000
const HALF = SHOWN / 2
/** In bytes. A command that prints more is ended. */
export const FLOOD = 64 * 1024 * 1024

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')

class Excerpt {
  #head = ''
  #tail = ''
  length = 0

  add(text: string): void {
    this.length += text.length
    const room = HALF - this.#head.length
    if (room > 0) this.#head += text.slice(0, room)
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(room, 0))).slice(-HALF)
  }

  text(most: number, elsewhere: string): string {
    if (this.length <= most) return this.#head + this.#tail
    const [before, after] = [Math.ceil(most / 2), Math.floor(most / 2)]
    const head = this.#head.slice(0, before).toWellFormed()
    const tail = after === 0 ? '' : this.#last(after).toWellFormed()
    return `${head}\n[… ${(this.length - most).toLocaleString('en')} characters left out${elsewhere} …]\n${tail}`
  }

  #last(count: number): string {
    return (this.length <= SHOWN ? this.#head + this.#tail : this.#tail).slice(-count)
  }
}

/** Keeps the output of a command: an excerpt in memory, and all of it in a file if that is more. */
export class Output implements OutputListener {
  onText: (text: string) => void = () => undefined
  /** Called once, when there is more output than `FLOOD`. */
  onFlood: () => void = () => undefined
  size = 0
  readonly #filters = { stdout: new SecretFilter(), stderr: new SecretFilter() }
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  readonly #whole: Whole | undefined
  #texts = { stdout: new Excerpt(), stderr: new Excerpt() }
  #both = new Excerpt()
  #characters = 0
  #isClosed = false

  constructor(file: string | undefined) {
    this.#whole = file === undefined ? undefined : new Whole(file)
  }

  stdout(chunk: Buffer): void {
    this.#add('stdout', chunk)
  }

  stderr(chunk: Buffer): void {
    this.#add('stderr', chunk)
  }

  #add(stream: 'stdout' | 'stderr', printed: Buffer): void {
    if (this.#isClosed || this.size > FLOOD) return
    this.size += printed.length
    this.#put(stream, latin(this.#filters[stream].add(printed.toString('latin1'))))
    if (this.size > FLOOD) this.onFlood()
  }

  #put(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    const text = this.#decoders[stream].write(chunk)
    this.#characters += text.length
    this.#whole?.add(chunk, this.#characters > SHOWN)
    this.#keep(stream, text)
  }

  #keep(stream: 'stdout' | 'stderr', text: string): void {
    if (text === '') return
    this.#texts[stream].add(text)
    this.#both.add(text)
    this.onText(text)
  }

  close(): void {
    this.#isClosed = true
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#put(stream, latin(this.#filters[stream].end()))
      this.#keep(stream, this.#decoders[stream].end())
    }
    this.#whole?.close()
  }

  excerpts(): { readonly stdout: string; readonly stderr: string } {
    const { stdout, stderr } = this.#texts
    const errors = Math.min(stderr.length, Math.max(SHOWN_ERRORS, SHOWN - stdout.length))
    return {
      stdout: withoutLastNewlines(stdout.text(SHOWN - errors, this.#elsewhere())),
      stderr: withoutLastNewlines(stderr.text(errors, this.#elsewhere()))
    }
  }

  /** The output since the last call, both streams in one. */
  take(): string {
    const text = this.#both.text(SHOWN, this.#elsewhere())
    this.#both = new Excerpt()
    return text
  }

  get file(): string | undefined {
    return this.#whole?.begun === true && this.#whole.failure === undefined ? this.#whole.path : undefined
  }

  #elsewhere(): string {
    if (this.file !== undefined) return `; everything is in ${this.file}`
    const failure = this.#whole?.failure
    return failure === undefined ? '' : `; they could not be kept in a file: ${failure}`
  }
}

class Whole {
  readonly path: string
  begun = false
  failure: string | undefined
  #fd: number | undefined
  #early: Buffer[] = []

  constructor(path: string) {
    this.path = path
  }

  /** Writes synchronously, so that nothing accumulates in memory. */
  add(chunk: Buffer, isNeeded: boolean): void {
    if (this.failure !== undefined) return
    if (!this.begun && !isNeeded) return void this.#early.push(chunk)
    try {
      if (!this.begun) this.#begin()
      this.#write(chunk)
    } catch (error) {
      this.failure = errorMessage(error)
      this.close()
    }
  }

  #begin(): void {
    this.begun = true
    makeFolders(dirname(this.path))
    this.#fd = openSync(this.path, 'wx', 0o600)
    const early = Buffer.concat(this.#early)
    this.#early = []
    this.#write(early)
  }

  /** A nearly full disk writes a part without an error. */
  #write(bytes: Buffer): void {
    if (this.#fd === undefined) return
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at)
  }

  close(): void {
    this.#early = []
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}

function withoutLastNewlines(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

const MOST_PROGRESS = 4_000

/** Reports new lines: each one at first, then fewer, so that any amount of output is a few hundred messages. */
export class Progress {
  readonly #report: (text: string) => void
  #pending = ''
  #total = 0
  #next = 0

  constructor(report: (text: string) => void) {
    this.#report = report
  }

  add(text: string): void {
    this.#total += text.length
    this.#pending = (this.#pending + text).slice(-MOST_PROGRESS)
    const end = this.#pending.lastIndexOf('\n')
    if (end === -1 || this.#total < this.#next) return
    this.#report(this.#pending.slice(0, end).toWellFormed())
    this.#pending = this.#pending.slice(end + 1)
    this.#next = this.#total + this.#total / 16
  }
}
