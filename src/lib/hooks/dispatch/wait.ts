import { copyPlain } from '../../util/plain.ts'
import { Context } from './context.ts'
import type { Heard, Waiter } from './deadlines.ts'
import type { Entry } from './entry.ts'
import { Failed, type Outcome } from './outcome.ts'
import { Later } from '../reply.ts'
import type { Pending, Run } from './run.ts'
import { abandon, count, drop, fail, ignore, isPassedOver, pendingOf, settle } from './settle.ts'
import type { Given } from './tally.ts'

/**
 * The part of a fire that has to be waited for. A hook that takes too long is left behind together with the
 * `Wait` that waited for it: a new one goes on with the next hook, and what the old one still hears is
 * dropped. Two callbacks serve all hooks of a fire: they cost less than an `await` for each.
 */
export class Wait implements Waiter {
  readonly signal: AbortSignal | undefined
  readonly session: Heard | undefined
  patience = 0
  due = 0
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly #run: Run
  readonly #resolve: (outcome: Outcome) => void
  readonly #reject: (error: unknown) => void
  readonly #answered = (raw: unknown): void => this.#goOn(raw, false)
  readonly #rejected = (error: unknown): void => this.#goOn(error, true)
  /** While hooks run there is nothing that could be left behind. */
  #asking = false
  #leftBehind: Entry | undefined

  private constructor(run: Run, resolve: (outcome: Outcome) => void, reject: (error: unknown) => void) {
    this.#run = run
    this.#resolve = resolve
    this.#reject = reject
    this.signal = run.phase === 'observe' ? undefined : run.signal
    this.session = run.phase === 'observe' ? undefined : run.session
  }

  static outcome(run: Run, pending: Pending): Promise<Outcome> {
    return new Promise((resolve, reject) => new Wait(run, resolve, reject).#begin(pending))
  }

  #begin(pending: Pending): void {
    this.patience = this.#run.patience
    this.#run.hub.deadlines.add(this)
    this.#follow(pending)
    // A signal that was aborted before anybody listened tells nobody.
    if (this.#isAborted()) this.cut('aborted')
  }

  #follow(pending: Pending): void {
    try {
      followNatively(pending, this.#answered, this.#rejected)
    } catch (error) {
      this.#rejected(error)
    }
  }

  #goOn(raw: unknown, threw: boolean): void {
    if (this.#leftBehind !== undefined) return ignore(this.#run, this.#leftBehind, threw ? undefined : raw)
    this.#asking = true
    try {
      const pending = this.#run.resume(raw, threw)
      this.#asking = false
      if (pending === undefined) return this.#end()
      this.patience = this.#run.patience
      this.#run.hub.deadlines.restart(this)
      this.#follow(pending)
      if (this.#isAborted()) this.cut('aborted')
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #isAborted(): boolean {
    return this.signal?.aborted === true || this.session?.aborted === true
  }

  /** A fault of the engine itself: whoever waits learns of it, and no gate opens. */
  #giveUp(error: unknown): void {
    this.#run.hub.deadlines.remove(this)
    this.#reject(error)
  }

  /** The hook is not waited for any longer. The members of a stage are cut one by one instead. */
  cut(why: 'timeout' | 'aborted'): void {
    const run = this.#run
    if (this.#leftBehind !== undefined || this.#asking || run.stage !== undefined) return
    this.#leftBehind = run.list[run.place]!
    run.hub.deadlines.remove(this)
    try {
      const pending = run.leaveBehind(why)
      if (pending === undefined) this.#resolve(run.finish())
      else new Wait(run, this.#resolve, this.#reject).#begin(pending)
    } catch (error) {
      this.#giveUp(error)
    }
  }

  #end(): void {
    this.#run.hub.deadlines.remove(this)
    this.#resolve(this.#run.finish())
  }
}

const nativeThen = Promise.prototype.then

/** A foreign promise may answer twice or at once, and a native one may carry a `then` of its own. This one does not. */
function followNatively(pending: Pending, answered: (raw: unknown) => void, rejected: (error: unknown) => void): void {
  const native = Promise.resolve(pending)
  if (native.then === nativeThen) void native.then(answered, rejected)
  else void nativeThen.call(native, answered, rejected)
}

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

/** One hook of a stage. What it said and did is taken down when it answers; from then on it changes nothing. */
class Slot implements Waiter {
  readonly signal: AbortSignal | undefined
  readonly session: Heard | undefined
  patience = 0
  due = 0
  budgeted = false
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly #run: Run
  readonly #entry: Entry
  readonly #arrived: () => void
  #ctx: Context | undefined
  #given: Given | Later | Failed | undefined
  #state: 'new' | 'waiting' | 'done' = 'new'

  constructor(run: Run, entry: Entry, arrived: () => void) {
    this.#run = run
    this.signal = run.phase === 'observe' ? undefined : run.signal
    this.session = run.phase === 'observe' ? undefined : run.session
    this.#entry = entry
    this.#arrived = arrived
  }

  start(): void {
    if (isPassedOver(this.#run, this.#entry)) return this.#finish(undefined)
    this.#ctx = this.#run.open(this.#entry)
    try {
      this.#receive(this.#entry.call(this.#ctx))
    } catch (error) {
      this.#finish(Failed.from(error))
    }
  }

  #receive(raw: unknown): void {
    if (this.#state === 'done') return ignore(this.#run, this.#entry, raw)
    let pending: PromiseLike<unknown> | undefined
    try {
      pending = pendingOf(this.#run, this.#entry, raw, this)
      if (pending === undefined) return this.#finish(raw instanceof Later ? raw : this.#takeDown(raw))
    } catch (error) {
      return this.#finish(error instanceof Failed ? error : Failed.by('reply', error))
    }
    if (this.#state === 'waiting') this.#run.hub.deadlines.restart(this)
    else this.#run.hub.deadlines.add(this)
    this.#state = 'waiting'
    this.#follow(pending)
    if (this.#isWaiting() && (this.signal?.aborted === true || this.session?.aborted === true)) this.cut('aborted')
  }

  #isWaiting(): boolean {
    return this.#state === 'waiting'
  }

  #follow(pending: PromiseLike<unknown>): void {
    const lose = (error: unknown): void => {
      if (this.#state === 'done') ignore(this.#run, this.#entry, undefined)
      else this.#finish(Failed.from(error))
    }
    try {
      followNatively(pending, value => this.#receive(value), lose)
    } catch (error) {
      lose(error)
    }
  }

  #takeDown(raw: unknown): Given {
    const said = this.#run.tally.read(this.#entry, raw)
    const draft = Context.draft(this.#ctx!)
    const messages = Context.messages(this.#ctx!)
    return {
      said,
      draft: copyPlain(draft),
      messages: messages?.slice(),
      raw: said === undefined ? undefined : copyPlain(raw)
    }
  }

  cut(why: 'timeout' | 'aborted'): void {
    this.#finish(abandon(this.#ctx!, why, this))
  }

  #finish(given: Given | Later | Failed | undefined): void {
    if (this.#state === 'waiting') this.#run.hub.deadlines.remove(this)
    this.#state = 'done'
    this.#given = given
    this.#run.trace?.arrived(this.#entry)
    if (this.#ctx !== undefined) Context.close(this.#ctx)
    this.#arrived()
  }

  /** Counts the answer; in declared order, after all have arrived. */
  settle(place: number): void {
    if (this.#ctx === undefined) return
    const stopper = this.#entry.observe ? undefined : this.#run.tally.stopperOf(this.#entry)
    if (stopper !== undefined) drop(this.#run, this.#entry, stopper)
    else if (this.#given instanceof Failed)
      fail(this.#run, this.#entry, this.#ctx, this.#given.kind, this.#given.message)
    else if (this.#given instanceof Later) settle(this.#run, this.#entry, this.#ctx, this.#given, place)
    else count(this.#run, this.#entry, this.#ctx, this.#given!, place)
  }
}
