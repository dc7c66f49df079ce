import type { FireOptions } from '../hooks/registry-internals.ts'
import type { RequestDraft, ResponseDraft } from '../hooks/events/fields.ts'
import type { Message } from '../message.ts'
import { EFFORTS } from '../model/model.ts'
import { keyOf, problemsIn } from '../schema/check.ts'
import { own, type FieldTable } from '../schema/table.ts'
import { isObject, same, type PlainObject } from '../util/plain.ts'

/** What hooks may make of a request or an answer. */
export type DraftRules = Pick<FireOptions, 'accept' | 'combine'>

/** The rules that need no session. */
export function draftRules(event: string, input: PlainObject, isOfProject: (source: string) => boolean): DraftRules {
  const draft = event === 'PreModelRequest' ? input['request'] : event === 'PostModelResponse' && input['response']
  if (!isObject(draft)) return {}
  if (event === 'PostModelResponse')
    return { accept: changed => responseProblem(changed, draft as unknown as ResponseDraft) }
  return requestRules(draft as unknown as RequestDraft, 'anthropic', isOfProject)
}

/** `before` was accepted, or is the request of the session. */
export const requestRules = (
  { tools }: RequestDraft,
  provider: string,
  isOfProject: (source: string) => boolean
): DraftRules => ({
  accept(changed, source, before) {
    const problem = requestProblem(changed, tools)
    if (problem !== undefined || !isOfProject(source)) return problem
    return loosening(changed as RequestDraft, before as RequestDraft, provider)
  },
  combine: combined
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
  return unknown === undefined ? undefined : `request.tools can only leave out tools: ${unknown} is not offered once`
}

const rankOf = (effort: string | undefined): number | undefined =>
  effort === undefined ? undefined : EFFORTS.findIndex(each => each === effort)

/** Less than is sent to Anthropic if a request has none. What others use then is not known. */
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
