import { wordsOf } from '../errors.ts'
import type { Context } from './context.ts'
import type { Waiter } from './deadlines.ts'
import type { Entry } from './entry.ts'
import type { Run } from './run.ts'
import { drop, fail, giveUp, pendingOf, settle } from './settle.ts'

/** Hooks that run side by side on one draft. Whoever finishes first, they are settled in declared order. */
export class Stage {
  readonly slots: readonly Slot[]
  #left = 0
  #done: (() => void) | undefined

  constructor(run: Run, entries: readonly Entry[]) {
    this.slots = entries.map(entry => new Slot(run, entry, () => this.#arrived()))
  }

  /** A promise, if any of them has to be waited for. */
  start(): Promise<void> | undefined {
    this.#left = this.slots.length
    for (const slot of this.slots) slot.start()
    if (this.#left === 0) return undefined
    return new Promise(resolve => {
      this.#done = resolve
    })
  }

  #arrived(): void {
    if (--this.#left === 0) this.#done?.()
  }
}

/** One hook of a stage. */
class Slot implements Waiter {
  readonly signal: AbortSignal | undefined
  patience = 0
  due = 0
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly #run: Run
  readonly #entry: Entry
  readonly #arrived: () => void
  #ctx: Context | undefined
  #raw: unknown
  #lost: { readonly why: 'threw' | 'timeout' | 'aborted'; readonly message: string } | undefined
  #state: 'new' | 'waiting' | 'done' = 'new'

  constructor(run: Run, entry: Entry, arrived: () => void) {
    this.#run = run
    this.signal = run.signal
    this.#entry = entry
    this.#arrived = arrived
  }

  start(): void {
    if (this.#run.passes(this.#entry)) return this.#finish()
    this.#ctx = this.#run.open(this.#entry)
    try {
      this.#receive(this.#entry.call(this.#ctx))
    } catch (error) {
      this.#lose('threw', wordsOf(error))
    }
  }

  #receive(raw: unknown): void {
    const pending = pendingOf(this.#run, this.#entry, raw, this)
    if (pending === undefined) {
      this.#raw = raw
      return this.#finish()
    }
    if (this.#state === 'waiting') this.#run.hub.deadlines.restart(this)
    else this.#run.hub.deadlines.add(this)
    this.#state = 'waiting'
    Promise.resolve(pending)
      .then(value => (this.#state === 'done' ? undefined : this.#receive(value)))
      .catch(error => (this.#state === 'done' ? undefined : this.#lose('threw', wordsOf(error))))
  }

  cut(why: 'timeout' | 'aborted'): void {
    this.#lose(why, '')
  }

  #lose(why: 'threw' | 'timeout' | 'aborted', message: string): void {
    this.#lost = { why, message }
    this.#finish()
  }

  #finish(): void {
    if (this.#state === 'waiting') this.#run.hub.deadlines.remove(this)
    this.#state = 'done'
    this.#arrived()
  }

  /** Counts the answer; in declared order, after all have arrived. */
  settle(place: number): void {
    if (this.#ctx === undefined) return
    const stopper = this.#run.tally.stopperOf(this.#entry)
    if (stopper !== undefined) return drop(this.#run, this.#entry, this.#ctx, stopper)
    if (this.#lost === undefined) settle(this.#run, this.#entry, this.#ctx, this.#raw, place)
    else if (this.#lost.why === 'threw') fail(this.#run, this.#entry, this.#ctx, 'threw', this.#lost.message)
    else giveUp(this.#run, this.#entry, this.#ctx, this.#lost.why, this.patience)
  }
}
