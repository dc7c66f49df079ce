import { STRENGTH } from '../../hooks/events/answers.ts'
import { goesOn, type Outcome, type SystemMessage } from '../../hooks/dispatch/outcome.ts'
import { isGate, rowOf } from '../../hooks/events/event-table.ts'
import { definedFields } from '../../sdks/agent-sdk.ts'
import { HIDDEN_OUTPUT, outputAfter } from '../../hooks/guard.ts'
import type { PlainObject } from '../../util/plain.ts'
import { safeJson } from '../print.ts'
import type { Effect, HostEvent } from './dialect.ts'

/** What is known about the call and the host, for the sentence that says what to do instead. */
export interface FitFacts {
  readonly title: string
  readonly tool: string
  /** The host's input, as it was. */
  readonly input: PlainObject
  /** What would allow a call that hooks or rules ask about. */
  readonly advice: string
}

/**
 * The outcome with only what the host can do. Where it cannot do what restricts, the event is refused, with what to do
 * instead; where nothing can be refused, a notice says so.
 */
export function fitOutcome(given: Outcome, { as, takes }: HostEvent, facts: FitFacts): Outcome {
  const outcome = rowOf(as).answer === 'stop' && given.decision !== 'deny' && goesOn(given) ? sentBack(given) : given
  const can = (effect: Effect): boolean => takes.includes(effect)
  const { title, tool, advice } = facts
  const { decision, by = 'a hook', reason, updatedInput, updatedPrompt, continue: more, stopReason } = outcome
  const refuse = (why: string): Outcome => fitOutcome(refusalOf(outcome, why), { as, takes }, facts)
  if (decision !== 'deny') {
    const asked = `it needs permission (${reason ?? `${by} asks`})`
    if (decision === 'defer') return refuse(`${by} defers, and ${title} cannot wait`)
    if (decision === 'ask' && !can('ask'))
      return refuse(`${asked}, and ${title} cannot ask for a hook here. To allow it, ${advice}`)
    const keepsKeys = Object.keys(facts.input).every(key => key in (updatedInput ?? {}))
    const mayRewrite =
      can('rewrite') || (can('allowed rewrite') && decision === 'allow') || (can('merged rewrite') && keepsKeys)
    if (updatedInput !== undefined && !mayRewrite)
      return refuse(`a hook corrected this call. Call ${tool} with ${safeJson(updatedInput)}`)
    if (updatedPrompt !== undefined && !can('prompt'))
      return refuse(`a hook changed the prompt, which ${title} cannot do`)
    if (more === false && !can('end') && isGate(as)) return refuse(stopReason ?? `${by} ends the run`)
  }
  return {
    ...outcome,
    ...(decision === 'allow' && !can('allow') && { decision: undefined }),
    ...lost(outcome, can, title)
  }
}

/** What has no effect in the host, as notices. */
function lost(outcome: Outcome, can: (effect: Effect) => boolean, title: string): Partial<Outcome> {
  const { event, decision, by = 'a hook', reason, contexts, continue: more, fields, suppressOutput } = outcome
  const isHidden = suppressOutput || 'updatedToolOutput' in fields || 'updatedMCPToolOutput' in fields
  const notices: string[] = []
  const drop = <K extends keyof Outcome>(key: K, value: Outcome[K], notice: string): Partial<Outcome> => {
    notices.push(`${notice}, and ${title} cannot do that`)
    return { [key]: value }
  }
  const dropped = {
    ...(decision === 'deny' && !can('deny') && drop('decision', undefined, `${by} refuses ${event} (${reason})`)),
    ...(contexts.length > 0 && !can('context') && drop('contexts', [], `hooks add context on ${event}`)),
    ...(more === false && !can('end') && !isGate(event) && drop('continue', undefined, `${by} ends the run`)),
    ...(event === 'PostToolUse' && isHidden && !can('output') && drop('fields', {}, 'a hook replaces this output'))
  }
  const said = notices.map((text): SystemMessage => ({ by: 'carabiner', text, to: 'user' }))
  return { ...dropped, systemMessages: [...outcome.systemMessages, ...said] }
}

/** An agent that does not stop, because of a context or `continue: true`. */
const sentBack = (outcome: Outcome): Outcome => ({
  ...outcome,
  decision: 'deny',
  blocked: true,
  reason: outcome.additionalContext ?? 'a hook asks to continue',
  contexts: [],
  continue: undefined
})

const refusalOf = (outcome: Outcome, reason: string): Outcome => ({
  ...outcome,
  decision: 'deny',
  blocked: true,
  reason,
  updatedInput: undefined,
  updatedPrompt: undefined,
  continue: undefined
})

/** The outcomes of several calls that one call of the host stands for: the strictest decides. */
export const strictest = (outcomes: readonly Outcome[]): Outcome =>
  outcomes.reduce((a, b) => ({
    ...(strengthOf(b) > strengthOf(a) ? b : a),
    contexts: [...a.contexts, ...b.contexts],
    systemMessages: [...a.systemMessages, ...b.systemMessages],
    failures: [...a.failures, ...b.failures]
  }))

/** A call that nothing decides about is weaker than one that is asked about, and stronger than one that is allowed. */
const strengthOf = ({ decision }: Outcome): number => (decision === undefined ? 1.5 : STRENGTH[decision])

/** The texts for the model, and those for the person who watches. */
export function textsOf({ event, decision, contexts, systemMessages, failures }: Outcome): {
  readonly model: string | undefined
  readonly user: string | undefined
} {
  const to = (who: 'model' | 'user'): readonly string[] =>
    systemMessages.flatMap(message => (message.to === who ? message.text : []))
  // A refusal says why.
  const failed = decision === 'deny' ? [] : failures.map(({ by, message }) => `the hook ${by} failed: ${message}`)
  const isTaken = rowOf(event).takes.fields.includes('additionalContext')
  const model = isTaken ? [...contexts.map(({ text }) => text), ...to('model')].join('\n') : ''
  return { model: model || undefined, user: [...failed, ...to('user')].join('\n') || undefined }
}

/** The text that hooks put in place of the output of a tool, if they did. Hosts ignore an empty one. */
export function shownOutput(
  outcome: Outcome,
  { tool_name: name, tool_response: own }: PlainObject
): string | undefined {
  const output = outcome.event === 'PostToolUse' ? outputAfter(outcome, String(name), own) : own
  if (output === own) return undefined
  const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
  return text.trim() === '' ? HIDDEN_OUTPUT : text
}

/** The part of an answer that names its event; undefined if it says nothing. */
export function specificOutput(event: string, fields: PlainObject): PlainObject | undefined {
  const set = definedFields(fields)
  return Object.keys(set).length === 0 ? undefined : { hookEventName: event, ...set }
}
