import { same, type PlainObject } from '../../util/plain.ts'
import type { Decision, Precedence } from '../events/answers.ts'
import { decode } from './decode.ts'
import type { HookEntry, Group } from './entry.ts'
import { foldReplies, outcomeOf, type Outcome, type DecodedReply, type HookAnswer } from './outcome.ts'
import type { Run } from './run.ts'
import { HookFailure, type Failure } from './hook-failure.ts'

export class Tally {
  readonly #run: Run
  readonly #replies: DecodedReply[] = []
  /** Whose answers they are, place by place: two hooks may have one name, in two scopes. */
  readonly #authors: HookEntry[] = []
  #failures: Failure[] | undefined
  #stopped: Map<Group, string> | undefined
  #excused: Set<HookEntry> | undefined
  #revised = false

  constructor(run: Run) {
    this.#run = run
  }

  excuse(entry: HookEntry): void {
    ;(this.#excused ??= new Set()).add(entry)
  }

  refuses(entry: HookEntry): boolean {
    return this.#replies.some((reply, place) => reply.decision === 'deny' && this.#authors[place] === entry)
  }

  stopperOf(entry: HookEntry): string | undefined {
    return entry.group === undefined ? undefined : this.#stopped?.get(entry.group)
  }

  /** The reply of a hook. Throws `HookFailure` when it cannot be trusted. */
  read(entry: HookEntry, raw: unknown): DecodedReply | undefined {
    if (raw === undefined) return undefined
    try {
      return decode(raw, entry, this.#run.trace)
    } catch (error) {
      throw HookFailure.by('reply', error)
    }
  }

  /** Takes one answer. Throws `HookFailure` when what it changes cannot be accepted, and then nothing of it counts. */
  take(entry: HookEntry, answer: HookAnswer): void {
    const { reply, draft, messages } = answer
    const run = this.#run
    if (run.phase !== 'judge') return this.#takeLate(entry, answer)
    const denies = reply !== undefined && reply.decision === 'deny'
    const isBare = draft === undefined && messages === undefined && reply?.updatedInput === undefined
    const rewrite = denies || isBare ? undefined : run.rewrites.find(entry, answer)
    if (rewrite !== undefined) {
      run.rewrites.apply(entry, rewrite)
      run.trace?.rewrote(entry)
    }
    if (reply !== undefined) this.record(entry, reply)
  }

  /** When a hook is called again, or observes, only its decision may count. */
  #takeLate(entry: HookEntry, { reply, draft }: HookAnswer): void {
    const { phase, trace } = this.#run
    const rewrote = reply?.updatedInput !== undefined || (draft !== undefined && !same(draft, this.#run.draft))
    if (rewrote || reply?.extras?.contexts !== undefined)
      trace?.note(entry, `${phase === 'rejudge' ? 'asked again: further ' : ''}changes and context have no effect here`)
    if (phase === 'rejudge') this.#revise(entry, reply)
    else if (reply?.decision !== undefined) trace?.note(entry, 'observers decide nothing')
  }

  record(entry: HookEntry, reply: DecodedReply): void {
    // Only where it refuses too: a hook after it in the group may still deny.
    if (entry.group !== undefined && reply.extras?.continue === false && entry.profile === 'strict')
      (this.#stopped ??= new Map()).set(entry.group, entry.name)
    this.#replies.push(reply)
    this.#authors.push(entry)
  }

  #revise(entry: HookEntry, reply: DecodedReply | undefined): void {
    this.withdraw(entry)
    if (reply?.decision === undefined) return
    const { by, decision, reason, extras } = reply
    const { continue: goOn, stopReason } = extras ?? {}
    const again: DecodedReply = { by, decision, reason }
    if (goOn !== undefined)
      again.extras = stopReason === undefined ? { continue: goOn } : { continue: goOn, stopReason }
    this.record(entry, again)
  }

  failOpen(entry: HookEntry): void {
    this.record(entry, { by: entry.name, decision: undefined, reason: undefined, extras: { failedOpen: true } })
  }

  withdraw(entry: HookEntry): void {
    this.#revised = true
    const place = this.#authors.indexOf(entry)
    const first = this.#replies[place]
    if (first === undefined) return
    // What was granted together with the decision goes with it.
    const extras = first.extras && { ...first.extras, fields: {} }
    this.#replies[place] = { ...first, decision: undefined, extras }
  }

  /** A failure closes a gate, unless the hook or the profile says otherwise; then it is marked. */
  fail(entry: HookEntry, { kind, message }: HookFailure): Failure {
    const gate = entry.row.failure === 'closed'
    const closes = entry.onFailure === undefined ? gate && entry.profile === 'strict' : entry.onFailure === 'block'
    const failure = { by: entry.name, kind, message, failedOpen: gate && !closes && !entry.observe }
    ;(this.#failures ??= []).push(failure)
    this.excuse(entry)
    if (this.#run.phase === 'rejudge') this.withdraw(entry)
    if (closes && !entry.observe && mayRefuse(entry)) {
      const reason = `gate_failed:${kind}: hook ${entry.name} (${entry.source}): ${message}`
      // An output that it might have hidden or replaced is not shown.
      const extras = entry.row.takes.fields.includes('updatedToolOutput') ? { suppressOutput: true } : undefined
      this.record(entry, { by: entry.name, decision: 'deny', reason, extras })
    }
    return failure
  }

  /** The hooks to ask again, since what they judged is not what would run. */
  outdated(hooks: readonly HookEntry[]): readonly HookEntry[] {
    const { rewritten, registry } = this.#run
    if (rewritten === undefined || registry.settings.profile === 'compat') return []
    const outdated = rewritten.outdated(hooks).filter(entry => this.#excused?.has(entry) !== true)
    return outdated.length > 0 && this.outcome().decision === 'deny' ? [] : outdated
  }

  #inOrder(): readonly DecodedReply[] {
    const ranked = this.#replies.map((reply, place) => ({ reply, rank: this.#run.rankOf(this.#authors[place]) }))
    return ranked.toSorted((a, b) => a.rank - b.rank).map(({ reply }) => reply)
  }

  /** An ask gives way to an allow where both were added under `allow-over-ask`; to no allow of other hooks. */
  #allowsInstead(): boolean {
    const has = (decision: Decision, order: Precedence): boolean =>
      this.#replies.some((reply, place) => reply.decision === decision && this.#authors[place]?.precedence === order)
    return has('allow', 'allow-over-ask') && !has('ask', 'ask-over-allow')
  }

  outcome(): Outcome {
    const { hooks, rewritten } = this.#run
    let folded = foldReplies(this.#revised ? this.#inOrder() : this.#replies)
    if (folded.decision === 'ask' && this.#allowsInstead()) folded = { ...folded, decision: 'allow' }
    if (rewritten === undefined && this.#failures === undefined) return outcomeOf(hooks, folded, undefined)
    const draft = rewritten?.finalDraft()
    return outcomeOf(hooks, folded, {
      updatedInput: hooks.row.draft === 'prompt' ? undefined : (draft as PlainObject | undefined),
      updatedPrompt: hooks.row.draft === 'prompt' ? (draft as string | undefined) : undefined,
      messageEdits: rewritten?.edits,
      conflicts: rewritten?.conflicts,
      failures: this.#failures
    })
  }
}

/** A hook that failed must not keep an agent from stopping: only an explicit decision may. */
const mayRefuse = ({ row }: HookEntry): boolean => row.answer !== 'stop' && row.takes.decisions.includes('deny')
