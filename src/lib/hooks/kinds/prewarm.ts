import { statSync } from 'node:fs'
import { startThroughHelper } from '../../world/process/helper.ts'
import type { Running } from '../../world/process/process.ts'
import type { Program } from '../../world/process/program.ts'
import { Capture } from './capture.ts'
import type { HookEnvironment } from './hook-environment.ts'
import type { OutsideSpec } from './spec.ts'
import { filesNamedBy } from './paths.ts'

export interface HookProcess {
  readonly running: Running
  readonly capture: Capture
  readonly ahead: boolean
}

interface WaitingProcess extends HookProcess {
  readonly since: number
  readonly key: string
  readonly forget: () => void
}

/** How long a process may wait for an event, in milliseconds. */
const IDLE = 300_000

/**
 * Keeps the next process of a command ready: started, and waiting on its standard input. One is kept for each event. It
 * is used only for exactly what it was started for: the same words, folder, environment and script.
 */
export class WarmProcesses {
  readonly #place: HookEnvironment
  readonly #name: string
  readonly #verify: OutsideSpec['verify']
  readonly #waiting = new Map<string, WaitingProcess>()
  /** The longest run of a process that was not started ahead, in milliseconds. */
  #whole = 0
  #off = false

  constructor({ name, command, verify }: OutsideSpec & { command: string }, place: HookEnvironment) {
    this.#place = place
    this.#name = name ?? command
    this.#verify = verify
    place.onClose(() => this.close())
  }

  /** The process that waits for this program, if there is one. One that waits for something else is ended. */
  take(program: Program): HookProcess | undefined {
    const event = eventOf(program)
    const waiting = this.#waiting.get(event)
    if (waiting === undefined) return undefined
    // A process younger than a run may still be busy without having read its input: it would answer from what it saw
    // before the event. Runs differ, so it gets twice the time of the longest.
    const isReady = this.#place.clock.now() - waiting.since >= 2 * this.#whole
    if (waiting.key === keyOf(program)) return isReady ? this.#remove(event) : undefined
    this.#drop(event)
    this.#place.notice(`${this.#name}: dropped the waiting process, since its script or its environment has changed`)
    return undefined
  }

  learn(ms: number): void {
    this.#whole = Math.max(this.#whole, ms)
  }

  prepare(template: Program): void {
    const event = eventOf(template)
    if (this.#off || this.#waiting.has(event) || this.#verify?.() !== undefined) return
    const key = keyOf(template)
    const capture = new Capture()
    capture.onFlood = () => running.end()
    const running = this.#place.start(template, capture, startThroughHelper)
    const forget = this.#place.clock.after(IDLE, () => this.#drop(event))
    this.#waiting.set(event, { running, capture, ahead: true, since: this.#place.clock.now(), key, forget })
    void running.ended.then(() => this.#hasEnded(event, running))
  }

  /** A process that does not wait for its input cannot be started ahead: it would do its work too early. */
  #hasEnded(event: string, running: Running): void {
    if (this.#waiting.get(event)?.running !== running) return
    this.#remove(event)
    this.giveUp()
  }

  giveUp(): void {
    this.#off = true
    this.#place.notice(
      `${this.#name}: ended before it got an event; it does not read standard input first, so prewarm is off`
    )
  }

  #remove(event: string): WaitingProcess | undefined {
    const waiting = this.#waiting.get(event)
    this.#waiting.delete(event)
    waiting?.forget()
    return waiting
  }

  #drop(event: string): void {
    this.#remove(event)?.running.end()
  }

  close(): void {
    this.#off = true
    for (const event of this.#waiting.keys()) this.#drop(event)
  }
}

const eventOf = ({ env }: Program): string => env['EVENT'] ?? ''

function keyOf({ file, args, cwd, env }: Program): string {
  return JSON.stringify([file, args, cwd, env, filesNamedBy([file, ...args], cwd, env).map(stampOf)])
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
  } catch {
    return ''
  }
}
