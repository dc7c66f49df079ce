import { systemClock, type Clock } from '../util/clock.ts'
import { cutOff, abandoned } from './failure.ts'

/** Milliseconds without a sign of life; while the model thinks unseen, a multiple of it. */
const IDLE = 60_000
const THINKING_FACTOR = 5

/** Waits for one answer until it is there, it is aborted, or nothing arrived for too long. */
export class StallTimeout {
  readonly #clock: Clock
  readonly #idle: number
  readonly #outer: AbortSignal
  readonly #inner = new AbortController()
  #allowed: number
  #lastSign: number
  #cancel: () => void
  #over = false
  #giveUp: (why: Error) => void = () => {}
  readonly #onAbort = (): void => this.#end(abandoned(this.#outer.reason))

  constructor(signal: AbortSignal, clock: Clock = systemClock, idle = IDLE) {
    this.#clock = clock
    this.#idle = this.#allowed = idle
    this.#outer = signal
    this.#lastSign = clock.now()
    this.#cancel = clock.after(idle, () => this.#look())
    signal.addEventListener('abort', this.#onAbort)
  }

  get signal(): AbortSignal {
    return this.#inner.signal
  }

  get isOver(): boolean {
    return this.#over
  }

  /** Something arrived. The timer keeps running; when it fires, it checks how long ago that was. */
  reset(isThinkingUnseen: boolean): void {
    this.#lastSign = this.#clock.now()
    this.#allowed = isThinkingUnseen ? this.#idle * THINKING_FACTOR : this.#idle
  }

  #look(): void {
    const left = this.#lastSign + this.#allowed - this.#clock.now()
    if (left > 0) this.#cancel = this.#clock.after(left, () => this.#look())
    else this.#end(cutOff(`nothing arrived for ${Math.round(this.#allowed / 1000)} seconds`))
  }

  /** Settles at once when the wait is over, even if the adapter does not stop. */
  await<T>(answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#giveUp = reject
      answer.then(resolve, reject).finally(() => this.#close())
    })
  }

  #end(why: Error): void {
    if (this.#over) return
    this.#close()
    this.#giveUp(why)
    this.#inner.abort(why)
  }

  #close(): void {
    this.#over = true
    this.#cancel()
    this.#outer.removeEventListener('abort', this.#onAbort)
  }
}
