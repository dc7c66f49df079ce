import type { Ajv, AnySchema } from 'ajv'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { JsonSchema } from '../message.ts'
import { isSchema, jsonSchemaOf, madeOf, type StandardSchema } from '../tools/own-schema.ts'
import { isObject } from '../util/plain.ts'

export type Structured = { readonly value: unknown } | { readonly problem: string }

/** How the answer must look: a Standard Schema, such as one of zod, or a JSON Schema. */
export type OutputFormat =
  | StandardSchema
  | { readonly type: 'json_schema'; readonly schema: JsonSchema | StandardSchema }

type Validator = (value: unknown) => Structured | Promise<Structured>

/** By the JSON Schema that the model is given. */
const validators = new WeakMap<JsonSchema, Validator>()

/** The JSON Schema of an `outputFormat`, ready for answers. Its errors are reported before a model is asked. */
export async function outputSchemaOf(format: unknown): Promise<JsonSchema | undefined> {
  if (format === undefined) return undefined
  if (isSchema(format)) return standardSchema(format, 'outputFormat')
  const { type, schema, ...more } = isObject(format) ? format : {}
  if (type !== 'json_schema')
    throw unfit('outputFormat.type', type, "'json_schema', or a schema of zod as outputFormat")
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw unfit('a key of outputFormat', unknown, "'type' and 'schema' alone")
  if (isSchema(schema)) return standardSchema(schema, 'outputFormat.schema')
  if (!isObject(schema)) throw unfit('outputFormat.schema', schema, 'a JSON Schema, as an object')
  validators.set(schema, await compile(schema))
  return schema
}

async function standardSchema(schema: StandardSchema, what: string): Promise<JsonSchema> {
  const json = await jsonSchemaOf(schema, what)
  validators.set(json, value => madeOf(schema, value))
  return json
}

export async function structuredIn(text: string, schema: JsonSchema): Promise<Structured> {
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch (error) {
    return { problem: `it is not JSON (${(error as Error).message})` }
  }
  return (validators.get(schema) ?? (await compile(schema)))(value)
}

/** Models often put code fences around the JSON. */
const withoutFence = (text: string): string => /^\s*```(?:json)?\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text

async function compile(schema: JsonSchema): Promise<Validator> {
  // The draft is chosen here, synchronously.
  const { $schema, $async: _, ...rest } = schema
  const ajv = await ajvFor($schema)
  try {
    const validate = ajv.compile(rest as AnySchema)
    return value => {
      if (validate(value)) return { value }
      const [first] = validate.errors ?? []
      return { problem: `${first?.instancePath || 'the whole'} ${first?.message ?? 'does not fit'}` }
    }
  } catch (error) {
    throw unfit('outputFormat.schema', schema, `a valid JSON Schema (${errorMessage(error)})`)
  }
}

const OPTIONS = { strict: false, allErrors: false, logger: false } as const

async function ajvFor(draft: unknown): Promise<Ajv> {
  const [, name] =
    /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09|draft\/2020-12)\/schema#?$/.exec(String(draft)) ?? []
  if (name === 'draft-07') return new (await import('ajv')).Ajv(OPTIONS)
  if (name === 'draft/2019-09') return new (await import('ajv/dist/2019.js')).Ajv2019(OPTIONS)
  if (name === 'draft/2020-12' || draft === undefined) return new (await import('ajv/dist/2020.js')).Ajv2020(OPTIONS)
  throw unfit('outputFormat.schema.$schema', draft, 'draft-07, 2019-09 or 2020-12 of http://json-schema.org')
}

const LONGEST = 200

function unfit(what: string, value: unknown, allowed: string): Error {
  const text = errorMessage(value)
  return fault('E_OPTION_INVALID', what, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, allowed)
}
