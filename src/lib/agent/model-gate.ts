import { createHash } from 'node:crypto'
import type { Outcome } from '../hooks/dispatch/outcome.ts'
import type { RequestDraft, ResponseDraft } from '../hooks/events/fields.ts'
import { HOOK_AGENT } from '../hooks/kinds/hook-environment.ts'
import type { Message } from '../message.ts'
import { failureOf } from '../model/failure.ts'
import type { Answer, Model, ModelFailure, ModelRequest } from '../model/model.ts'
import { objectionLines, reasonForModel } from './call/objections.ts'
import { checkSibling, requestRules, responseProblem } from './model-drafts.ts'
import { ended, INTERRUPTED, type Ending } from './session/ending.ts'
import type { Session } from './session/session.ts'
import { answerMessage } from './session/transcript-entries.ts'

type Purpose = 'turn' | 'compaction'

/** A request, and the model that gets it. */
export interface ModelStep {
  readonly model: Model
  readonly request: ModelRequest
  /** Messages of hooks, which come after those of the request. */
  readonly append: readonly Message[]
}

/** Whether hooks are asked. A model that works for a hook is part of that hook, and judging it would never end. */
export const hears = (
  { options: { hooks, agent } }: Session,
  event: 'PreModelRequest' | 'PostModelResponse',
  mustDecide = false
): boolean => agent?.type !== HOOK_AGENT && hooks.hears(event, mustDecide)

/** The request as hooks want it, or why it is not sent. */
export async function judgeRequest(
  plain: ModelRequest,
  purpose: Purpose,
  session: Session,
  signal: AbortSignal
): Promise<ModelStep | Ending> {
  const { model, options, transcript } = session
  if (!hears(session, 'PreModelRequest')) return { model, request: plain, append: [] }
  const { system, tools, effort, maxTokens: max_tokens } = plain
  const request: RequestDraft = { model: model.name, system, tools: tools.map(({ name }) => name), append: [] }
  if (effort !== undefined) request.effort = effort
  if (max_tokens !== undefined) request.max_tokens = max_tokens
  // The model of the session may be another one when hooks have answered.
  const named = (name: string): Model => modelNamed(name, model, options.limits.dollars)
  const about = { provider: model.provider, sentName: (name: string) => named(name).name }
  const rules = requestRules(request, about, source => options.isOfProject?.(source) === true)
  // Hooks read the conversation there.
  await transcript.flush()
  const input = { model: model.name, purpose, request }
  const outcome = await session.hooks.run('PreModelRequest', input, { signal, ...rules })
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  if (outcome.blocked) {
    transcript.append({ type: 'system', subtype: 'request_blocked', purpose, by: outcome.by, reason: outcome.reason })
    return ended('request_blocked', `The model was not asked: ${objectionLines(outcome).join('\n')}`, true)
  }
  const changed = outcome.updatedInput as unknown as RequestDraft | undefined
  if (changed === undefined) return { model, request: plain, append: [] }
  return { model: named(changed.model), request: changedRequest(plain, changed), append: changed.append }
}

const changedRequest = (plain: ModelRequest, { system, tools, effort, max_tokens }: RequestDraft): ModelRequest => ({
  ...plain,
  system,
  tools: tools.length === plain.tools.length ? plain.tools : plain.tools.filter(({ name }) => tools.includes(name)),
  effort,
  maxTokens: max_tokens
})

/** Models keep what they make of a conversation. */
const SIBLINGS = new WeakMap<Model, Map<string, Model>>()

function modelNamed(name: string, model: Model, budget: number | undefined): Model {
  if (name === model.name) return model
  checkSibling(name, model)
  const known = SIBLINGS.get(model) ?? new Map<string, Model>()
  SIBLINGS.set(model, known)
  const other = known.get(name) ?? model.sibling?.(name)
  if (other === undefined) throw new Error(`request.model: ${model.name} has no other models beside it`)
  if (budget !== undefined && other.price === undefined)
    throw new Error(`request.model: there is a budget, and the price of ${name} is not known`)
  known.set(name, other)
  return other
}

/** The answer as hooks want it, or their refusal. */
export async function judgeAnswer(
  answer: Answer,
  about: { readonly model: string; readonly purpose: Purpose; readonly attempt: number },
  session: Session,
  signal: AbortSignal
): Promise<Answer | Outcome> {
  const { content, stop: stop_reason, usage, ungated = [] } = answer
  const response: ResponseDraft = { content, stop_reason, ...(ungated.length > 0 && { server_calls: ungated }) }
  const accept = (changed: unknown): string | undefined => responseProblem(changed, response)
  const input = { ...about, response, usage }
  const outcome = await session.hooks.run('PostModelResponse', input, { signal, accept })
  if (outcome.blocked) return outcome
  const changed = outcome.updatedInput as unknown as ResponseDraft | undefined
  return changed === undefined ? answer : { ...answer, content: changed.content }
}

/** How often the model may try again after a refused answer. */
const MOST_RETRIES = 3

/** The answer to use, or the end of the turn. Undefined: the model is asked again. */
export async function passAnswer(
  answer: Answer,
  model: Model,
  session: Session,
  signal: AbortSignal
): Promise<Answer | Ending | undefined> {
  const attempt = session.withheld + 1
  // Providers may give it another name, which no matcher knows.
  const judged = await judgeAnswer(answer, { model: model.name, purpose: 'turn', attempt }, session, signal)
  if (signal.aborted) {
    session.conversation.add({ role: 'user', content: INTERRUPTED }, { synthetic: true })
    return ended('aborted_streaming', INTERRUPTED, true)
  }
  session.withheld = 'blocked' in judged ? attempt : 0
  if (!('blocked' in judged)) return judged
  withhold(answer, judged, session)
  // Another answer would not help a hook that has failed.
  const isBroken = judged.failures.some(({ by }) => by === judged.by)
  if (!isBroken && attempt <= MOST_RETRIES) return undefined
  const lines = objectionLines(judged).join('\n')
  return ended('response_blocked', `The answer of the model was withheld: ${lines}`, true)
}

function withhold({ id, model, content, stop, usage, ungated = [] }: Answer, outcome: Outcome, session: Session): void {
  const json = JSON.stringify(content)
  const sha256 = createHash('sha256').update(json).digest('hex')
  const text = `[Hooks withheld this answer: ${json.length} characters, SHA-256 ${sha256}]`
  const message = answerMessage({ id, model, stop_reason: stop, usage, content: [{ type: 'text', text }] })
  const feedback = `PostModelResponse hook feedback:\n${objectionLines(outcome).join('\n')}`
  const { by } = outcome
  const reason = reasonForModel(outcome)
  const ungatedTools = ungated.map(({ name }) => name)
  const about = { by, reason, attempt: session.withheld, sha256, length: json.length, usage, ungatedTools }
  session.conversation.addWithheld(message, feedback, about)
}

/** A failure for others than the model's hooks: its words may quote an answer, which no hook has judged. */
export function shownFailure(error: unknown, session: Session): ModelFailure {
  const failure = failureOf(error)
  const { unquoted } = failure
  return unquoted !== undefined && hears(session, 'PostModelResponse', true) ? failure.but(unquoted) : failure
}
