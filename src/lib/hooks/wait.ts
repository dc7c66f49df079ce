import type { Waiter } from './deadlines.ts'
import type { Entry } from './entry.ts'
import type { Outcome } from './outcome.ts'
import type { Pending, Run } from './run.ts'
import { ignore } from './settle.ts'

/**
 * The part of a fire that has to be waited for. A hook that takes too long is left behind together with the
 * `Wait` that waited for it: a new one goes on with the next hook, and what the old one still hears is
 * dropped. Two callbacks serve all hooks of a fire; an `await` for each would cost twice as much.
 */
export class Wait implements Waiter {
  readonly signal: AbortSignal | undefined
  readonly session: AbortSignal | undefined
  patience = 0
  due = 0
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly #run: Run
  readonly #resolve: (outcome: Outcome) => void
  readonly #answered = (raw: unknown): void => this.#goOn(raw, false)
  readonly #rejected = (error: unknown): void => this.#goOn(error, true)
  /** While hooks run there is nothing that could be left behind. */
  #asking = false
  #leftBehind: Entry | undefined

  private constructor(run: Run, resolve: (outcome: Outcome) => void) {
    this.#run = run
    this.#resolve = resolve
    this.signal = run.signal
    this.session = run.session
  }

  static outcome(run: Run, pending: Pending): Promise<Outcome> {
    return new Promise(resolve => new Wait(run, resolve).#begin(pending))
  }

  #begin(pending: Pending): void {
    this.patience = this.#run.patience
    this.#run.hub.deadlines.add(this)
    this.#follow(pending)
    // A signal that was aborted before anybody listened tells nobody.
    if (this.signal?.aborted === true || this.session?.aborted === true) this.cut('aborted')
  }

  #follow(pending: Pending): void {
    // A foreign promise may answer twice or at once, or refuse to be one; a native one may not.
    try {
      void Promise.resolve(pending).then(this.#answered, this.#rejected)
    } catch (error) {
      this.#rejected(error)
    }
  }

  #goOn(raw: unknown, threw: boolean): void {
    if (this.#leftBehind !== undefined) return ignore(this.#run, this.#leftBehind, threw ? undefined : raw)
    this.#asking = true
    const pending = this.#run.resume(raw, threw)
    this.#asking = false
    if (pending === undefined) return this.#end()
    this.patience = this.#run.patience
    this.#run.hub.deadlines.restart(this)
    this.#follow(pending)
    if (this.#run.aborted) this.cut('aborted')
  }

  /** The hook is not waited for any longer. The members of a stage are cut one by one instead. */
  cut(why: 'timeout' | 'aborted'): void {
    const run = this.#run
    if (this.#leftBehind !== undefined) return
    if (this.#asking || run.stage !== undefined) {
      run.aborted ||= why === 'aborted'
      return
    }
    this.#leftBehind = run.list[run.place]!
    run.hub.deadlines.remove(this)
    const pending = run.leaveBehind(why)
    if (pending === undefined) this.#resolve(run.finish())
    else new Wait(run, this.#resolve).#begin(pending)
  }

  #end(): void {
    this.#run.hub.deadlines.remove(this)
    this.#resolve(this.#run.finish())
  }
}
