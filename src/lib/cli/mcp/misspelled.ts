import { lettersIn } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'

/** Says which key the other side might read as one of `known`: some parsers ignore case and punctuation. Hooks do not. */
export function misspelledKey(value: PlainObject, known: readonly string[]): string | undefined {
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return `${key} may be read as any other key`
    const meant = known.includes(key) ? undefined : known.find(each => lettersIn(each) === lettersIn(key))
    if (meant !== undefined) return `${key} differs only in case or punctuation from ${meant}; use that`
  }
  return undefined
}

/** The same for the input of a tool, where its schema lists the keys. Keys that it leaves open are data. */
export function misspelledArgument(input: unknown, schema: unknown, isTop = true): string | undefined {
  if (typeof input !== 'object' || input === null || !isObject(schema)) return undefined
  const { properties, patternProperties, additionalProperties = !isTop, items } = schema
  const named = isObject(properties) ? properties : {}
  const isClosed = additionalProperties === false && patternProperties === undefined
  const own = isClosed && isObject(input) ? misspelledKey(input, Object.keys(named)) : undefined
  if (own !== undefined) return own
  for (const [key, value] of Object.entries(input)) {
    const below = misspelledArgument(value, Array.isArray(input) ? items : named[key], false)
    if (below !== undefined) return below
  }
  return undefined
}
