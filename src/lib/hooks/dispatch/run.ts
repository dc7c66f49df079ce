import { copyPlain, flatKeys, holdsSame, same, type PlainObject } from '../../util/plain.ts'
import { ALLOW } from '../reply.ts'
import { closeUnchanged, Context, refuseStrangers } from './context.ts'
import type { AbortFlag } from './deadlines.ts'
import type { HookEntry } from './entry.ts'
import { NO_OPTIONS, type FireOptions, type RegistryInternals, type Reported } from '../registry-internals.ts'
import { freezeOutcome, type Outcome } from './outcome.ts'
import { Rewrites } from './rewrites.ts'
import { stagesOf, type EventHooks, type SelectedHooks } from './event-hooks.ts'
import { fail, isPassedOver, pendingOf, settle, type PendingAnswer } from './settle.ts'
import { Tally } from './tally.ts'
import { Trace } from '../trace.ts'
import { Stage, Wait } from './wait.ts'
import { HookFailure } from './hook-failure.ts'
import { LONGEST_TIMER } from '../option-values.ts'

/**
 * One fire, from the first hook to the outcome. Hooks are called one after the other, in three phases: hooks judge;
 * hooks that judged an older draft judge again; observers run. Only promises are awaited, by `Wait`.
 */
export class Run {
  // V8 inlines functions up to a total size, and private methods add a field to each object: so methods are not private,
  // and rare steps have their own functions.
  readonly registry: RegistryInternals
  readonly hooks: EventHooks
  readonly input: PlainObject
  readonly options: FireOptions
  depth = 0
  signal: AbortSignal | undefined
  session: AbortFlag | undefined
  trace: Trace | undefined
  /** Hooks may have to be skipped or traced. */
  #careful = false
  /** There is no trace, hooks are simple, and called for the first time: most answers need no further steps. */
  quick = true
  phase: 'judge' | 'rejudge' | 'observe' = 'judge'
  list: readonly HookEntry[]
  place = 0
  #selected: SelectedHooks
  #stages: readonly number[] | undefined
  ctx: Context | undefined
  /** Settles the outcome of a fire that waits. Not in its `Wait`: V8 writes to a new object at less cost. */
  resolve: ((outcome: Outcome | Promise<never>) => void) | undefined
  stage: Stage | undefined
  patience = 0
  budgeted = false
  budgetEnd: number | undefined
  draft: unknown
  /** Number of keys of a flat draft, which costs less to copy and compare; 0 for other drafts, -1 before it is read. */
  flatKeys = -1
  #tally: Tally | undefined
  rewritten: Rewrites | undefined
  decided: Outcome | undefined
  #done: HookEntry[] | undefined

  constructor(registry: RegistryInternals, selected: SelectedHooks, input: PlainObject, options: FireOptions) {
    this.registry = registry
    this.#selected = selected
    this.hooks = selected.hooks
    this.input = input
    this.options = options
    this.signal = options.signal
    this.session = registry.session
    this.list = selected.deciders
    this.#stages = selected.stages
    const { outbox, settings } = registry
    const isUsual = selected.simple && this.hooks.decides
    if (options !== NO_OPTIONS || outbox !== undefined || settings.budget !== undefined || !isUsual) this.prepare()
  }

  prepare(): void {
    const { registry, hooks, options, input } = this
    if (!hooks.decides) this.forgetAbort()
    const { budget, clock } = registry.settings
    if (budget !== undefined) this.budgetEnd = clock.now() + budget
    const isReported = options.report === true
    const traced = isReported || registry.outbox !== undefined
    if (traced) this.trace = new Trace(registry, this.sessionId, isReported, input[hooks.row.target ?? ''])
    this.quick = !traced && this.#selected.simple
    this.#careful = !this.quick || budget !== undefined || this.signal !== undefined
  }

  /** Hooks about something that has already happened also run after an abort. */
  forgetAbort(): void {
    if (this.signal?.aborted === true) this.signal = undefined
    if (this.session?.aborted === true) this.session = undefined
  }

  start(): Outcome | Promise<Outcome> {
    const pending = this.advance()
    return pending === undefined ? this.finish() : Wait.outcome(this, pending)
  }

  /** Calls hooks until one has to be waited for; `undefined` when all have answered. */
  advance(): PendingAnswer | undefined {
    do {
      const pending = this.#stages === undefined ? this.askEach() : this.askStages(this.#stages)
      if (pending !== undefined) return pending
      // Without these the first phase is the only one.
    } while ((this.rewritten !== undefined || this.#selected.observers.length > 0) && this.nextPhase())
    return undefined
  }

  askEach(): PendingAnswer | undefined {
    const { list } = this
    for (let place = this.place; place < list.length; place++) {
      const entry = list[place]
      this.place = place
      const pending = entry === undefined ? undefined : this.ask(entry)
      if (pending !== undefined) return pending
    }
    return undefined
  }

  askStages(stages: readonly number[]): PendingAnswer | undefined {
    for (; this.place < this.list.length; this.place++) {
      const entry = this.list[this.place]
      const count = stages[this.place]
      const pending = entry !== undefined && count === 1 ? this.ask(entry) : this.askTogether(count)
      if (pending !== undefined) return pending
    }
    return undefined
  }

  ask(entry: HookEntry): PendingAnswer | undefined {
    if ((this.#careful || this.session?.aborted === true) && isPassedOver(this, entry)) return undefined
    const ctx = new Context(this, entry)
    let raw: unknown
    try {
      raw = entry.call(ctx)
    } catch (error) {
      fail(this, entry, ctx, error)
      return undefined
    }
    return this.receive(entry, ctx, raw)
  }

  receive(entry: HookEntry, ctx: Context, raw: unknown): PendingAnswer | undefined {
    const allow = raw === ALLOW ? this.#selected.allows[this.place] : undefined
    if ((raw !== undefined && allow === undefined) || !this.quick || !closeUnchanged(ctx))
      return take(this, entry, ctx, raw)
    if (allow !== undefined) this.tally.record(entry, allow)
    return undefined
  }

  /** A copy of the draft. Each hook has its own, so that later changes to it have no effect. */
  lend(): unknown {
    if (this.flatKeys < 0) this.readDraft()
    return this.flatKeys > 0 ? { ...(this.draft as PlainObject) } : copyPlain(this.draft)
  }

  /** Whether a copy that was lent is still the same. */
  isDraft(copy: unknown): boolean {
    const { draft, flatKeys: keys } = this
    try {
      return keys > 0 ? holdsSame(copy as PlainObject, draft as PlainObject, keys) : same(copy, draft)
    } catch {
      // A getter of the hook threw, which is reported when it is read again.
      return false
    }
  }

  /** Reads the draft from the input. Throws if it cannot be copied, for each hook that reads it. */
  readDraft(): void {
    const draft = this.hooks.draftOf(this.input)
    const keys = this.keysOf(draft)
    if (keys === 0) refuseStrangers(this.hooks.event, draft)
    this.setDraft(draft, keys)
  }

  /** Only the input of a tool counts as flat: `ctx.toolInput` relies on it. */
  keysOf(draft: unknown): number {
    return this.hooks.row.draft === 'tool_input' ? flatKeys(draft) : 0
  }

  setDraft(draft: unknown, keys = this.keysOf(draft)): void {
    this.draft = draft
    this.flatKeys = keys
  }

  resume(raw: unknown, threw: boolean): PendingAnswer | undefined {
    const entry = this.list[this.place]
    if (this.stage !== undefined) this.settleStage(this.stage)
    else if (entry !== undefined && this.ctx !== undefined) {
      const pending = threw ? undefined : this.receive(entry, this.ctx, raw)
      if (threw) fail(this, entry, this.ctx, raw)
      if (pending !== undefined) return pending
    }
    this.place++
    return this.advance()
  }

  askTogether(count = 1): PendingAnswer | undefined {
    this.rewrites.openStage(this.place + count)
    this.stage = new Stage(this, this.list.slice(this.place, this.place + count))
    const pending = this.stage.start()
    if (pending === undefined) this.settleStage(this.stage)
    else this.patience = LONGEST_TIMER - 1
    return pending
  }

  /** In declared order, whichever finished first. Leaves the place at the last hook of the stage. */
  settleStage({ slots }: Stage): void {
    this.stage = undefined
    for (const slot of slots) {
      slot.settle()
      this.place++
    }
    this.place--
    this.rewrites.closeStage()
  }

  nextPhase(): boolean {
    if (this.phase === 'judge' && this.hooks.row.draft === 'request' && this.askNew()) return true
    const { deciders, observers } = this.#selected
    if (this.phase === 'judge') {
      this.phase = 'rejudge'
      const outdated = this.tallied?.outdated(deciders)
      if (outdated !== undefined && outdated.length > 0) return this.enter(outdated)
    }
    if (this.phase === 'rejudge' && observers.length > 0) {
      this.phase = 'observe'
      // Everything is decided: only an abort from now on cuts observers off.
      this.forgetAbort()
      this.budgetEnd = undefined
      this.decided = freezeOutcome(this.tallied?.outcome() ?? this.hooks.neutral)
      return this.enter(observers)
    }
    return false
  }

  /** Hooks whose matcher fits the model that a rewrite names, and not the one before, judge as well. */
  askNew(): boolean {
    if (this.rewritten === undefined) return false
    const { deciders, observers } = this.#selected
    const now = this.hooks.select(this.rewritten.current())
    const all = [...new Set([...deciders, ...now.deciders])]
    this.#selected = { ...now, deciders: all, observers: [...new Set([...observers, ...now.observers])] }
    if (all.length === deciders.length) return false
    this.enter(all)
    this.place = deciders.length
    return true
  }

  enter(list: readonly HookEntry[]): true {
    this.quick = false
    this.#careful = true
    this.list = list
    this.#stages = stagesOf(list)
    this.place = 0
    return true
  }

  finish(): Outcome {
    if (this.#done !== undefined) this.retire(this.#done)
    const outcome = this.tallied?.outcome() ?? this.hooks.neutral
    if (this.trace === undefined || this.options.report !== true) return outcome
    const report = this.trace.report(entry => this.hooks.absence(entry, this.input))
    const { precedence, profile } = this.registry.settings
    return { ...outcome, precedence, profile, report } as Reported
  }

  /** A `once` hook has run. It is removed unless it refused, in the first or the second call. */
  ranOnce(entry: HookEntry): void {
    ;(this.#done ??= []).push(entry)
  }

  retire(done: readonly HookEntry[]): void {
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
    return this.signal?.aborted === true || this.session?.aborted === true
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

/** Takes an answer, or a promise of one. */
function take(run: Run, entry: HookEntry, ctx: Context, raw: unknown): PendingAnswer | undefined {
  try {
    const pending = pendingOf(run, entry, raw, run)
    if (pending === undefined) settle(run, entry, ctx, raw)
    else run.ctx = ctx
    return pending
  } catch (error) {
    fail(run, entry, ctx, HookFailure.by('reply', error))
    return undefined
  }
}
