import { copyPlain, flatKeys, holdsSame, isObject, same, type PlainObject } from '../../util/plain.ts'
import { Context, refuseStrangers } from './context.ts'
import type { AbortFlag } from './deadlines.ts'
import type { HookEntry } from './entry.ts'
import type { FireOptions, RegistryInternals, Reported } from '../registry-internals.ts'
import { freezeOutcome, type Outcome } from './outcome.ts'
import { Rewrites } from './rewrites.ts'
import { stagesOf, type EventHooks, type SelectedHooks } from './event-hooks.ts'
import { abandon, fail, isPassedOver, pendingOf, settle, type PendingAnswer } from './settle.ts'
import { Tally } from './tally.ts'
import { Trace } from '../trace.ts'
import { Stage, Wait } from './wait.ts'
import { HookFailure } from './hook-failure.ts'
import { LONGEST_TIMER } from '../option-values.ts'

/**
 * One fire, from the first hook to the outcome. Hooks are asked one after the other without a pause, in three
 * phases: they judge; those who judged an older draft judge again; observers look on. Only what has to be
 * waited for is awaited, and that is the business of `Wait`.
 */
export class Run {
  readonly registry: RegistryInternals
  readonly hooks: EventHooks
  readonly input: PlainObject
  readonly options: FireOptions
  depth = 0
  readonly signal: AbortSignal | undefined
  readonly session: AbortFlag | undefined
  readonly trace: Trace | undefined
  readonly #selected: SelectedHooks
  phase: 'judge' | 'rejudge' | 'observe' = 'judge'
  list: readonly HookEntry[]
  place = 0
  #ctx: Context | undefined
  stage: Stage | undefined
  patience = 0
  budgeted = false
  budgetEnd: number | undefined
  draft: unknown
  /** Most drafts are flat, and to copy and compare flat ones is cheap: how many keys; 0 for others. */
  #flatKeys = -1
  #stages: readonly number[] | undefined
  #tally: Tally | undefined
  rewritten: Rewrites | undefined
  decided: Outcome | undefined
  #done: HookEntry[] | undefined

  constructor(registry: RegistryInternals, selected: SelectedHooks, input: PlainObject, options: FireOptions) {
    const { hooks } = selected
    this.registry = registry
    this.hooks = hooks
    this.input = input
    this.options = options
    // Hooks see what has already happened, also when the run was aborted meanwhile.
    this.signal = hooks.decides || options.signal?.aborted !== true ? options.signal : undefined
    this.session = hooks.decides || registry.session?.aborted !== true ? registry.session : undefined
    const watched = options.report === true || registry.outbox !== undefined
    this.trace = watched
      ? new Trace(registry, this.sessionId, options.report === true, input[hooks.row.target ?? ''])
      : undefined
    this.#selected = selected
    this.list = selected.deciders
    this.#stages = selected.stages
    if (registry.settings.budget !== undefined)
      this.budgetEnd = registry.settings.clock.now() + registry.settings.budget
  }

  start(): Outcome | Promise<Outcome> {
    const pending = this.advance()
    return pending === undefined ? this.finish() : Wait.outcome(this, pending)
  }

  /** Asks hooks until one has to be waited for; `undefined` when all have answered. */
  advance(): PendingAnswer | undefined {
    do {
      while (this.place < this.list.length) {
        const entry = this.list[this.place]
        const together = this.#stages === undefined ? 1 : this.#stages[this.place]
        const pending = together !== 1 || entry === undefined ? this.#askTogether(together) : this.#ask(entry)
        if (pending !== undefined) return pending
        this.place++
      }
    } while (this.#nextPhase())
    return undefined
  }

  #ask(entry: HookEntry): PendingAnswer | undefined {
    if (isPassedOver(this, entry)) return undefined
    this.trace?.start(entry, this.phase === 'rejudge')
    const ctx = new Context(this, entry)
    let raw: unknown
    try {
      raw = entry.call(ctx)
    } catch (error) {
      fail(this, entry, ctx, error)
      return undefined
    }
    return this.#receive(entry, ctx, raw)
  }

  #receive(entry: HookEntry, ctx: Context, raw: unknown): PendingAnswer | undefined {
    if (raw !== undefined || !this.isPlain(entry) || !this.#isUnchanged(ctx)) return this.#take(entry, ctx, raw)
    Context.close(ctx)
    return undefined
  }

  /** An answer, or a promise of one. A method of its own, so that the short way stays small enough to be inlined. */
  #take(entry: HookEntry, ctx: Context, raw: unknown): PendingAnswer | undefined {
    try {
      const pending = pendingOf(this, entry, raw, this)
      if (pending === undefined) settle(this, entry, ctx, raw)
      else this.#ctx = ctx
      return pending
    } catch (error) {
      fail(this, entry, ctx, new HookFailure('reply', HookFailure.from(error).message))
      return undefined
    }
  }

  /** There is no trace, and the hook is called for the first time: then there is less to do. */
  isPlain(entry: HookEntry): boolean {
    return entry.simple && this.trace === undefined && this.phase === 'judge'
  }

  #isUnchanged(ctx: Context): boolean {
    const copy = Context.draft(ctx)
    if (Context.messages(ctx) !== undefined) return false
    if (copy === undefined) return true
    return this.#flatKeys > 0 && isObject(copy)
      ? holdsSame(copy, this.draft as PlainObject, this.#flatKeys)
      : same(copy, this.draft)
  }

  /** A copy of the draft. Each hook has its own, so that later changes to it have no effect. */
  lend(): unknown {
    return this.#flatKeys > 0 ? { ...(this.draft as PlainObject) } : this.#lendOther()
  }

  #lendOther(): unknown {
    if (this.#flatKeys === 0) return copyPlain(this.draft)
    this.setDraft(this.hooks.draftOf(this.input))
    return this.#flatKeys > 0 ? this.lend() : this.#lendFirst()
  }

  /** What cannot be lent is not lent to the next hook either. */
  #lendFirst(): unknown {
    this.#flatKeys = -1
    refuseStrangers(this.hooks.event, this.draft)
    this.#flatKeys = 0
    return copyPlain(this.draft)
  }

  setDraft(draft: unknown): void {
    this.draft = draft
    this.#flatKeys = flatKeys(draft)
  }

  resume(raw: unknown, threw: boolean): PendingAnswer | undefined {
    const entry = this.list[this.place]
    if (this.stage !== undefined) this.#settleStage(this.stage)
    else if (entry !== undefined && this.#ctx !== undefined) {
      const pending = threw ? undefined : this.#receive(entry, this.#ctx, raw)
      if (threw) fail(this, entry, this.#ctx, raw)
      if (pending !== undefined) return pending
    }
    this.place++
    return this.advance()
  }

  leaveBehind(why: 'timeout' | 'aborted'): PendingAnswer | undefined {
    const entry = this.list[this.place]
    if (entry !== undefined && this.#ctx !== undefined) fail(this, entry, this.#ctx, abandon(this.#ctx, why, this))
    this.place++
    return this.advance()
  }

  #askTogether(count = 1): PendingAnswer | undefined {
    this.rewrites.openStage(this.place + count)
    this.stage = new Stage(this, this.list.slice(this.place, this.place + count))
    const pending = this.stage.start()
    if (pending === undefined) this.#settleStage(this.stage)
    else this.patience = LONGEST_TIMER - 1
    return pending
  }

  /** In declared order, whichever finished first. Leaves the place at the last hook of the stage. */
  #settleStage({ slots }: Stage): void {
    this.stage = undefined
    for (const slot of slots) {
      slot.settle()
      this.place++
    }
    this.place--
    this.rewrites.closeStage()
  }

  #nextPhase(): boolean {
    const { deciders, observers } = this.#selected
    if (this.phase === 'judge') {
      this.phase = 'rejudge'
      const outdated = this.tallied?.outdated(deciders) ?? []
      if (outdated.length > 0) return this.#enter(outdated)
    }
    if (this.phase === 'rejudge' && observers.length > 0) {
      this.phase = 'observe'
      this.decided = freezeOutcome(this.tallied?.outcome() ?? this.hooks.neutral)
      return this.#enter(observers)
    }
    return false
  }

  #enter(list: readonly HookEntry[]): true {
    this.list = list
    this.#stages = stagesOf(list)
    this.place = 0
    return true
  }

  finish(): Outcome {
    if (this.#done !== undefined) this.#retire(this.#done)
    const outcome = this.tallied?.outcome() ?? this.hooks.neutral
    if (this.options.report !== true || this.trace === undefined) return outcome
    const report = this.trace.report(entry => this.hooks.absence(entry, this.input))
    const { precedence, profile } = this.registry.settings
    return { ...outcome, precedence, profile, report } as Reported
  }

  /** A `once` hook has run. It is done when it did not refuse, the second time it was asked included. */
  ranOnce(entry: HookEntry): void {
    ;(this.#done ??= []).push(entry)
  }

  #retire(done: readonly HookEntry[]): void {
    for (const entry of done) {
      if (this.#tally?.refuses(entry) === true) {
        if (entry.state.once === 'running') entry.state.once = 'ready'
      } else {
        entry.state.once = 'done'
        this.registry.roster.retire(entry)
      }
    }
  }

  isAborted(): boolean {
    return (this.signal !== undefined && this.signal.aborted) || (this.session !== undefined && this.session.aborted)
  }

  base(field: string): unknown {
    const own = this.input[field]
    return own === undefined ? this.registry.settings.base[field] : own
  }
  get sessionId(): string {
    return this.base('session_id') as string
  }

  rankOf(entry: HookEntry | undefined): number {
    return this.#selected.deciders.findIndex(each => each === entry)
  }

  get tally(): Tally {
    return (this.#tally ??= new Tally(this))
  }
  get tallied(): Tally | undefined {
    return this.rewritten === undefined || !this.rewritten.any ? this.#tally : this.tally
  }

  get rewrites(): Rewrites {
    return (this.rewritten ??= new Rewrites(this))
  }
}
