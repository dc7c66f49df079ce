import { rowsIn } from './check.ts'
import type { FieldRow, FieldTable } from './table.ts'

type JsonSchema = Readonly<Record<string, unknown>>

export function tableSchema(table: FieldTable, open = false): JsonSchema {
  const rows = rowsIn(table).filter(({ hidden }) => hidden !== true)
  return {
    type: 'object',
    properties: Object.fromEntries(rows.map(row => [row.name, fieldSchema(row)])),
    required: rows.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    ...(!open && { additionalProperties: false })
  }
}

function fieldSchema(field: FieldRow): JsonSchema {
  const { type, words, default: standard, notBlank, min, max, above, below } = field
  const isList = typeof type === 'object' && 'list' in type
  return {
    ...typeSchema(field),
    ...(words !== undefined && { description: words }),
    ...(standard !== undefined && { default: standard }),
    ...(notBlank === true && { minLength: 1 }),
    ...(min !== undefined && { [isList ? 'minItems' : 'minimum']: min }),
    ...(max !== undefined && { [isList ? 'maxItems' : 'maximum']: max }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(below !== undefined && { exclusiveMaximum: below })
  }
}

/** A type that only a function can check may have no schema: editors accept anything, and the check rejects it later. */
function typeSchema({ type }: FieldRow): JsonSchema {
  if (type === 'unknown') return {}
  if (typeof type === 'string') return { type }
  if ('object' in type) return tableSchema(type.object, type.open)
  if ('list' in type) return { type: 'array', items: typeSchema({ type: type.list }) }
  if ('record' in type) return { type: 'object', additionalProperties: typeSchema({ type: type.record }) }
  if (!('fits' in type)) return { type: 'string', enum: type }
  return type.anyOf === undefined ? {} : { anyOf: type.anyOf.map(each => typeSchema({ type: each })) }
}
