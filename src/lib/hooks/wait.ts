import { wordsOf } from '../errors.ts'
import type { Waiter } from './deadlines.ts'
import type { Outcome } from './outcome.ts'
import type { Pending, Run } from './run.ts'
import { fail, giveUp } from './settle.ts'

/**
 * The part of a fire that has to be awaited. A hook that takes too long is left behind: the turn passes to a
 * new `#follow`, which goes on with the next hook, and the old one finds its turn over whenever it wakes.
 */
export class Wait implements Waiter {
  readonly signal: AbortSignal | undefined
  patience = 0
  due = 0
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly #run: Run
  #turn = 0
  #resolve: ((outcome: Outcome) => void) | undefined

  constructor(run: Run) {
    this.#run = run
    this.signal = run.signal
  }

  outcome(pending: Pending): Promise<Outcome> {
    this.patience = this.#run.patience
    this.#run.hub.deadlines.add(this)
    return new Promise(resolve => {
      this.#resolve = resolve
      void this.#follow(pending, 0)
    })
  }

  async #follow(first: Pending, turn: number): Promise<void> {
    let pending: Pending | undefined = first
    do {
      let raw: unknown
      try {
        raw = await pending
      } catch (error) {
        if (this.#isOver(turn)) return
        pending = this.#failed(error)
        continue
      }
      if (this.#isOver(turn)) return
      pending = this.#took(raw)
    } while (pending !== undefined)
    this.#end()
  }

  #isOver(turn: number): boolean {
    if (this.#turn === turn) {
      this.#run.rewritten?.recall()
      return false
    }
    return true
  }

  #took(raw: unknown): Pending | undefined {
    const run = this.#run
    if (run.stage === undefined) {
      const pending = run.receive(run.list[run.place]!, run.ctx!, raw)
      if (pending !== undefined) return this.#await(pending)
    } else run.settleStage()
    return this.#next()
  }

  #failed(error: unknown): Pending | undefined {
    const run = this.#run
    fail(run, run.list[run.place]!, run.ctx, 'threw', wordsOf(error))
    return this.#next()
  }

  #next(): Pending | undefined {
    this.#run.place++
    const pending = this.#run.advance()
    return pending === undefined ? undefined : this.#await(pending)
  }

  #await(pending: Pending): Pending {
    this.patience = this.#run.patience
    this.#run.hub.deadlines.restart(this)
    return pending
  }

  /** The hook is not waited for any longer. The members of a stage are cut one by one instead. */
  cut(why: 'timeout' | 'aborted'): void {
    const run = this.#run
    if (run.stage !== undefined) return
    const turn = ++this.#turn
    run.rewritten?.recall()
    giveUp(run, run.list[run.place]!, run.ctx!, why, this.patience)
    const pending = this.#next()
    if (pending === undefined) this.#end()
    else void this.#follow(pending, turn)
  }

  #end(): void {
    this.#run.hub.deadlines.remove(this)
    this.#resolve!(this.#run.finish())
  }
}
