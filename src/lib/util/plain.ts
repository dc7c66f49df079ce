import { fault } from '../errors.ts'

/**
 * Plain data: what JSON can say. Anything else (a Date, a class instance, a function) is carried by
 * reference and never looked into.
 */
export type PlainObject = Record<string, unknown>

interface Limits {
  readonly depth: number
  readonly keys: number
}

/** What an answer may hold. `JSON.parse` takes any depth; `JSON.stringify` of the result then throws. */
const REPLY_LIMITS: Limits = { depth: 64, keys: 10_000 }
const INPUT_LIMITS: Limits = { depth: 1_000, keys: Number.POSITIVE_INFINITY }

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy that shares nothing with `value` that can be changed. */
export function copyPlain<T>(value: T): T {
  return copy(value, 0, INPUT_LIMITS, undefined) as T
}

/** What in `value` is not plain, and could be changed behind the back of whoever has a copy: the name of its class. */
export function strangerIn(value: unknown): string | undefined {
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
 * The same for data from a hook: refuses what is too deep or too large, and keys that reach prototypes. What is
 * as large as `besides`, which the hook was given, is not its fault.
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

/** How deep and how large plain data is. */
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
  if (depth >= limits.depth) throw fault('E_REPLY_INVALID', `data is nested deeper than ${limits.depth} levels`)
  if (Array.isArray(value)) {
    if (seen !== undefined) tallyKeys(seen, value.length, limits)
    return value.map(item => copy(item, depth + 1, limits, seen))
  }
  if (!isPlain(value)) return value
  if (seen !== undefined) {
    for (const key in value) {
      tallyKeys(seen, 1, limits)
      if (key === '__proto__') throw fault('E_REPLY_INVALID', 'data has a key "__proto__"')
    }
  }
  const out: PlainObject = { ...value }
  for (const key in out) {
    const item = out[key]
    if (typeof item === 'object' && item !== null) out[key] = copy(item, depth + 1, limits, seen)
  }
  return out
}

function tallyKeys(seen: { keys: number }, more: number, limits: Limits): void {
  seen.keys += more
  if (seen.keys > limits.keys) throw fault('E_REPLY_INVALID', `data has more than ${limits.keys} keys`)
}

/** Plain data with every text in it changed so, copied only where that makes a difference. */
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

/** An object of another realm has another `Object.prototype`, but nothing stands behind that one either. */
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
  // Things without keys, such as dates, are not looked into: two of them are two.
  return holdsSame(a, b, keys) && (keys > 0 || (isPlain(a) && isPlain(b)))
}

/** Whether `a` holds what `b` holds, and nothing else, where one knows already how many keys `b` has. */
export function holdsSame(a: PlainObject, b: PlainObject, keys: number): boolean {
  let count = 0
  for (const key in a) {
    const value = a[key]
    if ((value !== b[key] || value === undefined) && !isSameHeld(value, b, key)) return false
    count++
  }
  return count === keys
}

/** What is inherited, such as `__proto__`, is not held. */
const isSameHeld = (value: unknown, b: PlainObject, key: string): boolean =>
  Object.hasOwn(b, key) && same(value, b[key])

/** How many keys a plain object has, where all its values are simple, so that a spread is a copy; else 0. */
export function flatKeys(value: unknown): number {
  if (!isObject(value) || !isPlain(value)) return 0
  let count = 0
  for (const key in value) {
    if (typeof value[key] === 'object' && value[key] !== null) return 0
    count++
  }
  return count
}

/** What is known to be frozen through and through; `Object.isFrozen` tells of the outside only. */
const FROZEN = new WeakSet<object>()

export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || FROZEN.has(value)) return value
  if (Array.isArray(value)) value.forEach(freezeDeep)
  else if (isPlain(value)) for (const key in value) freezeDeep(value[key])
  else return value
  FROZEN.add(value)
  return Object.freeze(value)
}

/** What one rewrite did to an object, key by key at the top level. A key that is gone counts as changed. */
export interface Change {
  readonly set: PlainObject
  readonly gone: readonly string[]
}

export function changeBetween(before: PlainObject, after: PlainObject): Change {
  const set: PlainObject = {}
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key) || !same(before[key], after[key])) put(set, key, after[key])
  }
  return { set, gone: Object.keys(before).filter(key => !Object.hasOwn(after, key)) }
}

export function applyChange(onto: PlainObject, change: Change): PlainObject {
  const out = { ...onto }
  for (const key of change.gone) delete out[key]
  for (const key of Object.keys(change.set)) put(out, key, change.set[key])
  return out
}

/** Plain assignment of `__proto__` would replace the prototype. */
function put(target: PlainObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Any value as text. An object may have anything as its `toString`: it is only said that it is one. */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '[object Object]' : String(value)
