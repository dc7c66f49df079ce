import { hash } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import type { EventName } from '../../hooks/events/event-table.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { keptReport, type KeptReport } from '../../hooks/kept-report.ts'
import type { Ruling } from '../../permissions/policy.ts'
import { attempt } from '../../util/attempt.ts'
import { same } from '../../util/plain.ts'
import type { SessionOptions } from '../session/session-options.ts'
import type { CallSubject } from './call.ts'

/** What was decided about a call, by whom, and what hooks said: a part of the lines that the call writes anyway. */
export interface DecisionRecord {
  readonly v: 1
  /** `defer`: a hook leaves it to someone else; `ask`: a person has to answer. */
  readonly decision?: Ruling['decision'] | 'defer' | undefined
  /** `not-run`: there is no such tool, the input is invalid, or the run was interrupted. */
  readonly kind?: Ruling['kind'] | 'not-run' | undefined
  readonly by?: string | undefined
  readonly reason?: string | undefined
  readonly askedBy?: string | undefined
  /** The person, hook, rule or mode that decided in the end. */
  readonly approver?: string | undefined
  readonly agent?: { readonly id: string; readonly type: string; readonly depth: number } | undefined
  /** Names what was in force; `inForce` says what that was, in the first record that names it. */
  readonly policy?: string | undefined
  readonly inForce?: PolicyInForce | undefined
  /** The SHA-256 of the input that the model gave, as JSON. */
  readonly input?: string | undefined
  /** The same of the input that was judged last, and that input, if it differs. */
  readonly judged?: { readonly hash: string; readonly input: unknown } | undefined
  readonly events?: readonly KeptReport[] | undefined
  readonly result?: 'ok' | 'error' | 'refused' | undefined
  readonly ms?: number | undefined
}

export type PolicyInForce = ReturnType<typeof policyOf>

type Decided = Pick<DecisionRecord, 'decision' | 'kind' | 'reason' | 'askedBy'> & { readonly by: string }

interface Draft {
  readonly events: KeptReport[]
  ruling: Decided
  approver?: string
  /** A line has this ruling. */
  isWritten?: boolean
}

/** Collects what is decided about the calls of a session, until it is written. */
export class Decisions {
  readonly #options: SessionOptions
  readonly #agentId: string
  readonly #calls = new Map<string, Draft>()
  #known: readonly unknown[] = []
  #digest = ''

  constructor(options: SessionOptions, agentId: string) {
    this.#options = options
    this.#agentId = agentId
  }

  /** Whether hooks have to be reported. */
  wants(event: EventName): boolean {
    return this.#options.hooks.hears(event)
  }

  hear(id: string, outcome: Outcome): void {
    const kept = keptReport(outcome)
    if (kept !== undefined) this.#draft(id).events.push(kept)
  }

  rule(id: string, ruling: Decided, approver: string = ruling.by): void {
    Object.assign(this.#draft(id), { ruling, approver, isWritten: false })
  }

  /** It started before the session was interrupted: an earlier line says who allowed it. */
  continueCall(id: string): void {
    Object.assign(this.#draft(id), { ruling: { ...ASKED, decision: 'allow' }, isWritten: true })
  }

  #draft(id: string): Draft {
    let draft = this.#calls.get(id)
    if (draft === undefined) this.#calls.set(id, (draft = { events: [], ruling: ASKED }))
    return draft
  }

  /** What is known and was not written yet: for a line before the call starts, or while it waits. */
  recordOf({ use, input }: CallSubject): DecisionRecord {
    const draft = this.#draft(use.id)
    const { events, ruling, approver } = draft
    const { decision, kind, by, reason, askedBy } = ruling
    const { type = 'main', depth = 0 } = this.#options.agent ?? {}
    draft.isWritten = true
    return {
      v: 1,
      decision,
      kind,
      by,
      reason,
      askedBy,
      approver: decision === 'ask' ? undefined : approver,
      agent: { id: this.#agentId, type, depth },
      ...this.#policy(),
      input: hashOf(use.input),
      judged: same(use.input, input) ? undefined : { hash: hashOf(input), input },
      events: events.length === 0 ? undefined : events.splice(0)
    }
  }

  /** For the line of its result, with which it is over. */
  closeCall(call: CallSubject, error: string | undefined): DecisionRecord {
    const { use, duration_ms: ms } = call
    const { id } = use
    const { events, ruling, isWritten } = this.#draft(id)
    const { decision, kind, by } = ruling
    const isRefused = error !== undefined && decision !== 'allow'
    if (isRefused && decision !== 'deny') {
      const askedBy = kind === 'default' ? undefined : by
      this.rule(id, { decision: 'deny', kind: 'not-run', by: 'carabiner', reason: error, askedBy })
    }
    const isKnown = isWritten === true && decision === 'allow'
    const whole: DecisionRecord = isKnown
      ? { v: 1, events: events.length === 0 ? undefined : events }
      : this.recordOf(call)
    this.#calls.delete(id)
    return { ...whole, result: error === undefined ? 'ok' : isRefused ? 'refused' : 'error', ms }
  }

  /** Written in full only when it has changed, and not even read before. */
  #policy(): Pick<DecisionRecord, 'policy' | 'inForce'> {
    const { permissions, hooks } = this.#options
    const now = [permissions.mode, hooks.revision, ...permissions.rules]
    if (now.length === this.#known.length && now.every((each, index) => each === this.#known[index]))
      return { policy: this.#digest }
    this.#known = now
    const inForce = policyOf(this.#options)
    const before = this.#digest
    const policy = (this.#digest = hashOf(inForce).slice(0, 16))
    return { policy, inForce: policy === before ? undefined : inForce }
  }
}

const ASKED: Decided = { decision: 'ask', kind: 'default', by: 'default' }

const hashOf = (input: unknown): string => hash('sha256', attempt(() => JSON.stringify(input)) ?? '')

/** The person at this process: no one else can answer its questions. */
export const personHere = (): string => `${attempt(() => userInfo().username) ?? 'someone'}@${hostname()}`

const policyOf = ({ permissions, hooks, profile, inactive }: SessionOptions) => ({
  mode: permissions.mode,
  profile,
  precedence: hooks.options.precedence ?? 'allow-over-ask',
  rules: permissions.rules.map(({ behavior, text, source }) => `${behavior} ${text} (${source})`),
  hooks: hooks.list().map(({ name, source, events }) => `${events.join(', ')}: ${name} (${source})`),
  /** Hooks that are declared and not active, and why. */
  inactive: inactive?.() ?? []
})
