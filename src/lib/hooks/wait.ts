import type { Waiter } from './deadlines.ts'
import type { Outcome } from './outcome.ts'
import type { Pending, Run } from './run.ts'

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
    const run = this.#run
    let pending: Pending | undefined = first
    do {
      let raw: unknown
      let threw = false
      try {
        raw = await pending
      } catch (error) {
        raw = error
        threw = true
      }
      if (this.#turn !== turn) return
      pending = run.resume(raw, threw)
      if (pending !== undefined) this.#restart()
    } while (pending !== undefined)
    this.#end()
  }

  #restart(): void {
    this.patience = this.#run.patience
    this.#run.hub.deadlines.restart(this)
  }

  /** The hook is not waited for any longer. The members of a stage are cut one by one instead. */
  cut(why: 'timeout' | 'aborted'): void {
    if (this.#run.stage !== undefined) return
    const turn = ++this.#turn
    const pending = this.#run.leaveBehind(why, this.patience)
    if (pending === undefined) return this.#end()
    this.#restart()
    void this.#follow(pending, turn)
  }

  #end(): void {
    this.#run.hub.deadlines.remove(this)
    this.#resolve!(this.#run.finish())
  }
}
