import type { PlainObject } from '../util/plain.ts'
import { answerOf, STRENGTH, type Decision, type Precedence, type SpecificField } from './answers.ts'
import type { EventName } from './events.ts'
import { rowOf } from './events.ts'
import type { MessageEdits } from './history.ts'

/** Who decided what, and why. */
export interface Verdict {
  readonly by: string
  readonly decision: Decision
  readonly reason: string | undefined
}

export interface Context {
  readonly by: string
  readonly text: string
}

/** `model`: it reaches the next model call. `user`: it is shown, and the model does not see it. */
export interface SystemMessage extends Context {
  readonly to: 'model' | 'user'
}

/** What one hook said, decoded. `reason` belongs to `decision`; `updatedInput` goes through the draft. */
export interface Said extends Folded {
  reason?: string | undefined
  updatedInput?: PlainObject | undefined
}

/** Answers, joined. One answer is a fold of one, so folding in pieces equals folding at once. */
export interface Folded {
  decision?: Decision | undefined
  verdicts?: Verdict[] | undefined
  continue?: boolean | undefined
  stopReason?: string | undefined
  suppressOutput?: boolean | undefined
  suppressLogging?: boolean | undefined
  systemMessages?: SystemMessage[] | undefined
  contexts?: Context[] | undefined
  fields?: Readonly<Partial<Record<SpecificField, unknown>>> | undefined
}

/** `a` belongs to the sum and may be changed; `b` stands behind it in declared order and may not. */
type Join<T> = (a: T, b: T, order: Precedence) => T
type Joins = { readonly [K in keyof Folded]-?: Join<NonNullable<Folded[K]>> }

const latest = <T>(_: T, b: T): T => b
const either = (a: boolean, b: boolean): boolean => a || b
const both = (a: boolean, b: boolean): boolean => a && b
const all = <T>(a: T[], b: readonly T[]): T[] => {
  a.push(...b)
  return a
}

/** How two values of a field become one. */
const JOINS: Joins = {
  decision: (a, b, order) => (STRENGTH[order][b] > STRENGTH[order][a] ? b : a),
  verdicts: all,
  continue: both,
  stopReason: latest,
  suppressOutput: either,
  suppressLogging: either,
  systemMessages: all,
  contexts: all,
  fields: (a, b) => ({ ...a, ...b })
}

/** Joins answers in declared order. Folding in pieces equals folding at once. */
export function fold(answers: readonly Folded[], order: Precedence): Folded {
  const sum: Record<string, unknown> = {}
  for (const said of answers) {
    for (const key in said) {
      const join = JOINS[key as keyof Folded] as Join<unknown> | undefined
      const b = said[key as keyof Folded]
      if (join === undefined || b === undefined) continue
      const a = sum[key]
      if (a !== undefined) sum[key] = join(a, b, order)
      else sum[key] = Array.isArray(b) ? [...b] : b
    }
  }
  return sum
}

/** Two hooks changed the same key of one input; the later in declared order won. */
export interface Conflict {
  readonly key: string
  readonly winner: string
  readonly loser: string
}

/** A hook that did not answer properly, and what that meant. */
export interface Failure {
  readonly by: string
  readonly kind: FailureKind
  readonly message: string
  /** It was let pass although a gate should close. */
  readonly failedOpen: boolean
}

/** How a hook is made to fail from within the engine. */
export class Failed {
  readonly kind: FailureKind
  readonly message: string

  constructor(kind: FailureKind, message: string) {
    this.kind = kind
    this.message = message
  }
}

export type FailureKind = 'threw' | 'timeout' | 'budget' | 'aborted' | 'reply' | 'rewrite' | 'messages'

/** What all hooks of one event said, folded in declared order. */
export interface Outcome {
  readonly event: EventName
  readonly decision: Decision | undefined
  /** A deny that stops something: the call, the prompt, the start; on Stop, the stopping. */
  readonly blocked: boolean
  /** The first reason given for the decision that stands, by the name of its author when none was given. */
  readonly reason: string | undefined
  readonly reasons: readonly Verdict[]
  /** The input to run instead, frozen; it is what every gate judged last. */
  readonly updatedInput: Readonly<PlainObject> | undefined
  readonly updatedPrompt: string | undefined
  readonly messageEdits: MessageEdits | undefined
  /** All contexts in run order, joined by newlines. */
  readonly additionalContext: string | undefined
  readonly contexts: readonly Context[]
  readonly systemMessage: string | undefined
  readonly systemMessages: readonly SystemMessage[]
  /** `false`: the run ends after this step. `true`, on Stop: it goes on. */
  readonly continue: boolean | undefined
  readonly stopReason: string | undefined
  readonly suppressOutput: boolean
  readonly suppressLogging: boolean
  /** The fields that only this event takes, such as `updatedToolOutput`. */
  readonly fields: Readonly<Partial<Record<SpecificField, unknown>>>
  readonly conflicts: readonly Conflict[]
  readonly failures: readonly Failure[]
}

/** What folding does not know: what became of the draft, and what went wrong. */
export interface Rest {
  readonly updatedInput?: PlainObject | undefined
  readonly updatedPrompt?: string | undefined
  readonly messageEdits?: MessageEdits | undefined
  readonly conflicts?: readonly Conflict[] | undefined
  readonly failures?: readonly Failure[] | undefined
}

const NONE: readonly never[] = Object.freeze([])
const NO_FIELDS = Object.freeze({})

export function outcomeOf(event: EventName, sum: Folded, rest: Rest): Outcome {
  const { decision, verdicts = NONE, contexts = NONE, systemMessages = NONE } = sum
  return {
    event,
    decision,
    blocked: decision === 'deny' && answerOf(rowOf(event).answer).blocks,
    reason: decision === undefined ? undefined : leadingReason(decision, verdicts),
    reasons: verdicts,
    updatedInput: rest.updatedInput,
    updatedPrompt: rest.updatedPrompt,
    messageEdits: rest.messageEdits,
    additionalContext: contexts.length === 0 ? undefined : contexts.map(context => context.text).join('\n'),
    contexts,
    systemMessage: systemMessages.at(-1)?.text,
    systemMessages,
    continue: sum.continue,
    stopReason: sum.stopReason,
    suppressOutput: sum.suppressOutput === true,
    suppressLogging: sum.suppressLogging === true,
    fields: sum.fields ?? NO_FIELDS,
    conflicts: rest.conflicts ?? NONE,
    failures: rest.failures ?? NONE
  }
}

function leadingReason(decision: Decision, verdicts: readonly Verdict[]): string | undefined {
  for (const verdict of verdicts) {
    if (verdict.decision === decision && verdict.reason !== undefined) return verdict.reason
  }
  const author = verdicts.find(verdict => verdict.decision === decision)
  return decision === 'deny' && author !== undefined ? `refused by ${author.by}` : undefined
}

/** Nobody said anything: one frozen object an event, so that asking costs nothing. */
export const neutralOutcome = (event: EventName): Outcome => Object.freeze(outcomeOf(event, {}, {}))

/** Whether an agent that was about to stop goes on: through a block, a context, or `continue: true`. */
export function goesOn(outcome: Outcome): boolean {
  if (outcome.continue === false) return false
  return outcome.continue === true || outcome.blocked || outcome.contexts.length > 0
}
