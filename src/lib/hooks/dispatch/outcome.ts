import type { Message } from '../../message.ts'
import { copyPlain, freezeDeep, type PlainObject } from '../../util/plain.ts'
import { STRENGTH, type Decision, type SpecificField } from '../events/answers.ts'
import type { EventName } from '../events/event-table.ts'
import type { MessageEdits } from './history.ts'
import type { Failure } from './hook-failure.ts'
import type { ToolInputs } from '../events/tool-inputs.ts'

/** Who decided what, and why. */
export interface Verdict {
  readonly by: string
  readonly decision: Decision
  readonly reason: string | undefined
}

/** Text for the model, and who added it. */
export interface AddedContext {
  readonly by: string
  readonly text: string
}

/** `model`: it reaches the next model call. `user`: it is shown, and the model does not see it. */
export interface SystemMessage extends AddedContext {
  readonly to: 'model' | 'user'
}

export interface DecodedReply {
  readonly by: string
  decision: Decision | undefined
  reason: string | undefined
  /** Goes through the draft; it is not folded. */
  updatedInput?: PlainObject
  extras?: ReplyExtras | undefined
}

export interface HookAnswer {
  readonly reply: DecodedReply | undefined
  readonly draft: unknown
  readonly messages: Message[] | undefined
  readonly raw: unknown
}

export interface ReplyExtras {
  continue?: boolean
  stopReason?: string
  suppressOutput?: boolean
  suppressLogging?: boolean
  failedOpen?: boolean
  systemMessages?: readonly SystemMessage[]
  terminalSequences?: readonly AddedContext[]
  contexts?: readonly AddedContext[]
  fields?: SpecificValues
}

type SpecificValues = Readonly<Partial<Record<SpecificField, unknown>>>

export interface FoldedReplies {
  readonly decision: Decision | undefined
  readonly verdicts: readonly Verdict[]
  readonly extras: ReplyExtras | undefined
}

type Join<T> = (a: T, b: T) => T

const latest = <T>(_: T, b: T): T => b
const either = (a: boolean, b: boolean): boolean => a || b
const both = (a: boolean, b: boolean): boolean => a && b
const all = <T>(a: readonly T[], b: readonly T[]): readonly T[] => [...a, ...b]

/** How two values of a field become one; `b` comes after `a` in declared order. */
const JOINS: { readonly [K in keyof ReplyExtras]-?: Join<NonNullable<ReplyExtras[K]>> } = {
  continue: both,
  stopReason: latest,
  suppressOutput: either,
  suppressLogging: either,
  failedOpen: either,
  systemMessages: all,
  terminalSequences: all,
  contexts: all,
  fields: (a, b) => ({ ...a, ...b })
}

export function joinExtras(a: ReplyExtras | undefined, b: ReplyExtras | undefined): ReplyExtras | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const sum: Record<string, unknown> = { ...a }
  for (const key of Object.keys(b) as (keyof ReplyExtras)[]) {
    const join = JOINS[key] as Join<unknown>
    sum[key] = sum[key] === undefined ? b[key] : join(sum[key], b[key])
  }
  return sum
}

const NONE: readonly never[] = Object.freeze([])
const NOTHING: FoldedReplies = Object.freeze({ decision: undefined, verdicts: NONE, extras: undefined })

/** Joins answers in declared order, onto those that were joined before: in pieces or at once, it is the same. */
export function foldReplies(replies: readonly DecodedReply[], before: FoldedReplies = NOTHING): FoldedReplies {
  let { decision, extras } = before
  let plain = true
  for (const reply of replies) {
    const next = reply.decision
    if (reply.extras !== undefined) extras = joinExtras(extras, reply.extras)
    if (next !== undefined && next !== decision && (decision === undefined || STRENGTH[next] > STRENGTH[decision])) {
      decision = next
    }
    plain &&= next !== undefined && reply.extras === undefined && reply.updatedInput === undefined
  }
  const verdicts = plain ? (replies as readonly Verdict[]) : replies.flatMap(verdictIn)
  return { decision, verdicts: before === NOTHING ? verdicts : [...before.verdicts, ...verdicts], extras }
}

const verdictIn = ({ by, decision, reason }: DecodedReply): readonly Verdict[] =>
  decision === undefined ? NONE : [{ by, decision, reason }]

/** Two hooks changed the same key of one input; the later in declared order won. */
export interface Conflict {
  readonly key: string
  readonly winner: string
  readonly loser: string
}

/** The outcome of an event about a call of a tool that `ToolInputs` knows. */
export type ToolOutcome<Name extends keyof ToolInputs> = Omit<Outcome, 'updatedInput'> & {
  readonly updatedInput: Readonly<ToolInputs[Name]> | undefined
}

/** The answers of all hooks of one event, folded in declared order. */
export interface Outcome {
  readonly event: EventName
  readonly decision: Decision | undefined
  /** A deny that stops something: the call, the prompt, the start; on Stop, the stopping. */
  readonly blocked: boolean
  /** The hook that first gave the reason for the final decision. */
  readonly by: string | undefined
  /** That reason; a deny without one says who refused. */
  readonly reason: string | undefined
  readonly reasons: readonly Verdict[]
  /** The input to run instead, frozen. In the strict profile, unless a hook refuses, every gate has judged it. */
  readonly updatedInput: Readonly<PlainObject> | undefined
  readonly updatedPrompt: string | undefined
  readonly messageEdits: MessageEdits | undefined
  /** All contexts in run order, joined by newlines. */
  readonly additionalContext: string | undefined
  readonly contexts: readonly AddedContext[]
  readonly systemMessage: string | undefined
  readonly systemMessages: readonly SystemMessage[]
  /** What hooks gave for the terminal, as they gave it. */
  readonly terminalSequences: readonly AddedContext[]
  /** `false`: the run ends after this step. `true`, on Stop: it continues. */
  readonly continue: boolean | undefined
  readonly stopReason: string | undefined
  readonly suppressOutput: boolean
  readonly suppressLogging: boolean
  /** A hook failed, or the compat profile ignored its answer, and the call was allowed anyway; the strict profile would block it. */
  readonly failedOpen: boolean
  /** The fields that only this event takes, such as `updatedToolOutput`. */
  readonly fields: Readonly<Partial<Record<SpecificField, unknown>>>
  readonly conflicts: readonly Conflict[]
  readonly failures: readonly Failure[]
}

/** An answer that came after its event had ended. */
export interface LateAnswer {
  readonly by: string
  readonly event: EventName
  readonly sessionId: string
  readonly contexts: readonly AddedContext[]
  readonly systemMessages: readonly SystemMessage[]
  readonly failure: Failure | undefined
}

export type Aftermath = { readonly [K in 'updatedInput' | 'updatedPrompt' | 'messageEdits']: Outcome[K] } & {
  readonly [K in 'conflicts' | 'failures']: Outcome[K] | undefined
}

const NO_EXTRAS: ReplyExtras = Object.freeze({})
const NO_FIELDS = Object.freeze({})

type FiredEvent = { readonly event: EventName; readonly decides: boolean }

export function outcomeOf(
  { event, decides }: FiredEvent,
  folded: FoldedReplies,
  after: Aftermath | undefined
): Outcome {
  const { decision, verdicts, extras = NO_EXTRAS } = folded
  const contexts = extras.contexts ?? NONE
  const systemMessages = extras.systemMessages ?? NONE
  const lead = decision === undefined ? undefined : leadingVerdict(decision, verdicts)
  return {
    event,
    decision,
    blocked: decision === 'deny' && decides,
    by: lead?.by,
    reason: lead?.reason ?? (decision === 'deny' ? `refused by ${lead?.by}` : undefined),
    reasons: verdicts,
    updatedInput: after?.updatedInput,
    updatedPrompt: after?.updatedPrompt,
    messageEdits: after?.messageEdits,
    additionalContext: contexts.length === 0 ? undefined : contexts.map(context => context.text).join('\n'),
    contexts,
    systemMessage: systemMessages.length === 0 ? undefined : systemMessages.at(-1)?.text,
    systemMessages,
    terminalSequences: extras.terminalSequences ?? NONE,
    continue: extras.continue,
    stopReason: extras.stopReason,
    suppressOutput: extras.suppressOutput === true,
    suppressLogging: extras.suppressLogging === true,
    failedOpen: extras.failedOpen === true || after?.failures?.some(failure => failure.failedOpen) === true,
    fields: extras.fields === undefined ? NO_FIELDS : fieldsOf(extras.fields, decision),
    conflicts: after?.conflicts ?? NONE,
    failures: after?.failures ?? NONE
  }
}

/** Permissions are changed only together with an allow, and a turn is ended only together with a deny. */
function fieldsOf(fields: SpecificValues, decision: Decision | undefined): SpecificValues {
  const { updatedPermissions, interrupt, ...others } = fields
  if (decision === 'allow' && updatedPermissions !== undefined) return { ...others, updatedPermissions }
  return decision === 'deny' && interrupt !== undefined ? { ...others, interrupt } : others
}

/** The first verdict that decides so and says why; else the first that decides so. */
function leadingVerdict(decision: Decision, verdicts: readonly Verdict[]): Verdict | undefined {
  let first: Verdict | undefined
  for (const verdict of verdicts) {
    if (verdict.decision !== decision) continue
    if (verdict.reason !== undefined) return verdict
    first ??= verdict
  }
  return first
}

export function freezeOutcome(outcome: Outcome): Outcome {
  const { reasons, contexts, systemMessages, terminalSequences, failures, conflicts, fields } = outcome
  const verdicts = reasons.map(verdict => ({ ...verdict }))
  const parts = { reasons: verdicts, contexts, systemMessages, terminalSequences, failures, conflicts, fields }
  return Object.freeze({ ...outcome, ...freezeDeep(copyPlain(parts)) })
}

/** No hook answered: one frozen object per event, so that firing costs nothing. */
export const neutralOutcome = (fired: FiredEvent): Outcome => Object.freeze(outcomeOf(fired, NOTHING, undefined))

/** Whether an agent that was about to stop continues: through a block, a context, or `continue: true`. */
export function goesOn(outcome: Outcome): boolean {
  if (outcome.continue === false) return false
  return outcome.continue === true || outcome.blocked || outcome.contexts.length > 0
}
