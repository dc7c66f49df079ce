import { isObject } from './plain.ts'

/** The same value, with U+FFFD for every half of a surrogate pair that stands alone: no provider takes such a text. */
export function wellFormed<T>(value: T): T
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed()
  if (Array.isArray(value)) {
    const given: readonly unknown[] = value
    const made = given.map(item => wellFormed(item))
    return made.some((item, at) => item !== given[at]) ? made : given
  }
  if (!isObject(value)) return value
  const changed = Object.entries(value).flatMap(([key, item]) => {
    const made = wellFormed(item)
    return made === item ? [] : [[key, made] as const]
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

/** The same for JSON, in which only such halves are written as `\uD…`. */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud') ? json.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1�') : json
