import { isDeepStrictEqual } from 'node:util'
import type * as zod from 'zod'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { JsonSchema } from '../message.ts'
import { copyPlain, isObject, isPlain, same, type PlainObject } from '../util/plain.ts'
import { after } from '../util/attempt.ts'
import type { Checked } from './tool.ts'

/** Anything that implements Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { input(options: { target: string }): JsonSchema } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** An object of schemas, one per field, as the Claude Agent SDK takes them. */
export type Shape = Readonly<Record<string, StandardSchema>>

type OutputOf<S> = S extends StandardSchema<infer Output> ? Output : never

/** What the handler of a tool gets. */
export type ToolInputOf<S extends Shape | StandardSchema> =
  S extends StandardSchema<infer Output>
    ? Output
    : { [K in keyof S as undefined extends OutputOf<S[K]> ? never : K]: OutputOf<S[K]> } & {
        [K in keyof S as undefined extends OutputOf<S[K]> ? K : never]?: OutputOf<S[K]>
      }

/** The schema of the tool `name` as one schema. zod combines an object of schemas. */
export async function wholeSchema(schema: Shape | StandardSchema, name: string): Promise<StandardSchema> {
  if (isSchema(schema)) return schema
  const stray = Object.keys(schema).find(key => !isOfZod4(schema[key]))
  if (stray !== undefined)
    throw fault(
      'E_OPTION_INVALID',
      `the field ${JSON.stringify(stray)} in the schema of the tool ${name}`,
      ownerOf(schema[stray]),
      'a schema of zod 4; those of other libraries must be for the whole input'
    )
  const { z } = await loadZod()
  return z.object(schema)
}

let loaded: Promise<typeof zod> | undefined

/** Only the user's own tools need it. */
const loadZod = (): Promise<typeof zod> => (loaded ??= import('zod'))

/** The schemas of some libraries are functions. */
export const isSchema = (value: unknown): value is StandardSchema =>
  (typeof value === 'function' || isObject(value)) && '~standard' in value

const ownerOf = (value: unknown): string => {
  if (!isSchema(value))
    return isObject(value) ? 'an object that is not a schema' : (JSON.stringify(value) ?? typeof value)
  const { vendor } = value['~standard']
  return `of ${vendor === 'zod' ? 'zod 3' : vendor}`
}

const isOfZod4 = (value: unknown): boolean => isObject(value) && '_zod' in value

/** `what` names the schema in errors. */
export async function jsonSchemaOf(schema: StandardSchema, what: string): Promise<JsonSchema> {
  const { jsonSchema } = schema['~standard']
  try {
    if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' })
    if (isOfZod4(schema)) return (await loadZod()).z.toJSONSchema(schema as unknown as zod.ZodType, { io: 'input' })
  } catch (error) {
    throw unprintable(what, errorMessage(error), 'a schema of JSON values; a transform may convert them')
  }
  throw unprintable(what, `it is ${ownerOf(schema)}`, 'zod 4, or a schema that has "~standard".jsonSchema')
}

const unprintable = (what: string, why: string, next: string): Error =>
  fault('E_OPTION_INVALID', what, `printed as JSON Schema (${why})`, next)

type Made = { readonly value: unknown } | { readonly problem: string }

/** The result of a schema: defaults, transforms. Synchronous if the schema is. */
export function madeOf(schema: StandardSchema, input: unknown): Made | Promise<Made> {
  try {
    const result = schema['~standard'].validate(input)
    return result instanceof Promise ? result.then(madeBy, couldNot) : madeBy(result)
  } catch (error) {
    return couldNot(error)
  }
}

const madeBy = (result: StandardResult<unknown>): Made =>
  result.issues === undefined
    ? { value: result.value }
    : { problem: result.issues.map(({ message, path }) => `${pathOf(path)}${message}`).join('; ') }

const couldNot = (error: unknown): Made => ({ problem: `its schema failed to check it: ${errorMessage(error)}` })

const pathOf = (path: readonly unknown[] | undefined): string =>
  path === undefined || path.length === 0
    ? ''
    : `${path.map(part => String(isObject(part) ? part['key'] : part)).join('.')}: `

/**
 * An input that fits the schema, for hooks and permissions: plain data with defaults, for which the schema gives the
 * same value again. A field that a transform changes keeps its given value.
 */
export function checkedBy(
  schema: StandardSchema,
  given: unknown,
  { properties }: JsonSchema
): Checked | Promise<Checked> {
  return after(madeOf(schema, given), made => {
    if ('problem' in made) return made
    if (same(made.value, given) || isDeepStrictEqual(made.value, given)) return plainInput(given)
    return changed(schema, given, made.value, changesTo(given, made.value, properties))
  })
}

type Change = (input: PlainObject) => unknown

function changed(
  schema: StandardSchema,
  input: unknown,
  value: unknown,
  [change, ...more]: readonly Change[]
): Checked | Promise<Checked> {
  if (change === undefined) return plainInput(input)
  const next = change(isObject(input) ? input : {})
  if (!isObject(next) || !isJson(next)) return changed(schema, input, value, more)
  return after(madeOf(schema, next), again => {
    const isSame = 'value' in again && isDeepStrictEqual(again.value, value)
    return changed(schema, isSame ? next : input, value, more)
  })
}

/** Candidates: the parsed value; the input without unknown fields; added fields, as parsed or as declared. */
function changesTo(given: unknown, value: unknown, properties: unknown): readonly Change[] {
  if (!isObject(given) || !isObject(value) || !isObject(properties)) return [() => value]
  const added = Object.keys(value).filter(key => !Object.hasOwn(given, key) && Object.hasOwn(properties, key))
  return [
    () => value,
    input => withoutStrays(input, value),
    ...added.flatMap(key => [value[key], defaultIn(properties[key])].map(each => adding(key, each)))
  ]
}

function withoutStrays(input: PlainObject, value: PlainObject): PlainObject | undefined {
  const kept = Object.entries(input).filter(([key]) => Object.hasOwn(value, key))
  return kept.length === Object.keys(input).length ? undefined : Object.fromEntries(kept)
}

const adding =
  (key: string, value: unknown): Change =>
  input =>
    Object.hasOwn(input, key) ? undefined : { ...input, [key]: value }

const defaultIn = (property: unknown): unknown => (isObject(property) ? property['default'] : undefined)

/** A copy, since it is passed around: neither the model's message nor the schema's value may be changed. */
function plainInput(input: unknown): Checked {
  if (!isObject(input)) return { problem: 'it is not an object' }
  try {
    return { input: copyPlain(input) }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

/** Whether JSON can represent it. Data nested more deeply is not inspected, and counts as not representable. */
function isJson(value: unknown, depth = 64): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value)
  if (depth === 0 || !(Array.isArray(value) || isPlain(value))) return false
  return Object.values(value).every(each => isJson(each, depth - 1))
}
