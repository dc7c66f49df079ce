import type { JsonSchema } from '../message.ts'
import { kindOf, problemsIn, rowsIn, sentenceOf } from '../schema/check.ts'
import { jsonSchemaOf } from '../schema/json-schema.ts'
import type { FieldTable, Infer } from '../schema/table.ts'
import { isObject, isPlain, type PlainObject } from '../util/plain.ts'

/** A declared input. */
export interface Fields<T extends FieldTable> {
  /** For the model. */
  readonly schema: JsonSchema
  /** What was given, in the order of the table, or what is wrong with it. */
  check(input: unknown): { readonly input: Infer<T> } | { readonly problem: string }
}

/** The type of a checked input, from what `fields` gave. */
export type InputOf<F> = F extends Fields<infer T> ? Infer<T> : never

/** Declares the input of a tool: its schema, its check and its type come from this one table. */
export function fields<const T extends FieldTable>(table: T): Fields<T> {
  return {
    schema: jsonSchemaOf(table),
    check(input) {
      if (!isObject(input) || !isPlain(input))
        return { problem: `the input must be a plain object, not ${kindOf(input)}` }
      const problems = problemsIn(table, input, [], { nullIsAbsent: true })
      return problems.length > 0
        ? { problem: problems.map(sentenceOf).join('; ') }
        : { input: withDefaults(table, input) as Infer<T> }
    }
  }
}

function withDefaults(table: FieldTable, input: PlainObject): PlainObject {
  const out: PlainObject = {}
  for (const { name, isOptional, default: standard } of rowsIn(table)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    if (value !== undefined && (value !== null || !isOptional)) out[name] = value
    else if (standard !== undefined) out[name] = standard
  }
  return out
}
