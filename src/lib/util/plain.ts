import { engineFault } from '../errors.ts'

/**
 * Plain data: what JSON can say. Anything else (a Date, a class instance, a function) is carried by
 * reference and never looked into.
 */
export type PlainObject = Record<string, unknown>

interface Limits {
  readonly depth: number
  readonly keys: number
}

/** Limits for answers. `JSON.parse` accepts any depth; `JSON.stringify` of the result then throws. */
const REPLY_LIMITS: Limits = { depth: 64, keys: 10_000 }
const INPUT_LIMITS: Limits = { depth: 1_000, keys: Number.POSITIVE_INFINITY }
const FOREIGN_LIMITS: Limits = { ...INPUT_LIMITS }

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy that shares no mutable data with `value`. */
export function copyPlain<T>(value: T): T {
  return copy(value, 0, INPUT_LIMITS, undefined) as T
}

/** The same, without symbols, which JSON does not show, and `__proto__`, which another copy takes for all other keys. */
export function copyForeign<T>(value: T): T {
  return copy(value, 0, FOREIGN_LIMITS, undefined) as T
}

/** The class of what in `value` is not plain: it is not copied, so a change of it is visible everywhere. */
export function strangerIn(value: unknown): string | undefined {
  if (typeof value === 'function') return 'Function'
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value) && !isPlain(value))
    return (value as { constructor?: { name?: string } }).constructor?.name ?? 'a class'
  for (const item of Object.values(value)) {
    const stranger = strangerIn(item)
    if (stranger !== undefined) return stranger
  }
  return undefined
}

/**
 * The same for data from a hook: refuses data that is too deep or too large, and keys that reach prototypes. Data as
 * large as `besides`, which the hook was given, is accepted.
 */
export function copyReply<T>(value: T, besides?: unknown): T {
  try {
    return copy(value, 0, REPLY_LIMITS, { keys: 0 }) as T
  } catch (error) {
    if (besides === undefined) throw error
    const { depth, keys } = sizeOf(besides)
    return copy(value, 0, { depth: REPLY_LIMITS.depth + depth, keys: REPLY_LIMITS.keys + keys }, { keys: 0 }) as T
  }
}

function sizeOf(value: unknown): Limits {
  if (typeof value !== 'object' || value === null || !(Array.isArray(value) || isPlain(value)))
    return { depth: 0, keys: 0 }
  let depth = 0
  let keys = 0
  for (const item of Object.values(value)) {
    const size = sizeOf(item)
    depth = Math.max(depth, size.depth)
    keys += 1 + size.keys
  }
  return { depth: depth + 1, keys }
}

function copy(value: unknown, depth: number, limits: Limits, seen: { keys: number } | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= limits.depth) throw engineFault('E_REPLY_INVALID', `data is nested deeper than ${limits.depth} levels`)
  if (Array.isArray(value)) {
    if (seen !== undefined) countKeys(seen, value.length, limits)
    // An array may have methods and an iterator of its own.
    const items: unknown[] = []
    for (let index = 0; index < value.length; index++) items.push(copy(value[index], depth + 1, limits, seen))
    return items
  }
  if (!isPlain(value)) return value
  if (seen !== undefined) {
    for (const key in value) {
      countKeys(seen, 1, limits)
      if (key === '__proto__') throw engineFault('E_REPLY_INVALID', 'data has a key "__proto__"')
    }
  }
  const isForeign = limits === FOREIGN_LIMITS
  const out: PlainObject = isForeign ? Object.fromEntries(Object.entries(value).filter(isUsualKey)) : { ...value }
  for (const key in out) {
    const item = out[key]
    if (typeof item === 'object' && item !== null) out[key] = copy(item, depth + 1, limits, seen)
  }
  return out
}

const isUsualKey = ([key]: readonly [string, unknown]): boolean => key !== '__proto__'

function countKeys(seen: { keys: number }, more: number, limits: Limits): void {
  seen.keys += more
  if (seen.keys > limits.keys) throw engineFault('E_REPLY_INVALID', `data has more than ${limits.keys} keys`)
}

/** Plain data with every string mapped, copied only where that changes something. */
export function withTexts<T>(value: T, change: (text: string) => string): T {
  return changed(value, change, new Set()) as T
}

function changed(value: unknown, change: (text: string) => string, above: Set<object>): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null || above.has(value)) return value
  if (!Array.isArray(value) && !isPlain(value)) return value
  above.add(value)
  let copied: PlainObject | undefined
  for (const [key, item] of Object.entries(value)) {
    const made = changed(item, change, above)
    if (made === item) continue
    copied ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as PlainObject
    copied[key] = made
  }
  above.delete(value)
  return copied ?? value
}

/** An object of another realm has another `Object.prototype`, which has no prototype either. */
export function isPlain(value: object): value is PlainObject {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Deep equality of plain data; the order of keys does not count. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return Number.isNaN(a) && Number.isNaN(b)
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]))
  if (Array.isArray(b)) return false
  return sameKeys(a as PlainObject, b as PlainObject)
}

function sameKeys(a: PlainObject, b: PlainObject): boolean {
  let keys = 0
  for (const _ in b) keys++
  // Objects without keys, such as dates, are not inspected: two of them are never equal.
  return holdsSame(a, b, keys) && (keys > 0 || (isPlain(a) && isPlain(b)))
}

export function holdsSame(a: PlainObject, b: PlainObject, keys: number): boolean {
  let count = 0
  for (const key in a) {
    const value = a[key]
    if ((value !== b[key] || value === undefined) && !isSameHeld(value, b, key)) return false
    count++
  }
  return count === keys
}

/** Inherited properties, such as `__proto__`, do not count. */
const isSameHeld = (value: unknown, b: PlainObject, key: string): boolean =>
  Object.hasOwn(b, key) && same(value, b[key])

/** The number of keys of a plain object whose values are all primitive, so that a spread is a deep copy; else 0. */
export function flatKeys(value: unknown): number {
  if (!isObject(value) || !isPlain(value)) return 0
  let count = 0
  for (const key in value) {
    const item = value[key]
    if ((typeof item === 'object' && item !== null) || typeof item === 'function') return 0
    count++
  }
  return count
}

/** Objects that are deeply frozen; `Object.isFrozen` checks only the object itself. */
const FROZEN = new WeakSet<object>()

export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || FROZEN.has(value)) return value
  let isDeep = Array.isArray(value)
  if (Array.isArray(value)) value.forEach(freezeDeep)
  else if (!isPlain(value)) return value
  else
    for (const key in value) {
      const item = value[key]
      if (typeof item !== 'object' || item === null) continue
      freezeDeep(item)
      isDeep = true
    }
  // A weak reference to each would cost the garbage collector more than a second look at what is flat.
  if (isDeep) FROZEN.add(value)
  return Object.freeze(value)
}

/** The changes of one rewrite, key by key at the top level. A removed key counts as changed. */
export interface Change {
  readonly set: PlainObject
  readonly gone: readonly string[]
}

export function changeBetween(before: PlainObject, after: PlainObject): Change {
  const isChanged = (key: string): boolean => !Object.hasOwn(before, key) || !same(before[key], after[key])
  return {
    // Assignment to `__proto__` would replace the prototype; this does not.
    set: Object.fromEntries(Object.entries(after).filter(([key]) => isChanged(key))),
    gone: Object.keys(before).filter(key => !Object.hasOwn(after, key))
  }
}

export function applyChange(onto: PlainObject, { set, gone }: Change): PlainObject {
  const out = { ...onto, ...set }
  for (const key of gone) delete out[key]
  return out
}

/** Any value as text. Never calls `toString` of an object, which may do anything. */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '[object Object]' : String(value)

/** The same value, with U+FFFD for every lone surrogate: no provider accepts such text. */
export const wellFormed = <T>(value: T): T =>
  withTexts(value, text => (text.isWellFormed() ? text : text.toWellFormed()))

/** The same for JSON, in which only lone surrogates are written as `\uD…`. */
export const wellFormedJson = (json: string): string =>
  json.includes('\\ud') ? json.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1�') : json
