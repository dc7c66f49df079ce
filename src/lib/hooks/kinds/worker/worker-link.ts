import { Buffer, isUtf8 } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '../../../util/clock.ts'
import type { Ended, OutputListener, Running } from '../../../world/process/process.ts'
import { OUTPUT_CAP } from '../capture.ts'
import { startErrorText } from '../program.ts'
import { brokenFrame, readFrame, type WorkerFrame } from './worker-frames.ts'
import { HookFailure } from '../../dispatch/hook-failure.ts'

export interface LinkListener {
  frame(frame: WorkerFrame, line: string): boolean
  noise(words: string): void
  stderr(text: string): void
  lost(why: HookFailure): void
  /** It judges answers of models: what it prints may quote one, which no one else may see. */
  isMuted(): boolean
}

const UNSHOWN = 'what it prints is not shown, because it may quote an answer\n'

const NEWLINE = 10
/** How long noise counts, in milliseconds: a log that grows slowly is not a flood. */
const NOISE_SPAN = 10_000
/** The cost of a line besides its bytes: many short ones are a flood as well. */
const LINE_COST = 32

/** A worker's process, and its output lines. After it was abandoned, its output is ignored. */
export class WorkerLink implements OutputListener {
  readonly #ears: LinkListener
  readonly #clock: Clock
  readonly #running: Running
  readonly #decoder = new StringDecoder()
  #parts: Buffer[] = []
  #size = 0
  #spoke = false
  #noise = 0
  #noiseSince = 0
  #stderr = ''
  #over = false

  constructor(start: (listener: OutputListener) => Running, clock: Clock, ears: LinkListener) {
    this.#ears = ears
    this.#clock = clock
    this.#running = start(this)
    void this.#running.ended.then(ended => this.#lose(this.#endFailure(ended)))
  }

  get pid(): number | undefined {
    return this.#running.pid
  }

  write(text: string): void {
    this.#running.write(text)
  }

  hold(on: boolean): void {
    this.#running.hold(on)
  }

  end(): void {
    this.#over = true
    this.#running.end()
  }

  stdout(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && !this.#over; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end))
      if (!this.#over) this.#line()
      start = end + 1
    }
    if (start < chunk.length && !this.#over) this.#keep(chunk.subarray(start))
  }

  #keep(part: Buffer): void {
    this.#size += part.length
    this.#parts.push(part)
    if (this.#size > OUTPUT_CAP) this.#flooded('a line of')
  }

  #line(): void {
    const [first] = this.#parts
    const bytes = first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
    this.#parts = []
    this.#size = 0
    let line = bytes.toString()
    // A byte order mark is accepted once, at the start.
    if (!this.#spoke && line.startsWith('\uFEFF')) line = line.slice(1)
    this.#spoke = true
    this.#read(line, isUtf8(bytes), bytes.length)
  }

  #read(line: string, valid: boolean, size: number): void {
    const frame = valid ? readFrame(line) : brokenFrame(line, 'it is not UTF-8')
    if (typeof frame === 'string') {
      const start = line.length > 100 ? `${line.slice(0, 100)}…` : line
      const why = this.#ears.isMuted() ? UNSHOWN.trim() : `since ${frame}: ${JSON.stringify(start)}`
      this.#ears.noise(`a line that is not a frame was dropped, ${why}`)
      this.#heardNoise(size)
    } else if (this.#ears.frame(frame, line)) this.#noise = 0
    else this.#heardNoise(size)
  }

  stderr(chunk: Buffer): void {
    if (this.#over) return
    const text = this.#ears.isMuted() ? UNSHOWN : this.#decoder.write(chunk)
    this.#stderr = (this.#stderr + text).slice(-1000)
    if (text !== '') this.#ears.stderr(text)
    this.#heardNoise(chunk.length)
  }

  /** Output that answers nothing is allowed, but not without limit. */
  #heardNoise(bytes: number): void {
    const now = this.#clock.now()
    if (now - this.#noiseSince > NOISE_SPAN) [this.#noise, this.#noiseSince] = [0, now]
    this.#noise += bytes + LINE_COST
    if (this.#noise > OUTPUT_CAP) this.#flooded('what answers nothing,')
  }

  #flooded(what: string): void {
    const words = `output cap: its worker printed ${what} more than ${OUTPUT_CAP} bytes, and was ended`
    this.#lose(new HookFailure('output', words))
  }

  #lose(why: HookFailure): void {
    if (this.#over) return
    this.end()
    this.#ears.lost(why)
  }

  #endFailure({ error, code, signal, left }: Ended): HookFailure {
    if (error !== undefined) return new HookFailure('spawn', `its worker ${startErrorText(error)}`)
    const last = stripVTControlCharacters(this.#stderr).trim().replace(/^.*\n/s, '')
    const words = `${last === '' ? ' (nothing on stderr)' : `: ${last}`}${left ? '; it left others running' : ''}`
    // A shell prints this if it cannot start a program.
    if ((code === 126 || code === 127) && !this.#spoke) return new HookFailure('spawn', `could not be started${words}`)
    const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`
    return new HookFailure('worker', `its worker ${how}${words}`)
  }
}
