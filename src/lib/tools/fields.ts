import { nearest } from '../errors.ts'
import type { JsonSchema } from '../message.ts'
import { isObject, isPlain, type PlainObject } from '../util/plain.ts'

/** What one key of an input may hold, and what the model is told about it. A list is a choice of words. */
interface Field {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | readonly string[]
  readonly words: string
  /** What stands there when the call leaves it out. Only for keys that end in `?`. */
  readonly default?: string | number | boolean
  /** For numbers: what is still allowed. */
  readonly min?: number
  readonly max?: number
}

/** Keys and what they hold. `'name?'` may be left out. */
export type Table = Readonly<Record<string, Field>>

type Value<F extends Field> = F['type'] extends readonly (infer Word)[]
  ? Word
  : F['type'] extends 'string'
    ? string
    : F['type'] extends 'boolean'
      ? boolean
      : number

type Name<K> = K extends `${infer N}?` ? N : K

/** Always there: it must be given, or there is a default. */
type Present<T extends Table> = {
  [K in keyof T]: K extends `${string}?` ? (T[K] extends { readonly default: unknown } ? K : never) : K
}[keyof T]

/** An input that was checked against the table: defaults are filled in. */
type Read<T extends Table> = { readonly [K in Present<T> as Name<K>]: Value<T[K]> } & {
  readonly [K in Exclude<keyof T, Present<T>> as Name<K>]?: Value<T[K]>
}

/** A declared input. */
export interface Fields<T extends Table> {
  /** For the model. */
  readonly schema: JsonSchema
  /** What was given, in the order of the table, or what is wrong with it. */
  check(input: unknown): { readonly input: Read<T> } | { readonly problem: string }
}

/** The type of a checked input, from what `fields` gave. */
export type InputOf<F> = F extends Fields<infer T> ? Read<T> : never

/** Declares the input of a tool: its schema, its check and its type come from this one table. */
export function fields<const T extends Table>(table: T): Fields<T> {
  const rows = Object.entries(table).map(([key, field]): Row => {
    const isOptional = key.endsWith('?')
    return { name: isOptional ? key.slice(0, -1) : key, isOptional, field }
  })
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(rows.map(({ name, field }) => [name, schemaOf(field)])),
      required: rows.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      additionalProperties: false
    },
    check(input) {
      const checked = checkAll(rows, input)
      return typeof checked === 'string' ? { problem: checked } : { input: checked as Read<T> }
    }
  }
}

interface Row {
  readonly name: string
  readonly isOptional: boolean
  readonly field: Field
}

function schemaOf({ type, words, default: standard, min, max }: Field): JsonSchema {
  return {
    ...(typeof type === 'string' ? { type } : { type: 'string', enum: type }),
    description: words,
    ...(standard !== undefined && { default: standard }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max })
  }
}

/** All that is wrong, as one sentence, or what is right. */
function checkAll(rows: readonly Row[], input: unknown): PlainObject | string {
  if (!isObject(input) || !isPlain(input)) return `the input must be a plain object, not ${kindOf(input)}`
  const problems = Object.keys(input)
    .filter(key => input[key] !== undefined && !rows.some(({ name }) => name === key))
    .map(key => unknownKey(rows, key))
  const out: PlainObject = {}
  for (const { name, isOptional, field } of rows) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    // Some models write null for what they mean to leave out.
    const isLeftOut = value === undefined || (value === null && isOptional)
    const problem = isLeftOut ? undefined : wrongWith(value, field)
    if (problem !== undefined) problems.push(`"${name}" ${problem}`)
    else if (!isLeftOut) out[name] = value
    else if (!isOptional) problems.push(`"${name}" is missing`)
    else if (field.default !== undefined) out[name] = field.default
  }
  return problems.length === 0 ? out : problems.join('; ')
}

function unknownKey(rows: readonly Row[], key: string): string {
  const names = rows.map(({ name }) => name)
  const near = nearest(key, names)
  const hint = near === undefined ? `the keys are ${names.join(', ')}` : `did you mean "${near}"?`
  return `there is no key ${JSON.stringify(key.slice(0, 100))} (${hint})`
}

function wrongWith(value: unknown, { type, min, max }: Field): string | undefined {
  if (typeof type !== 'string') {
    if (typeof value === 'string' && type.includes(value)) return undefined
    return `must be one of ${type.map(word => JSON.stringify(word)).join(', ')}, not ${shown(value)}`
  }
  if (type === 'string' || type === 'boolean') {
    return typeof value === type ? undefined : `must be a ${type}, not ${kindOf(value)}`
  }
  if (typeof value !== 'number') return `must be a number, not ${kindOf(value)}`
  if (!Number.isFinite(value)) return 'must be a finite number'
  if (type === 'integer' && !Number.isSafeInteger(value)) return `must be a whole number, not ${value}`
  if (min !== undefined && value < min) return `must be at least ${min}, not ${value}`
  if (max !== undefined && value > max) return `must be at most ${max}, not ${value}`
  return undefined
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : kindOf(value)
