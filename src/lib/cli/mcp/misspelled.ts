import { lettersIn } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/** A key that the other side might read as one of `known`: some parsers ignore case and punctuation. Hooks do not. */
export function misspelledKey(value: PlainObject, known: readonly string[]): string | undefined {
  const others = Object.keys(value).filter(key => !known.includes(key))
  const letters = new Set(others.length === 0 ? [] : known.map(lettersIn))
  return others.find(key => letters.has(lettersIn(key)))
}

/** The same for the input of a tool, at all levels that its schema describes. */
export function misspelledArgument(input: unknown, schemas: readonly unknown[], root = schemas[0]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const parts = partsOf(schemas, root)
  const named = parts.map(part => part['properties']).filter(isObject)
  const keys = named.flatMap(properties => Object.keys(properties))
  const own = isObject(input) && keys.length > 0 ? misspelledKey(input, keys) : undefined
  if (own !== undefined || parts.length === 0) return own
  const others = parts.flatMap(({ items, prefixItems, additionalProperties }) =>
    Array.isArray(input) ? [items, prefixItems].flat() : additionalProperties
  )
  for (const [key, value] of Object.entries(input)) {
    const below = misspelledArgument(value, [...named.map(each => each[key]), ...others], root)
    if (below !== undefined) return below
  }
  return undefined
}

/** The schemas, and what they refer to or combine. */
function partsOf(schemas: readonly unknown[], root: unknown): readonly PlainObject[] {
  const parts = new Set(schemas.filter(isObject))
  for (const { $ref, anyOf, oneOf, allOf, then, else: otherwise } of parts) {
    const path = typeof $ref === 'string' && $ref.startsWith('#') ? $ref.split('/').slice(1) : undefined
    const referred = path?.reduce((at: unknown, key) => (at as PlainObject | undefined)?.[key], root)
    for (const each of [referred, anyOf, oneOf, allOf, then, otherwise].flat()) if (isObject(each)) parts.add(each)
  }
  return [...parts]
}
