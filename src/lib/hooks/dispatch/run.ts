import { copyPlain, flatKeys, holdsSame, isObject, same, type PlainObject } from '../../util/plain.ts'
import { Context, refuseStrangers } from './context.ts'
import type { Heard } from './deadlines.ts'
import type { Chosen, Entry } from './entry.ts'
import type { FireOptions, RegistryInternals, Reported } from '../registry-internals.ts'
import { Failed, frozen, type Outcome } from './outcome.ts'
import { Rewrites } from './rewrites.ts'
import { stagesOf, type EventHooks } from './roster.ts'
import { LONGEST_TIMER } from '../option-values.ts'
import { abandon, fail, failWith, isPassedOver, pendingOf, settle } from './settle.ts'
import { Tally } from './tally.ts'
import { Trace } from '../trace.ts'
import { Stage, Wait } from './wait.ts'

export type Pending = PromiseLike<unknown>

/**
 * One fire, from the first hook to the outcome. Hooks are asked one after the other without a pause, in three
 * phases: they judge; those who judged an older draft judge again; observers look on. Only what has to be
 * waited for is awaited, and that is the business of `Wait`.
 */
export class Run {
  readonly hub: RegistryInternals
  readonly lane: EventHooks
  readonly input: PlainObject
  readonly options: FireOptions
  /** How deep within other hooks this fire is. */
  readonly depth: number
  /** Of this fire, and of the registry. */
  readonly signal: AbortSignal | undefined
  readonly session: Heard | undefined
  readonly trace: Trace | undefined
  readonly #chosen: Chosen
  phase: 'judge' | 'rejudge' | 'observe' = 'judge'
  list: readonly Entry[]
  place = 0
  /** The hook that is waited for; hooks that run side by side are a stage. */
  #ctx: Context | undefined
  stage: Stage | undefined
  /** How long what is pending may take, in milliseconds. */
  patience = 0
  budgeted = false
  /** When all hooks together must have answered. */
  budgetEnd: number | undefined
  /** The draft that hooks are given, and that their copies are compared with. */
  given: unknown
  /** Most drafts are flat, and to copy and compare flat ones is cheap: how many keys; 0 for others. */
  #flatKeys = -1
  #stages: readonly number[] | undefined
  #tally: Tally | undefined
  #rewrites: Rewrites | undefined
  #decided: Outcome | undefined
  #done: Entry[] | undefined

  constructor(
    hub: RegistryInternals,
    lane: EventHooks,
    chosen: Chosen,
    input: PlainObject,
    options: FireOptions,
    depth: number
  ) {
    this.hub = hub
    this.lane = lane
    this.input = input
    this.options = options
    this.depth = depth
    this.signal = heeded(options.signal, lane)
    this.session = heeded(hub.session, lane)
    const watched = options.report === true || hub.outbox !== undefined
    this.trace = watched
      ? new Trace(hub, this.base('session_id'), options.report === true, input[lane.row.target ?? ''])
      : undefined
    this.#chosen = chosen
    this.list = chosen.hooks
    this.#stages = chosen.stages
    if (hub.settings.budget !== undefined) this.budgetEnd = hub.settings.clock.now() + hub.settings.budget
  }

  start(): Outcome | Promise<Outcome> {
    const pending = this.advance()
    return pending === undefined ? this.finish() : Wait.outcome(this, pending)
  }

  /** Asks hooks until one has to be waited for; `undefined` when all have answered. */
  advance(): Pending | undefined {
    do {
      while (this.place < this.list.length) {
        const together = this.#stages === undefined ? 1 : this.#stages[this.place]!
        const pending = together === 1 ? this.#ask(this.list[this.place]!) : this.#askTogether(together)
        if (pending !== undefined) return pending
        this.place++
      }
    } while (this.#nextPhase())
    return undefined
  }

  #ask(entry: Entry): Pending | undefined {
    if (isPassedOver(this, entry)) return undefined
    const ctx = this.open(entry)
    let raw: unknown
    try {
      raw = entry.call(ctx)
    } catch (error) {
      failWith(this, entry, ctx, error)
      return undefined
    }
    return this.#receive(entry, ctx, raw)
  }

  /** Takes what a hook gave. Most hooks, most of the time, have nothing to say. */
  #receive(entry: Entry, ctx: Context, raw: unknown): Pending | undefined {
    if (raw !== undefined || !this.isPlain(entry) || !this.#isUnchanged(ctx)) return this.#hear(entry, ctx, raw)
    Context.close(ctx)
    return undefined
  }

  /** It is an answer, or something that has to be waited for. */
  #hear(entry: Entry, ctx: Context, raw: unknown): Pending | undefined {
    try {
      const pending = pendingOf(this, entry, raw, this)
      if (pending === undefined) settle(this, entry, ctx, raw, this.place)
      else this.#ctx = ctx
      return pending
    } catch (error) {
      fail(this, entry, ctx, 'reply', Failed.from(error).message)
      return undefined
    }
  }

  /** Nobody follows the fire, and the hook is asked for the first time: then there is less to do. */
  isPlain(entry: Entry): boolean {
    return entry.simple && this.trace === undefined && this.phase === 'judge'
  }

  #isUnchanged(ctx: Context): boolean {
    const copy = Context.draft(ctx)
    if (Context.messages(ctx) !== undefined) return false
    if (copy === undefined) return true
    return this.#flatKeys > 0 && isObject(copy)
      ? holdsSame(copy, this.given as PlainObject, this.#flatKeys)
      : same(copy, this.given)
  }

  /** A copy of the draft. Each hook has its own, so that what it does to it later is nobody's business. */
  lend(): unknown {
    return this.#flatKeys > 0 ? { ...(this.given as PlainObject) } : this.#lendOther()
  }

  #lendOther(): unknown {
    if (this.#flatKeys === 0) return copyPlain(this.given)
    this.give(this.lane.draftOf(this.input))
    return this.#flatKeys > 0 ? this.lend() : this.#lendFirst()
  }

  /** What cannot be lent is not lent to the next hook either. */
  #lendFirst(): unknown {
    this.#flatKeys = -1
    refuseStrangers(this.lane.event, this.given)
    this.#flatKeys = 0
    return copyPlain(this.given)
  }

  /** From now on hooks are given this draft. */
  give(draft: unknown): void {
    this.given = draft
    this.#flatKeys = flatKeys(draft)
  }

  /** Goes on with what was waited for. */
  resume(raw: unknown, threw: boolean): Pending | undefined {
    if (this.stage !== undefined) this.#settleStage()
    else if (threw) failWith(this, this.list[this.place]!, this.#ctx, raw)
    else {
      const pending = this.#receive(this.list[this.place]!, this.#ctx!, raw)
      if (pending !== undefined) return pending
    }
    this.place++
    return this.advance()
  }

  /** Goes on without what was waited for. */
  leaveBehind(why: 'timeout' | 'aborted'): Pending | undefined {
    const { kind, message } = abandon(this.#ctx!, why, this)
    fail(this, this.list[this.place]!, this.#ctx, kind, message)
    this.place++
    return this.advance()
  }

  #askTogether(count: number): Pending | undefined {
    this.rewrites.openStage(this.place + count)
    this.stage = new Stage(this, this.list.slice(this.place, this.place + count))
    const pending = this.stage.start()
    if (pending === undefined) this.#settleStage()
    else this.patience = LONGEST_TIMER - 1
    return pending
  }

  /** In declared order, whoever finished first. Leaves the place at the last hook of the stage. */
  #settleStage(): void {
    const { slots } = this.stage!
    this.stage = undefined
    for (const slot of slots) slot.settle(this.place++)
    this.place--
    this.rewrites.closeStage()
  }

  #nextPhase(): boolean {
    const { hooks, observers } = this.#chosen
    if (this.phase === 'judge') {
      this.phase = 'rejudge'
      const outdated = this.tallied?.outdated(hooks) ?? []
      if (outdated.length > 0) return this.#enter(outdated)
    }
    if (this.phase === 'rejudge' && observers.length > 0) {
      this.phase = 'observe'
      this.#decided = frozen(this.tallied?.outcome() ?? this.lane.neutral)
      return this.#enter(observers)
    }
    return false
  }

  #enter(list: readonly Entry[]): true {
    this.list = list
    this.#stages = stagesOf(list)
    this.place = 0
    return true
  }

  finish(): Outcome {
    if (this.#done !== undefined) this.#retire(this.#done)
    const outcome = this.tallied?.outcome() ?? this.lane.neutral
    if (this.options.report !== true) return outcome
    const report = this.trace!.report(entry => this.lane.absence(entry, this.input))
    const { precedence, profile } = this.hub.settings
    return { ...outcome, precedence, profile, report } as Reported
  }

  /** A `once` hook has run. It is done when it did not refuse, the second time it was asked included. */
  ranOnce(entry: Entry): void {
    ;(this.#done ??= []).push(entry)
  }

  #retire(done: readonly Entry[]): void {
    for (const entry of done) {
      if (this.#tally?.refuses(entry) === true) {
        if (entry.state.once === 'running') entry.state.once = 'ready'
      } else {
        entry.state.once = 'done'
        this.hub.retire(entry)
      }
    }
  }

  isAborted(): boolean {
    return (this.signal !== undefined && this.signal.aborted) || (this.session !== undefined && this.session.aborted)
  }

  /** A field that every input has. */
  base(field: string): string {
    const given = this.input[field]
    return given === undefined ? this.hub.settings.base[field]! : (given as string)
  }

  open(entry: Entry): Context {
    this.trace?.start(entry, this.phase === 'rejudge')
    return new Context(this, entry)
  }

  /** The place of a hook in declared order. */
  rankOf(entry: Entry): number {
    return this.#chosen.hooks.indexOf(entry)
  }

  /** What was decided, once only observers are left. */
  get decided(): Outcome | undefined {
    return this.#decided
  }

  /** What was said so far. Made with the first word; most fires have none. */
  get tally(): Tally {
    return (this.#tally ??= new Tally(this))
  }
  get tallied(): Tally | undefined {
    return this.#rewrites === undefined || !this.#rewrites.any ? this.#tally : this.tally
  }

  /** What was rewritten so far. Made when a hook first looks at what it could rewrite. */
  get rewrites(): Rewrites {
    return (this.#rewrites ??= new Rewrites(this))
  }
  get rewritten(): Rewrites | undefined {
    return this.#rewrites
  }
}

/** What has already happened is looked at, also when the run was aborted meanwhile. */
function heeded<T extends { readonly aborted: boolean }>(signal: T | undefined, lane: EventHooks): T | undefined {
  return signal !== undefined && !lane.decides && signal.aborted ? undefined : signal
}
