import type { FireOptions } from '../hooks/registry-internals.ts'
import type { RequestDraft, ResponseDraft } from '../hooks/events/fields.ts'
import { rowOf, type EventName } from '../hooks/events/event-table.ts'
import type { Message } from '../message.ts'
import { EFFORTS, type Model } from '../model/model.ts'
import { anthropicId, modelAddress, type Environment } from '../model/names.ts'
import { keyOf, problemsIn } from '../schema/check.ts'
import { own, type FieldTable } from '../schema/table.ts'
import { TOOL_NAMES } from '../tool-table.ts'
import { isObject, same, type PlainObject } from '../util/plain.ts'

/** What hooks may make of a request or an answer. */
export type DraftRules = Pick<FireOptions, 'accept' | 'combine'>

type IsOfProject = (source: string) => boolean

/** An event that is fired without a session: its input with the models and tools of a run, and the rules there. */
export function firedAlone(
  event: EventName,
  given: PlainObject,
  { env, isOfProject }: { readonly env: Environment; readonly isOfProject: IsOfProject }
): { readonly input: PlainObject; readonly rules: DraftRules } {
  const { fields, sample } = rowOf(event)
  const input = { ...given }
  for (const key of ['model', 'from_model', 'to_model'])
    if (Object.hasOwn(fields, key)) input[key] = addressed(input[key], env).name
  const { request, response } = input
  if (event === 'PostModelResponse' && isObject(response))
    return { input, rules: { accept: changed => responseProblem(changed, response as unknown as ResponseDraft) } }
  if (event !== 'PreModelRequest' || !isObject(request)) return { input, rules: {} }
  const usual = (sample as { request: RequestDraft }).request
  const isGiven = request['model'] !== usual.model
  const { name, provider } = addressed(isGiven ? request['model'] : given['model'], env)
  const tools = same(request['tools'], usual.tools) ? TOOL_NAMES : request['tools']
  const sentName = (other: string): string => {
    checkSibling(other, { name, provider })
    return provider === 'anthropic' ? anthropicId(other, env) : other
  }
  const draft = { ...request, model: name, tools } as unknown as RequestDraft
  const rules = requestRules(draft, { provider, sentName }, isOfProject)
  return { input: { ...input, model: name, request: draft }, rules }
}

/** The name of a model in a run, and its provider, as far as they can be known without asking it. */
function addressed(name: unknown, env: Environment): { readonly name: string; readonly provider: string } {
  try {
    const where = modelAddress(String(name), env)
    return { name: 'model' in where ? where.model : String(name), provider: where.kind }
  } catch {
    return { name: String(name), provider: '' }
  }
}

/** Throws unless this may be the name of a model beside this one: the endpoint and the key stay those of the session. */
export function checkSibling(name: string, model: Pick<Model, 'name' | 'provider'>): void {
  // Other servers have models with a slash in their names.
  const isForeign = model.provider === 'anthropic' && name.includes('/') && !model.name.includes('/')
  if (name !== model.name && (name.trim() === '' || isForeign || /^script:|:\/\//.test(name)))
    throw new Error(`request.model: ${JSON.stringify(name)} is not the name of another model of the same provider`)
}

/** `before` was accepted, or is the request of the session. `sentName` gives the name that is sent, or throws. */
export const requestRules = (
  { tools }: RequestDraft,
  { provider, sentName }: { readonly provider: string; readonly sentName: (name: string) => string },
  isOfProject: IsOfProject
): DraftRules => ({
  accept(changed, source, before) {
    const problem = requestProblem(changed, tools)
    if (problem !== undefined) return problem
    sentName((changed as RequestDraft).model)
    return isOfProject(source) ? loosening(changed as RequestDraft, before as RequestDraft, provider) : undefined
  },
  // Hooks judge the name that is sent.
  combine: (changed, before, now) => ({
    ...combined(changed, before, now),
    ...(changed['model'] !== before['model'] && { model: sentName(String(changed['model'])) })
  })
})

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

function requestProblem(changed: unknown, names: readonly string[]): string | undefined {
  if (!isObject(changed)) return 'a request must be an object'
  const [problem] = problemsIn(REQUEST, changed)
  if (problem !== undefined) return `request.${keyOf(problem.path)} should be ${problem.expected}`
  const { tools } = changed as unknown as RequestDraft
  const unknown = tools.find((name, place) => !names.includes(name) || tools.indexOf(name) !== place)
  return unknown === undefined
    ? undefined
    : `request.tools can only leave out tools: ${unknown} is not offered, or named twice`
}

const rankOf = (effort: string | undefined): number | undefined =>
  effort === undefined ? undefined : EFFORTS.findIndex(each => each === effort)

/** No more than is sent to Anthropic if a request has none. What others use then is not known. */
const CERTAIN = { effort: EFFORTS.indexOf('medium'), tokens: 4096 }

/** A project may only tighten. */
function loosening(now: RequestDraft, before: RequestDraft, provider: string): string | undefined {
  const certain = provider === 'anthropic' ? CERTAIN : { effort: -1, tokens: 0 }
  const isLess = (value: number | undefined, old: number | undefined, usual: number): boolean =>
    value === old || (value !== undefined && value <= (old ?? usual))
  const isTighter =
    (['model', 'system', 'append'] as const).every(key => same(now[key], before[key])) &&
    now.tools.every(name => before.tools.includes(name)) &&
    isLess(rankOf(now.effort), rankOf(before.effort), certain.effort) &&
    isLess(now.max_tokens, before.max_tokens, certain.tokens)
  return isTighter ? undefined : 'a hook of the project can only offer fewer tools, and lower effort and max_tokens'
}

/** Where two hooks that ran side by side changed the same: both restrictions count, and the messages of both. */
function combined(changed: PlainObject, before: PlainObject, now: PlainObject): PlainObject {
  const keys = ['tools', 'append', 'effort', 'max_tokens'].filter(key =>
    [before, now].every(other => !same(changed[key], other[key]) && !same(before[key], now[key]))
  )
  return Object.fromEntries(keys.map(key => [key, COMBINE[key]?.(changed[key], now[key], before[key])]))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const COMBINE: Readonly<Record<string, (one: unknown, other: unknown, before: unknown) => unknown>> = {
  tools: (one, other) => listOf(other).filter(name => listOf(one).includes(name)),
  append: (one, other, before) => [...listOf(other), ...listOf(one).slice(listOf(before).length)],
  effort: (one, other) => EFFORTS.find(each => each === one || each === other),
  max_tokens: (one, other) => Math.min(...[one, other].filter(value => typeof value === 'number'))
}

/** Does not quote the answer: others read it. */
export function responseProblem(changed: unknown, { content, ...rest }: ResponseDraft): string | undefined {
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
