import type { Message } from '../../message.ts'
import { same, type PlainObject } from '../../util/plain.ts'
import type { Decision, Precedence } from '../events/answers.ts'
import { decode } from './decode.ts'
import type { Entry, Group } from './entry.ts'
import { Failed, fold, outcomeOf, type Failure, type FailureKind, type Outcome, type Said } from './outcome.ts'
import type { DraftOwner, Rewrites } from './rewrites.ts'
import type { RegistryInternals } from '../registry-internals.ts'

/** What one hook gave: what it said, and what it made of its copies of the draft and the conversation. */
export interface Given {
  readonly said: Said | undefined
  readonly draft: unknown
  readonly messages: Message[] | undefined
  /** As it came, for reports. */
  readonly raw: unknown
}

/** The fire whose answers are counted. */
interface AnswerOwner extends DraftOwner {
  readonly hub: RegistryInternals
  readonly phase: 'judge' | 'rejudge' | 'observe'
  readonly given: unknown
  readonly rewrites: Rewrites
  readonly rewritten: Rewrites | undefined
  /** The place of a hook in declared order. */
  rankOf(entry: Entry): number
}

/** What the hooks of one fire have answered so far. */
export class Tally {
  readonly #run: AnswerOwner
  readonly #answers: Said[] = []
  /** Whose answers they are, place by place: two hooks may have one name, in two scopes. */
  readonly #authors: Entry[] = []
  #failures: Failure[] | undefined
  #stopped: Map<Group, string> | undefined
  /** Hooks that are not asked again: they did not run, have failed, or answer later. */
  #excused: Set<Entry> | undefined
  #revised = false

  constructor(run: AnswerOwner) {
    this.#run = run
  }

  excuse(entry: Entry): void {
    ;(this.#excused ??= new Set()).add(entry)
  }

  refuses(entry: Entry): boolean {
    return this.#answers.some((said, place) => said.decision === 'deny' && this.#authors[place] === entry)
  }

  /** Who stopped the group that `entry` belongs to. */
  stopperOf(entry: Entry): string | undefined {
    return entry.group === undefined ? undefined : this.#stopped?.get(entry.group)
  }

  /** What a hook said. Throws `Failed` when it cannot be trusted. */
  read(entry: Entry, raw: unknown): Said | undefined {
    if (raw === undefined) return undefined
    try {
      return decode(raw, entry, this.#run.trace)
    } catch (error) {
      throw Failed.by('reply', error)
    }
  }

  /** Takes one answer. Throws `Failed` when what it changes cannot stand, and then nothing of it counts. */
  take(entry: Entry, given: Given, place: number): void {
    const { said } = given
    const run = this.#run
    if (run.phase !== 'judge') return this.#takeLate(entry, given)
    const denies = said !== undefined && said.decision === 'deny'
    const rewrite = denies || isBare(given) ? undefined : run.rewrites.find(entry, given)
    if (rewrite !== undefined) {
      run.rewrites.apply(entry, place, rewrite)
      run.trace?.rewrote(entry)
    }
    if (said !== undefined) this.record(entry, said)
  }

  /** When a hook is asked again, or looks on, only its decision may count. */
  #takeLate(entry: Entry, { said, draft }: Given): void {
    const { phase, trace, given } = this.#run
    const rewrote = said?.updatedInput !== undefined || (draft !== undefined && !same(draft, given))
    if (rewrote || said?.rest?.contexts !== undefined) trace?.note(entry, 'changes and context have no effect here')
    if (phase === 'rejudge') this.#revise(entry, said)
    else if (said?.decision !== undefined) trace?.note(entry, 'observers decide nothing')
  }

  record(entry: Entry, said: Said): void {
    // Only where it refuses too: whoever comes after it in the group may still have a deny.
    if (entry.group !== undefined && said.rest?.continue === false && entry.profile === 'strict')
      (this.#stopped ??= new Map()).set(entry.group, entry.name)
    this.#answers.push(said)
    this.#authors.push(entry)
  }

  /** What a hook decides about the final draft replaces its first decision. */
  #revise(entry: Entry, said: Said | undefined): void {
    this.withdraw(entry)
    if (said?.decision === undefined) return
    const { continue: goOn, stopReason } = said.rest ?? {}
    const again: Said = { by: said.by, decision: said.decision, reason: said.reason }
    if (goOn !== undefined) again.rest = stopReason === undefined ? { continue: goOn } : { continue: goOn, stopReason }
    this.record(entry, again)
  }

  /** Something was let pass that a strict gate refuses. */
  passed(entry: Entry): void {
    this.record(entry, { by: entry.name, decision: undefined, reason: undefined, rest: { failedOpen: true } })
  }

  /** What a hook decided about an older draft is void. */
  withdraw(entry: Entry): void {
    this.#revised = true
    const first = this.#answers[this.#authors.indexOf(entry)]
    if (first === undefined) return
    first.decision = undefined
    // What was granted together with the decision dies with it.
    if (first.rest !== undefined) first.rest = { ...first.rest, fields: {} }
  }

  /** A failure closes a gate, unless the hook or the profile says otherwise; then it is marked. */
  fail(entry: Entry, kind: FailureKind, message: string): Failure {
    const gate = entry.row.failure === 'closed'
    const closes = entry.onFailure === undefined ? gate && entry.profile === 'strict' : entry.onFailure === 'block'
    const failure = { by: entry.name, kind, message, failedOpen: gate && !closes && !entry.observe }
    ;(this.#failures ??= []).push(failure)
    this.excuse(entry)
    if (this.#run.phase === 'rejudge') this.withdraw(entry)
    if (closes && !entry.observe && mayRefuse(entry)) {
      const reason = `gate_failed:${kind}: hook ${entry.name} (${entry.source}): ${message}`
      this.record(entry, { by: entry.name, decision: 'deny', reason })
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
    const ranked = this.#answers.map((said, place) => ({ said, rank: this.#run.rankOf(this.#authors[place]!) }))
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ said }) => said)
  }

  /** An ask gives way to an allow where both were added under `allow-over-ask`; to no allow of other hooks. */
  #allowsInstead(): boolean {
    const says = (decision: Decision, order: Precedence): boolean =>
      this.#answers.some((said, place) => said.decision === decision && this.#authors[place]!.precedence === order)
    return says('allow', 'allow-over-ask') && !says('ask', 'ask-over-allow')
  }

  outcome(): Outcome {
    const { lane, rewritten } = this.#run
    let folded = fold(this.#revised ? this.#inOrder() : this.#answers)
    if (folded.decision === 'ask' && this.#allowsInstead()) folded = { ...folded, decision: 'allow' }
    if (rewritten === undefined && this.#failures === undefined) return outcomeOf(lane, folded, undefined)
    const draft = rewritten?.finalDraft()
    return outcomeOf(lane, folded, {
      updatedInput: lane.row.draft === 'tool_input' ? (draft as PlainObject | undefined) : undefined,
      updatedPrompt: lane.row.draft === 'prompt' ? (draft as string | undefined) : undefined,
      messageEdits: rewritten?.edits,
      conflicts: rewritten?.conflicts,
      failures: this.#failures
    })
  }
}

const isBare = ({ said, draft, messages }: Given): boolean =>
  draft === undefined && messages === undefined && said?.updatedInput === undefined

/** A hook that broke must not keep an agent from stopping: only a hook that said so may. */
const mayRefuse = ({ row }: Entry): boolean => row.answer !== 'stop' && row.takes.decisions.includes('deny')
