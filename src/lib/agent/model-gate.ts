import { createHash } from 'node:crypto'
import type { Outcome } from '../hooks/dispatch/outcome.ts'
import type { RequestDraft, ResponseDraft } from '../hooks/events/fields.ts'
import { HOOK_AGENT } from '../hooks/kinds/hook-environment.ts'
import type { Message } from '../message.ts'
import { EFFORTS, type Answer, type Model, type ModelRequest } from '../model/model.ts'
import { keyOf, problemsIn } from '../schema/check.ts'
import { own, type FieldTable } from '../schema/table.ts'
import { isObject, same } from '../util/plain.ts'
import { objectionLines, reasonForModel } from './call/objections.ts'
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

const isUserText = (value: unknown): boolean => {
  if (!isObject(value) || value['role'] !== 'user') return false
  const { content } = value
  if (!Array.isArray(content)) return typeof content === 'string' && content !== ''
  return content.length > 0 && content.every(block => isObject(block) && /^(text|image)$/.test(String(block['type'])))
}

const REQUEST = {
  model: 'string',
  system: 'string',
  tools: { list: 'string' },
  append: { list: own<Message>("{ role: 'user', content }", isUserText) },
  'effort?': EFFORTS,
  'max_tokens?': { type: 'integer', min: 1 }
} as const satisfies FieldTable

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
  const names = tools.map(({ name }) => name)
  const request: RequestDraft = { model: model.name, system, tools: names, append: [] }
  if (effort !== undefined) request.effort = effort
  if (max_tokens !== undefined) request.max_tokens = max_tokens
  const accept = (changed: unknown, source: string, before: unknown): string | undefined => {
    const problem = requestProblem(changed, names)
    if (problem !== undefined) return problem
    const now = changed as RequestDraft
    modelNamed(now.model, session)
    return options.isOfProject?.(source) === true ? loosening(now, before as RequestDraft) : undefined
  }
  // Hooks read the conversation there.
  await transcript.flush()
  const outcome = await session.hooks.run(
    'PreModelRequest',
    { model: model.name, purpose, request },
    { signal, accept }
  )
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  if (outcome.blocked) {
    transcript.append({ type: 'system', subtype: 'request_blocked', purpose, by: outcome.by, reason: outcome.reason })
    return ended('request_blocked', `The model was not asked: ${objectionLines(outcome).join('\n')}`, true)
  }
  const changed = outcome.updatedInput as unknown as RequestDraft | undefined
  if (changed === undefined) return { model, request: plain, append: [] }
  return { model: modelNamed(changed.model, session), request: changedRequest(plain, changed), append: changed.append }
}

const changedRequest = (plain: ModelRequest, { system, tools, effort, max_tokens }: RequestDraft): ModelRequest => ({
  ...plain,
  system,
  tools: tools.length === plain.tools.length ? plain.tools : plain.tools.filter(({ name }) => tools.includes(name)),
  effort,
  maxTokens: max_tokens
})

function requestProblem(changed: unknown, names: readonly string[]): string | undefined {
  if (!isObject(changed)) return 'a request must be an object'
  const [problem] = problemsIn(REQUEST, changed)
  if (problem !== undefined) return `request.${keyOf(problem.path)} should be ${problem.expected}`
  const { tools } = changed as unknown as RequestDraft
  const unknown = tools.find((name, place) => !names.includes(name) || tools.indexOf(name) !== place)
  return unknown === undefined ? undefined : `request.tools can only leave out tools: ${unknown} is not offered once`
}

/** Models keep what they make of a conversation. */
const SIBLINGS = new WeakMap<Model, Map<string, Model>>()

/** The endpoint and the key stay those of the session. */
function modelNamed(name: string, { model, options: { limits } }: Session): Model {
  if (name === model.name) return model
  const known = SIBLINGS.get(model) ?? new Map<string, Model>()
  SIBLINGS.set(model, known)
  const other = known.get(name) ?? model.sibling?.(name)
  if (other === undefined) throw new Error(`request.model: ${model.name} has no other models beside it`)
  if (limits.dollars !== undefined && other.price === undefined)
    throw new Error(`request.model: there is a budget, and the price of ${name} is not known`)
  known.set(name, other)
  return other
}

/** Without one in the request, providers use this effort or less. */
const USUAL_EFFORT = EFFORTS.indexOf('high')
const rankOf = ({ effort }: RequestDraft): number =>
  effort === undefined ? USUAL_EFFORT : EFFORTS.findIndex(each => each === effort)

/** Files of a project may only tighten. */
function loosening(now: RequestDraft, before: RequestDraft): string | undefined {
  const kept = (['model', 'system', 'append'] as const).every(key => same(now[key], before[key]))
  const isTighter =
    kept &&
    now.tools.every(name => before.tools.includes(name)) &&
    rankOf(now) <= rankOf(before) &&
    (now.max_tokens ?? Infinity) <= (before.max_tokens ?? Infinity)
  return isTighter ? undefined : 'a hook of the project can only offer fewer tools, and lower effort and max_tokens'
}

/** The answer as hooks want it, or their refusal. */
export async function judgeAnswer(
  answer: Answer,
  about: { readonly purpose: Purpose; readonly attempt: number },
  session: Session,
  signal: AbortSignal
): Promise<Answer | Outcome> {
  const { model, content, stop: stop_reason, usage, ungated = [] } = answer
  const response: ResponseDraft = { content, stop_reason, ...(ungated.length > 0 && { server_calls: ungated }) }
  const accept = (changed: unknown): string | undefined => responseProblem(changed, response)
  const input = { model, ...about, response, usage }
  const outcome = await session.hooks.run('PostModelResponse', input, { signal, accept })
  if (outcome.blocked) return outcome
  const changed = outcome.updatedInput as unknown as ResponseDraft | undefined
  return changed === undefined ? answer : { ...answer, content: changed.content }
}

/** Does not quote the answer: others read it. */
function responseProblem(changed: unknown, { content, ...rest }: ResponseDraft): string | undefined {
  const { content: now, ...others } = isObject(changed) ? changed : {}
  const isKept = (block: unknown, place: number): boolean => {
    const before = content[place]
    if (before?.type !== 'text' || !isObject(block)) return same(block, before)
    const { text } = block
    return typeof text === 'string' && text.trim() !== '' && same({ ...block, text: '' }, { ...before, text: '' })
  }
  const isFine = Array.isArray(now) && now.length === content.length && now.every(isKept) && same(others, rest)
  return isFine ? undefined : 'only the texts of an answer can be changed, and not to nothing'
}

/** How often the model may try again after a refused answer. */
const MOST_RETRIES = 3

/** The answers of one run, before anyone sees them. */
export class AnswerGate {
  #refused = 0

  /** The answer to use, or the end of the turn. Undefined: the model is asked again. */
  async pass(answer: Answer, session: Session, signal: AbortSignal): Promise<Answer | Ending | undefined> {
    const judged = await judgeAnswer(answer, { purpose: 'turn', attempt: this.#refused + 1 }, session, signal)
    if (signal.aborted) {
      session.conversation.add({ role: 'user', content: INTERRUPTED }, { synthetic: true })
      return ended('aborted_streaming', INTERRUPTED, true)
    }
    if (!('blocked' in judged)) {
      this.#refused = 0
      return judged
    }
    withhold(answer, judged, session)
    const lines = objectionLines(judged).join('\n')
    // Another answer would not help a hook that has failed.
    const isBroken = judged.failures.some(({ by }) => by === judged.by)
    if (!isBroken && ++this.#refused <= MOST_RETRIES) return undefined
    return ended('response_blocked', `The answer of the model was withheld: ${lines}`, true)
  }
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
  const about = { by, reason, sha256, length: json.length, usage, ungatedTools }
  session.conversation.addWithheld(message, feedback, about)
}
