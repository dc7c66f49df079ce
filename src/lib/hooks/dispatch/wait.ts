import { copyPlain } from '../../util/plain.ts'
import { Later } from '../reply.ts'
import { Context } from './context.ts'
import type { Waiter } from './deadlines.ts'
import type { HookEntry } from './entry.ts'
import { HookFailure } from './hook-failure.ts'
import type { HookAnswer, Outcome } from './outcome.ts'
import type { Run } from './run.ts'
import { abandon, count, drop, fail, ignore, isPassedOver, pendingOf, settle, type PendingAnswer } from './settle.ts'

/** One that has ended. An agent rarely waits for two fires at once, so that one is enough. */
let spare: Wait | undefined

/**
 * Waits for the promises of hooks. When a hook times out, its `Wait` is abandoned: a new one continues with the next
 * hook, and a later answer to the old one is dropped. Two callbacks serve all hooks of a fire, which costs less than an
 * `await` for each. They serve a later fire too: a promise that has called one of them calls none again.
 */
export class Wait implements Waiter {
  patience = 0
  due = 0
  previous: Waiter | undefined
  next: Waiter | undefined
  /** Absent between two fires. */
  run: Run | undefined
  readonly #onAnswer = (raw: unknown): void => Wait.#resume(this, raw, false)
  readonly #onError = (error: unknown): void => Wait.#resume(this, error, true)
  /** Hooks are being called, so that none is waited for. */
  #asking = false
  #leftBehind: HookEntry | undefined

  static outcome(run: Run, pending: PendingAnswer): Promise<Outcome> {
    const wait = spare ?? new Wait()
    spare = undefined
    const outcome = new Promise<Outcome>(resolve => {
      run.resolve = resolve
    })
    try {
      Wait.#begin(wait, run, pending)
    } catch (error) {
      Wait.#giveUp(wait, run, error)
    }
    return outcome
  }

  // Private methods would add a field to each object.
  static #begin(wait: Wait, run: Run, pending: PendingAnswer): void {
    wait.run = run
    wait.patience = run.patience
    run.registry.deadlines.add(wait)
    Wait.#follow(wait, run, pending)
  }

  static #follow(wait: Wait, run: Run, pending: PendingAnswer): void {
    try {
      followNatively(pending, wait.#onAnswer, wait.#onError)
    } catch (error) {
      wait.#onError(error)
    }
    // A signal that was aborted before there was a listener does not call it.
    if (run.isAborted()) wait.cut('aborted')
  }

  static #resume(wait: Wait, raw: unknown, threw: boolean): void {
    const { run } = wait
    if (run === undefined) return
    if (wait.#leftBehind !== undefined) return ignore(run, wait.#leftBehind, threw ? undefined : raw)
    wait.#asking = true
    try {
      const pending = run.resume(raw, threw)
      wait.#asking = false
      if (pending === undefined) return Wait.#end(wait, run)
      wait.patience = run.patience
      run.registry.deadlines.restart(wait)
      Wait.#follow(wait, run, pending)
    } catch (error) {
      Wait.#giveUp(wait, run, error)
    }
  }

  static #end(wait: Wait, run: Run): void {
    const outcome = run.finish()
    run.registry.deadlines.remove(wait)
    wait.run = undefined
    spare = wait
    run.resolve?.(outcome)
  }

  /** A fault of the engine itself: the fire rejects, and no gate opens. */
  static #giveUp(wait: Wait, run: Run, error: unknown): void {
    run.registry.deadlines.remove(wait)
    run.resolve?.(Promise.reject(error))
  }

  cut(why: 'timeout' | 'aborted'): void {
    const { run } = this
    if (run === undefined || this.#leftBehind !== undefined || this.#asking || run.stage !== undefined) return
    this.#leftBehind = run.list[run.place]
    run.registry.deadlines.remove(this)
    try {
      const pending = run.resume(run.ctx && abandon(run.ctx, why, run), true)
      if (pending === undefined) return run.resolve?.(run.finish())
      Wait.#begin(new Wait(), run, pending)
    } catch (error) {
      Wait.#giveUp(this, run, error)
    }
  }
}

const nativeThen = Promise.prototype.then

/** Follows by the native `then`: another may call back twice, or at once. */
function followNatively(
  pending: PendingAnswer,
  answered: (raw: unknown) => void,
  rejected: (error: unknown) => void
): void {
  const native = Promise.resolve(pending)
  if (native.then === nativeThen) void native.then(answered, rejected)
  else void nativeThen.call(native, answered, rejected)
}

/** Hooks that run side by side on one draft. They are settled in declared order, whichever finishes first. */
export class Stage {
  readonly slots: readonly Slot[]
  #left = 0
  #done: (() => void) | undefined

  constructor(run: Run, entries: readonly HookEntry[]) {
    this.slots = entries.map(entry => new Slot(run, entry, () => this.#countDown()))
  }

  start(): Promise<void> | undefined {
    this.#left = this.slots.length
    for (const slot of this.slots) slot.start()
    if (this.#left === 0) return undefined
    return new Promise(resolve => {
      this.#done = resolve
    })
  }

  #countDown(): void {
    if (--this.#left === 0) this.#done?.()
  }
}

/** One hook of a stage. Its answer is copied when it comes; from then on the hook changes nothing. */
class Slot implements Waiter {
  patience = 0
  due = 0
  budgeted = false
  previous: Waiter | undefined
  next: Waiter | undefined
  readonly run: Run
  readonly #entry: HookEntry
  readonly #onDone: () => void
  #ctx: Context | undefined
  #answer: HookAnswer | Later | HookFailure | undefined
  #state: 'new' | 'waiting' | 'done' = 'new'

  constructor(run: Run, entry: HookEntry, onDone: () => void) {
    this.run = run
    this.#entry = entry
    this.#onDone = onDone
  }

  start(): void {
    if (isPassedOver(this.run, this.#entry)) return this.#finish(undefined)
    const ctx = (this.#ctx = new Context(this.run, this.#entry))
    try {
      this.#receive(ctx, this.#entry.call(ctx))
    } catch (error) {
      this.#finish(HookFailure.from(error))
    }
  }

  #receive(ctx: Context, raw: unknown): void {
    if (this.#state === 'done') return ignore(this.run, this.#entry, raw)
    let pending: PendingAnswer | undefined
    try {
      pending = pendingOf(this.run, this.#entry, raw, this)
      if (pending === undefined) return this.#finish(raw instanceof Later ? raw : this.#answerOf(ctx, raw))
    } catch (error) {
      return this.#finish(HookFailure.by('reply', error))
    }
    if (this.#state === 'waiting') this.run.registry.deadlines.restart(this)
    else this.run.registry.deadlines.add(this)
    this.#state = 'waiting'
    this.#follow(ctx, pending)
    if (this.#state === 'waiting' && this.run.isAborted()) this.cut('aborted')
  }

  #follow(ctx: Context, pending: PendingAnswer): void {
    const onError = (error: unknown): void => {
      if (this.#state === 'done') ignore(this.run, this.#entry, undefined)
      else this.#finish(HookFailure.from(error))
    }
    try {
      followNatively(pending, value => this.#receive(ctx, value), onError)
    } catch (error) {
      onError(error)
    }
  }

  #answerOf(ctx: Context, raw: unknown): HookAnswer {
    const reply = this.run.tally.read(this.#entry, raw)
    return {
      reply,
      draft: copyPlain(Context.draft(ctx)),
      messages: Context.messages(ctx)?.slice(),
      raw: reply === undefined ? undefined : copyPlain(raw)
    }
  }

  cut(why: 'timeout' | 'aborted'): void {
    if (this.#ctx !== undefined) this.#finish(abandon(this.#ctx, why, this))
  }

  #finish(answer: HookAnswer | Later | HookFailure | undefined): void {
    if (this.#state === 'waiting') this.run.registry.deadlines.remove(this)
    this.#state = 'done'
    this.#answer = answer
    this.run.trace?.arrived(this.#entry)
    if (this.#ctx !== undefined) Context.close(this.#ctx)
    this.#onDone()
  }

  settle(): void {
    const [run, entry, ctx, answer] = [this.run, this.#entry, this.#ctx, this.#answer]
    if (ctx === undefined || answer === undefined) return
    const stopper = entry.observe ? undefined : run.tally.stopperOf(entry)
    if (stopper !== undefined) drop(run, entry, stopper)
    else if (answer instanceof HookFailure) fail(run, entry, ctx, answer)
    else if (answer instanceof Later) settle(run, entry, ctx, answer)
    else count(run, entry, ctx, answer)
  }
}
