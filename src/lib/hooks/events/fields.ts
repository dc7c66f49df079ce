import type { Block, ImageBlock, TextBlock } from '../../message.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Family } from './answers.ts'

/**
 * The little language in which the event table states its fields. A field's type is a string such as
 * `'string'`, `'manual | auto'` or `'string | null'`; a name that ends in `?` may be left out.
 * Types, checks and documentation all read the same string.
 */
export type FieldTypes = Readonly<Record<string, string>>

interface Words {
  string: string
  number: number
  boolean: boolean
  null: null
  object: PlainObject
  list: readonly unknown[]
  unknown: unknown
  'tool calls': readonly BatchCall[]
  'agent result': AgentResult
  'model request': RequestDraft
  'model response': ResponseDraft
  'token usage': TokenUsage
}

/** One call of a finished batch, with the result as the model will see it. */
export interface BatchCall {
  tool_name: string
  tool_input: unknown
  tool_use_id: string
  tool_response?: string | readonly Block[] | undefined
}

/** The state of an agent at its end. */
export interface AgentResult {
  id: string
  content: string
  tool_uses: number
  iterations: number
  usage: { input_tokens: number; output_tokens: number }
}

/** The tokens of one request and its answer. */
export interface TokenUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens?: number | undefined
  readonly cache_read_input_tokens?: number | undefined
}

/** A request to a model, as far as hooks may change it. */
export interface RequestDraft {
  /** Another one must be of the same server. */
  model: string
  system: string
  /** The names of the tools that the model may call. */
  tools: string[]
  /** Messages to add to the conversation. */
  append: AppendedMessage[]
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined
  max_tokens?: number | undefined
}

/** A message that a hook adds to a request. */
export interface AppendedMessage {
  readonly role: 'user'
  readonly content: string | readonly (TextBlock | ImageBlock)[]
}

/** An answer of a model. Hooks may change the texts in its content. */
export interface ResponseDraft {
  content: readonly (Exclude<Block, TextBlock> | { readonly type: 'text'; text: string })[]
  readonly stop_reason: string
  /** Calls that the provider has already run. */
  readonly server_calls?: readonly unknown[] | undefined
}

type Value<Type extends string> = Type extends `${infer First} | ${infer Rest}`
  ? Value<First> | Value<Rest>
  : Type extends keyof Words
    ? Words[Type]
    : Type

type Flat<T> = { [K in keyof T]: T[K] }

export type FieldValues<F extends FieldTypes> = Flat<
  { [K in keyof F as K extends `${string}?` ? never : K]: Value<F[K]> } & {
    [K in keyof F as K extends `${infer Name}?` ? Name : never]?: Value<F[K]> | undefined
  }
>

export interface Row<F extends FieldTypes> {
  readonly when: string
  readonly fields: F
  readonly target?: FieldName<F>
  readonly answer: Family
  readonly failure: 'closed' | 'open'
  readonly draft?: FieldName<F>
  readonly fileTimeout?: number
  readonly sample: NoInfer<FieldValues<F>>
}

type FieldName<F extends FieldTypes> = keyof FieldValues<F> & string

export const event = <const F extends FieldTypes>(row: Row<F>): Row<F> => row

type Check = (value: unknown) => boolean

const CHECKS: Record<keyof Words, Check> = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number' && Number.isFinite(value),
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  object: isObject,
  list: Array.isArray,
  unknown: () => true,
  'tool calls': value => Array.isArray(value) && value.every(isObject),
  'agent result': isObject,
  'model request': isObject,
  'model response': isObject,
  'token usage': isObject
}

export function checkOf(type: string): Check {
  const [first, ...others] = type.split(' | ').map((word): Check => {
    return Object.hasOwn(CHECKS, word) ? CHECKS[word as keyof Words] : value => value === word
  })
  if (first !== undefined && others.length === 0) return first
  return value => first?.(value) === true || others.some(check => check(value))
}

export type EventField = { readonly name: string; readonly type: string; readonly optional: boolean }

export function listFields(fields: FieldTypes): readonly EventField[] {
  return Object.entries(fields).map(([key, type]) => {
    const optional = key.endsWith('?')
    return { name: optional ? key.slice(0, -1) : key, type, optional }
  })
}

/** What is wrong with `input`, one sentence per field. Unknown fields are accepted. */
export function problemsOf(fields: FieldTypes, input: PlainObject): readonly string[] {
  return listFields(fields).flatMap(({ name, type, optional }) => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    if (value === undefined) return optional ? [] : [`${name} is missing (${type})`]
    return checkOf(type)(value) ? [] : [`${name} should be ${type}, not ${JSON.stringify(value)}`]
  })
}
