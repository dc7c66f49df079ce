import { systemClock, type Clock } from '../util/clock.ts'
import { cutOff, givenUp } from './failure.ts'

/** How long nothing may come, in milliseconds. */
const IDLE = 60_000

/** The same, as a multiple, while a model thinks where nobody can see it. */
const PONDERING = 5

/** Waits for one answer: until it is there, nobody wants it any more, or nothing has come for too long. */
export class Patience {
  readonly #clock: Clock
  readonly #idle: number
  readonly #outer: AbortSignal
  readonly #inner = new AbortController()
  #allowed: number
  #heard: number
  #cancel: () => void
  #over = false
  #giveUp: (why: Error) => void = () => {}
  readonly #onAbort = (): void => this.#end(givenUp(this.#outer.reason))

  constructor(signal: AbortSignal, clock: Clock = systemClock, idle = IDLE) {
    this.#clock = clock
    this.#idle = this.#allowed = idle
    this.#outer = signal
    this.#heard = clock.now()
    this.#cancel = clock.after(idle, () => this.#look())
    signal.addEventListener('abort', this.#onAbort)
  }

  /** For the provider's adapter: it should stop. */
  get signal(): AbortSignal {
    return this.#inner.signal
  }

  /** Nobody waits any more. */
  get isOver(): boolean {
    return this.#over
  }

  /** Something has come. The timer is left alone: it looks how long ago that was. */
  hear(ponders: boolean): void {
    this.#heard = this.#clock.now()
    this.#allowed = ponders ? this.#idle * PONDERING : this.#idle
  }

  #look(): void {
    const left = this.#heard + this.#allowed - this.#clock.now()
    if (left > 0) this.#cancel = this.#clock.after(left, () => this.#look())
    else this.#end(cutOff(`nothing came for ${Math.round(this.#allowed / 1000)} seconds`))
  }

  /** Settles as soon as this is decided, even when the adapter does not stop. */
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
