import { wordsOf } from '../errors.ts'
import type { Message } from '../message.ts'
import type { PlainObject } from '../util/plain.ts'
import { answerOf } from './answers.ts'
import { Context } from './context.ts'
import { decode } from './decode.ts'
import type { Entry, Group } from './entry.ts'
import { answerLater } from './late.ts'
import { Failed, fold, outcomeOf, Spoken, type Failure, type FailureKind, type Outcome, type Said } from './outcome.ts'
import { Later } from './reply.ts'
import type { Pending, Run } from './run.ts'

/** What becomes of one hook: it has to be waited for, it has answered, or it has failed. */

/** Someone who waits for a hook: how long, and whether it is the time for all hooks together that ends it. */
interface Patient {
  patience: number
  budgeted: boolean
}

/** What has to be waited for before `raw` is an answer; says how long `waiter` may take for it. */
export function pendingOf(run: Run, entry: Entry, raw: unknown, waiter: Patient): Pending | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  let pending: Pending
  let patience = entry.patience
  if (typeof (raw as { then?: unknown }).then === 'function') {
    pending = raw as Pending
  } else if (raw instanceof Later && waitsFor(entry)) {
    pending = raw.promise
    patience = raw.patience ?? patience
  } else return undefined
  waiter.patience = patience
  if (run.budgetEnd !== undefined) limit(waiter, run.budgetEnd - run.hub.settings.clock.now())
  return pending
}

function limit(waiter: Patient, left: number): void {
  waiter.budgeted = left < waiter.patience
  if (waiter.budgeted) waiter.patience = Math.max(1, left)
}

/** Only an event that decides something is worth waiting for, and only library hooks are waited for. */
const waitsFor = ({ dialect, row }: Entry): boolean => dialect === 'library' && answerOf(row.answer).blocks

/** Takes what a hook answered. */
export function settle(run: Run, entry: Entry, ctx: Context, raw: unknown, place: number): void {
  Context.close(ctx)
  if (raw instanceof Later) {
    run.tally.excuse(entry)
    run.trace?.handOver(entry)
    answerLater(run, entry, raw)
    if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
    return
  }
  let said: Spoken | undefined
  try {
    said = run.tally.read(entry, raw)
  } catch (error) {
    const { kind, message } = asFailed(error)
    fail(run, entry, ctx, kind, message)
    return
  }
  // Most answers are words alone.
  if (said !== undefined && said.updatedInput === undefined && run.isPlain(entry) && Context.isUntouched(ctx)) {
    run.tally.record(entry, said)
  } else count(run, entry, ctx, { said, draft: Context.draft(ctx), messages: Context.messages(ctx), raw }, place)
}

const asFailed = (error: unknown): Failed => (error instanceof Failed ? error : new Failed('threw', wordsOf(error)))

/** Counts an answer. What a hook changed before it failed or denied does not count. */
export function count(run: Run, entry: Entry, ctx: Context, answer: Answer, place: number): void {
  try {
    run.tally.take(entry, answer, place)
  } catch (error) {
    const { kind, message } = asFailed(error)
    fail(run, entry, ctx, kind, message)
    return
  }
  run.trace?.end(entry, answer.said === undefined ? 'silent' : 'answered', answer.raw, undefined)
  if (entry.once && run.phase !== 'rejudge') run.ranOnce(entry)
}

/** Counts a failure. Gives back true, so that a caller can say in one word that the hook is done with. */
export function fail(run: Run, entry: Entry, ctx: Context | undefined, kind: FailureKind, message: string): true {
  if (ctx !== undefined) {
    Context.close(ctx)
    entry.state.spent = false
  }
  const failure = run.tally.fail(entry, kind, message)
  run.trace?.end(entry, 'failed', undefined, failure)
  return true
}

/** Tells a hook that it is not waited for any longer. Gives back how it failed. */
export function abandon(ctx: Context, why: 'timeout' | 'aborted', { patience, budgeted }: Patient): Failed {
  const kind = why === 'timeout' && budgeted ? 'budget' : why
  const message = {
    timeout: `gave no answer within ${patience / 1000} s`,
    budget: 'was cut off: the time for all hooks together was used up',
    aborted: 'was cut off: the run was aborted'
  }[kind]
  Context.abandon(ctx, new Error(message))
  return new Failed(kind, message)
}

/** Drops an answer that comes after its time. A promise in it must not become an unhandled rejection. */
export function ignore(run: Run, entry: Entry, raw: unknown): void {
  run.trace?.note(entry, 'answered after its time; the answer was dropped')
  try {
    if (raw instanceof Later) void Promise.resolve(raw.promise).catch(() => undefined)
  } catch {
    // It is not even an object that can be looked at.
  }
}

/** An earlier member of the group had said `continue: false` before this answer was counted. */
export function drop(run: Run, entry: Entry, stopper: string): void {
  run.tally.excuse(entry)
  run.trace?.end(entry, 'skipped', undefined, undefined)
  run.trace?.note(entry, `ran, but its answer was dropped: ${stopper}, of the same group, said continue: false`)
}

/** What one hook gave: what it said, and what it made of its copies of the draft and the conversation. */
export interface Answer {
  readonly said: Spoken | undefined
  readonly draft: unknown
  readonly messages: Message[] | undefined
  /** As it came, for reports. */
  readonly raw: unknown
}

/** What the hooks of one fire have said so far. */
export class Tally {
  readonly #run: Run
  readonly #answers: Spoken[] = []
  #failures: Failure[] | undefined
  #stopped: Map<Group, string> | undefined
  /** Hooks that are not asked again: they did not run, have failed, or answer later. */
  #excused: Set<Entry> | undefined
  #revised = false

  constructor(run: Run) {
    this.#run = run
  }

  excuse(entry: Entry): void {
    ;(this.#excused ??= new Set()).add(entry)
  }

  refuses(entry: Entry): boolean {
    return this.#answers.some(said => said.decision === 'deny' && Spoken.authorOf(said) === entry)
  }

  /** Who stopped the group that `entry` belongs to. */
  stopperOf(entry: Entry): string | undefined {
    return entry.group === undefined ? undefined : this.#stopped?.get(entry.group)
  }

  /** What a hook said. Throws `Failed` when it cannot be trusted. */
  read(entry: Entry, raw: unknown): Spoken | undefined {
    if (raw === undefined) return undefined
    try {
      return decode(raw, entry, this.#run.trace)
    } catch (error) {
      throw new Failed('reply', wordsOf(error))
    }
  }

  /** Takes one answer. Throws `Failed` when what it changes cannot stand, and then nothing of it counts. */
  take(entry: Entry, answer: Answer, place: number): void {
    const { said } = answer
    const run = this.#run
    const denies = said !== undefined && said.decision === 'deny'
    const rewrite = denies || isBare(answer) ? undefined : run.rewrites.find(entry, answer)
    if (run.phase !== 'judge') return this.#takeLate(entry, said, rewrite !== undefined)
    if (rewrite !== undefined) {
      run.rewrites.apply(entry, place, rewrite)
      run.trace?.rewrote(entry)
    }
    if (said !== undefined) this.record(entry, said)
  }

  /** When a hook is asked again, or looks on, only its decision may count. */
  #takeLate(entry: Entry, said: Spoken | undefined, rewrote: boolean): void {
    const { phase, trace } = this.#run
    if (rewrote || said?.rest?.contexts !== undefined) trace?.note(entry, 'changes and context have no effect here')
    if (phase === 'rejudge') this.#revise(entry, said)
    else if (said?.decision !== undefined) trace?.note(entry, 'observers decide nothing')
  }

  record(entry: Entry, said: Spoken): void {
    if (entry.group !== undefined && said.rest?.continue === false)
      (this.#stopped ??= new Map()).set(entry.group, entry.name)
    this.#answers.push(said)
  }

  /** What a hook decides about the final draft replaces its first decision. */
  #revise(entry: Entry, said: Spoken | undefined): void {
    this.#forget(entry)
    if (said?.decision === undefined) return
    const { continue: goOn, stopReason } = said.rest ?? {}
    const again = new Spoken(entry, said.decision, said.reason)
    if (goOn !== undefined) again.rest = stopReason === undefined ? { continue: goOn } : { continue: goOn, stopReason }
    this.record(entry, again)
  }

  #forget(entry: Entry): void {
    this.#revised = true
    const first = this.#answers.find(said => Spoken.authorOf(said) === entry)
    if (first !== undefined) first.decision = undefined
  }

  /** A failure closes a gate, unless the hook or the profile says otherwise; then it is marked. */
  fail(entry: Entry, kind: FailureKind, message: string): Failure {
    const gate = entry.row.failure === 'closed'
    const closes = entry.onFailure === undefined ? gate && entry.profile === 'strict' : entry.onFailure === 'block'
    const failure = { by: entry.name, kind, message, failedOpen: gate && !closes && !entry.observe }
    ;(this.#failures ??= []).push(failure)
    this.excuse(entry)
    if (this.#run.phase === 'rejudge') this.#forget(entry)
    if (closes && !entry.observe && mayRefuse(entry)) {
      const reason = `gate_failed:${kind}: hook ${entry.name} (${entry.source}): ${message}`
      this.record(entry, new Spoken(entry, 'deny', reason))
    }
    return failure
  }

  /** The hooks to ask again, since what they judged is not what would run. */
  outdated(hooks: readonly Entry[]): readonly Entry[] {
    const { rewritten, hub } = this.#run
    if (rewritten === undefined || hub.settings.profile === 'compat') return []
    const outdated = rewritten.outdated(hooks).filter(entry => this.#excused?.has(entry) !== true)
    return outdated.length > 0 && this.outcome().decision === 'deny' ? [] : outdated
  }

  /** Hooks that were asked again have answered last; they count where they stand. */
  #inOrder(): readonly Said[] {
    const rankOf = (said: Spoken): number => this.#run.rankOf(Spoken.authorOf(said))
    return this.#answers.toSorted((a, b) => rankOf(a) - rankOf(b))
  }

  outcome(): Outcome {
    const { lane, hub, rewritten } = this.#run
    const folded = fold(this.#revised ? this.#inOrder() : this.#answers, hub.settings.precedence)
    if (rewritten === undefined && this.#failures === undefined) return outcomeOf(lane.event, folded, undefined)
    const draft = rewritten?.finalDraft()
    return outcomeOf(lane.event, folded, {
      updatedInput: lane.row.draft === 'tool_input' ? (draft as PlainObject | undefined) : undefined,
      updatedPrompt: lane.row.draft === 'prompt' ? (draft as string | undefined) : undefined,
      messageEdits: rewritten?.finalEdits(),
      conflicts: rewritten?.conflicts,
      failures: this.#failures
    })
  }
}

const isBare = ({ said, draft, messages }: Answer): boolean =>
  draft === undefined && messages === undefined && said?.updatedInput === undefined

/** A hook that broke must not keep an agent from stopping: only a hook that said so may. */
const mayRefuse = ({ row }: Entry): boolean => row.answer !== 'stop' && answerOf(row.answer).decisions.includes('deny')
