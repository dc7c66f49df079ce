import type { ValidateFunction } from 'ajv'
import type { JsonSchema } from '../message.ts'

export type Structured = { readonly value: unknown } | { readonly problem: string }

const validators = new WeakMap<JsonSchema, ValidateFunction>()

/** The JSON that a text is, if it fits the schema; else what is wrong with it. */
export async function structuredIn(text: string, schema: JsonSchema): Promise<Structured> {
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch (error) {
    return { problem: `it is not JSON (${(error as Error).message})` }
  }
  const validate = validators.get(schema) ?? (await compile(schema))
  if (validate(value)) return { value }
  const [first] = validate.errors ?? []
  return { problem: `${first?.instancePath || 'the whole'} ${first?.message ?? 'does not fit'}` }
}

/** Models like to put code fences around what they were asked to give alone. */
const withoutFence = (text: string): string => /^\s*```(?:json)?\n(.*)\n```\s*$/s.exec(text)?.[1] ?? text

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const validate = new Ajv2020({ strict: false, allErrors: false }).compile(schema)
  validators.set(schema, validate)
  return validate
}
