import type { Clock } from '../../../util/clock.ts'

/** After a ping, silence is checked twice: a late timer must not count for what was not read yet. */
const LOOK = 1_000
const LOOKS = 2

/** Checks whether a worker is still alive while an answer is pending; otherwise there is no timer. */
export class Heartbeat {
  readonly #clock: Clock
  readonly #interval: number
  readonly #ping: () => void
  readonly #onSilence: (seconds: number) => void
  #lastSign = 0
  #looks = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, interval: number, ping: () => void, onSilence: (seconds: number) => void) {
    this.#clock = clock
    this.#interval = interval
    this.#ping = ping
    this.#onSilence = onSilence
  }

  watch(): void {
    if (this.#cancel !== undefined) return
    this.sign()
    this.#arm(this.#interval)
  }

  rest(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  sign(): void {
    this.#lastSign = this.#clock.now()
    this.#looks = 0
  }

  #arm(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#look())
  }

  #look(): void {
    const silent = this.#clock.now() - this.#lastSign
    if (silent < this.#interval) return this.#arm(this.#interval - silent)
    if (this.#looks === LOOKS) {
      this.#cancel = undefined
      return this.#onSilence((this.#interval + LOOK * LOOKS) / 1000)
    }
    if (this.#looks++ === 0) this.#ping()
    this.#arm(LOOK)
  }
}
