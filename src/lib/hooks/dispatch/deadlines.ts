import type { Clock } from '../../util/clock.ts'

export interface Waiter {
  /** How long it may still take, in ms from the moment it was set. */
  patience: number
  /** When that time ends; 0 until the next sweep has read the clock. */
  due: number
  /** What may be aborted while it waits. */
  readonly run: { readonly signal: AbortSignal | undefined; readonly session: AbortFlag | undefined } | undefined
  previous: Waiter | undefined
  next: Waiter | undefined
  cut(why: 'timeout' | 'aborted'): void
}

/** Whether a signal was aborted. It costs less to read than the signal, and is read for every hook. */
export interface AbortFlag {
  aborted: boolean
}

const SHORTEST = 20
const LONGEST = 100

const BY_CLOCK = new WeakMap<Clock, Deadlines>()

/** Registries with the same clock share their deadlines, so that a shared signal has one listener. */
export function deadlinesOf(clock: Clock): Deadlines {
  let deadlines = BY_CLOCK.get(clock)
  if (deadlines === undefined) BY_CLOCK.set(clock, (deadlines = new Deadlines(clock)))
  return deadlines
}

/**
 * All waiting fires share one coarse timer, and all fires of a signal share one listener: a timer and a listener
 * for every fire would cost more than its hooks. So would reading the clock for each: a deadline is set by the next
 * sweep, at most LONGEST ms late. Only patience below that reads the clock at once.
 */
export class Deadlines {
  readonly #clock: Clock
  readonly #lazy: boolean
  readonly #flags = new WeakMap<AbortSignal, AbortFlag>()
  #lastWatched: AbortSignal | undefined
  #first: Waiter | undefined
  #pause = SHORTEST
  #disarm: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#lazy = clock.coarse
  }

  add(waiter: Waiter): void {
    waiter.next = this.#first
    if (this.#first !== undefined) this.#first.previous = waiter
    this.#first = waiter
    const signal = waiter.run?.signal
    if (signal !== undefined && signal !== this.#lastWatched) this.watch(signal)
    this.restart(waiter)
  }

  restart(waiter: Waiter): void {
    if (this.#lazy && waiter.patience > LONGEST && this.#disarm !== undefined) waiter.due = 0
    else this.#set(waiter)
  }

  #set(waiter: Waiter): void {
    const exact = this.#lazy === false || waiter.patience <= LONGEST
    waiter.due = exact ? this.#clock.now() + waiter.patience : 0
    if (this.#disarm === undefined) this.#arm(Math.min(waiter.patience, SHORTEST))
    else if (exact && waiter.patience < this.#pause) this.#arm(waiter.patience)
  }

  remove(waiter: Waiter): void {
    if (waiter.previous === undefined) {
      if (this.#first !== waiter) return
      this.#first = waiter.next
    } else waiter.previous.next = waiter.next
    if (waiter.next !== undefined) waiter.next.previous = waiter.previous
    waiter.previous = undefined
    waiter.next = undefined
    // A long timer would keep the process alive; a short one may run out.
    if (this.#first === undefined && this.#pause > SHORTEST) this.#rest()
  }

  #rest(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#pause = SHORTEST
  }

  #arm(ms: number): void {
    this.#disarm?.()
    this.#pause = ms
    this.#disarm = this.#clock.after(ms, () => this.#sweep())
  }

  #sweep(): void {
    this.#disarm = undefined
    const now = this.#clock.now()
    let soonest = now + Math.min(this.#pause * 2, LONGEST)
    const late: Waiter[] = []
    for (let waiter = this.#first; waiter !== undefined; waiter = waiter.next) {
      if (waiter.due === 0) waiter.due = now + waiter.patience
      if (waiter.due <= now) late.push(waiter)
      else soonest = Math.min(soonest, waiter.due)
    }
    for (const waiter of late) if (waiter.due <= now && this.#holds(waiter)) waiter.cut('timeout')
    if (this.#first !== undefined && this.#disarm === undefined) this.#arm(Math.max(1, soonest - now))
  }

  #holds(waiter: Waiter): boolean {
    return waiter.previous !== undefined || this.#first === waiter
  }

  /** Adds one listener per signal. */
  watch(signal: AbortSignal): AbortFlag {
    this.#lastWatched = signal
    const known = this.#flags.get(signal)
    if (known !== undefined) return known
    const flag = { aborted: signal.aborted }
    this.#flags.set(signal, flag)
    signal.addEventListener('abort', () => this.#abort(signal, flag), { once: true })
    return flag
  }

  #abort(signal: AbortSignal, flag: AbortFlag): void {
    flag.aborted = true
    const waiting: Waiter[] = []
    for (let waiter = this.#first; waiter !== undefined; waiter = waiter.next) {
      if (waiter.run?.signal === signal || waiter.run?.session === flag) waiting.push(waiter)
    }
    for (const waiter of waiting) if (this.#holds(waiter)) waiter.cut('aborted')
  }
}
