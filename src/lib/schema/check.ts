import { nearest, print } from '../errors.ts'
import { fault } from '../faults.ts'
import { SECRET_NAME } from '../util/credentials.ts'
import { isObject, isPlain, type PlainObject } from '../util/plain.ts'
import type { FieldRow, FieldTable, FieldType, Infer } from './table.ts'

export type KeyPath = readonly (string | number)[]

/** `['hooks', 'Stop', 0]` → `hooks.Stop[0]`. */
export const keyOf = (path: KeyPath): string =>
  path.map((part, place) => (typeof part === 'number' ? `[${part}]` : place === 0 ? part : `.${part}`)).join('')

export interface SchemaProblem {
  readonly code: 'key-missing' | 'key-type' | 'key-unknown'
  readonly path: KeyPath
  readonly value: unknown
  /** For an unknown key: the key that is probably meant, or all keys. */
  readonly expected: string
  readonly fix: string
}

export interface TableRow extends FieldRow {
  readonly name: string
  readonly isOptional: boolean
}

const ROWS = new WeakMap<FieldTable, readonly TableRow[]>()

export function rowsIn(table: FieldTable): readonly TableRow[] {
  let rows = ROWS.get(table)
  if (rows === undefined) {
    rows = Object.entries(table).map(([key, given]) => {
      const isOptional = key.endsWith('?')
      const row = typeof given === 'object' && 'type' in given ? given : { type: given }
      return { ...row, name: isOptional ? key.slice(0, -1) : key, isOptional }
    })
    ROWS.set(table, rows)
  }
  return rows
}

interface CheckOptions {
  /** Models write null for what they leave out. */
  readonly nullIsAbsent?: boolean
  readonly allOptional?: boolean
  /** Unknown keys are accepted, unless they resemble a key of the table. */
  readonly open?: boolean | undefined
}

/** Unknown keys come first: a key that is not read has no effect, and its author must learn that. */
export function problemsIn(
  table: FieldTable,
  value: PlainObject,
  path: KeyPath = [],
  options: CheckOptions = {}
): readonly SchemaProblem[] {
  const rows = rowsIn(table)
  const problems: SchemaProblem[] = []
  for (const key of Object.keys(value))
    if (value[key] !== undefined && !rows.some(({ name }) => name === key))
      problems.push(...unknownKey(rows, key, path, options))
  for (const row of rows) {
    const held = Object.hasOwn(value, row.name) ? value[row.name] : undefined
    const isOptional = row.isOptional || options.allOptional === true
    if (held === null && isOptional && options.nullIsAbsent === true) continue
    if (held === undefined || (row.notBlank === true && isBlank(held))) {
      if (!isOptional) problems.push(missingKey(row, [...path, row.name], held))
    } else if (!fits(held, row)) problems.push(...problemsOf(held, row, [...path, row.name], options))
  }
  return problems
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

function unknownKey(
  rows: readonly TableRow[],
  key: string,
  path: KeyPath,
  { open }: CheckOptions
): readonly SchemaProblem[] {
  const names = rows.map(({ name }) => name)
  const near = nearest(key, names)
  if (near === undefined && open === true) return []
  const fix = near === undefined ? `the keys are ${names.join(', ')}` : `did you mean ${near}?`
  return [
    { code: 'key-unknown', path: [...path, key], value: key, expected: near ?? `one of ${names.join(', ')}`, fix }
  ]
}

const missingKey = (row: TableRow, path: KeyPath, value: unknown): SchemaProblem => ({
  code: 'key-missing',
  path,
  value,
  expected: expectedBy(row),
  fix: `add "${row.name}": ${row.words ?? expectedBy(row)}`
})

function problemsOf(
  value: unknown,
  field: FieldRow,
  path: KeyPath,
  { nullIsAbsent = false }: CheckOptions = {}
): readonly SchemaProblem[] {
  const { type, min = 0, max = Infinity } = field
  if (typeof type === 'object') {
    const inside = (item: unknown, inner: FieldType, key: string | number): readonly SchemaProblem[] =>
      problemsOf(item, { type: inner }, [...path, key], { nullIsAbsent })
    if ('object' in type && isObject(value))
      return problemsIn(type.object, value, path, { nullIsAbsent, open: type.open })
    if ('list' in type && Array.isArray(value) && value.length >= min && value.length <= max)
      return value.flatMap((item: unknown, place) => inside(item, type.list, place))
    if ('record' in type && isObject(value))
      return Object.entries(value).flatMap(([key, item]) => inside(item, type.record, key))
  }
  if (fits(value, field)) return []
  const expected = expectedBy(field)
  return [{ code: 'key-type', path, value, expected, fix: `use ${expected}` }]
}

function fits(value: unknown, field: FieldRow): boolean {
  const { type, min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = field
  if (typeof type !== 'string') {
    if ('fits' in type) return type.fits(value)
    return Array.isArray(type) && type.includes(value)
  }
  if (type === 'unknown') return true
  if (type === 'object') return isObject(value)
  if (type === 'string' || type === 'boolean') return typeof value === type
  const isNumber = type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  const number = value as number
  return isNumber && number >= min && number <= max && number > above && number < below
}

const NAMED = {
  string: ['a string', 'strings'],
  number: ['a number', 'numbers'],
  integer: ['a whole number', 'whole numbers'],
  boolean: ['true or false', 'true or false'],
  object: ['an object', 'objects'],
  unknown: ['any value', 'values']
} as const

const expectedBy = (field: FieldRow): string => field.expected ?? `${expectedOf(field.type, 0)}${rangeWords(field)}`

function rangeWords({ type, min, max, above, below }: FieldRow): string {
  const [least, most, under] = [min, max, below].map(number => number?.toLocaleString('en'))
  if (typeof type === 'object' && 'list' in type && max !== undefined) return `, ${least ?? 0} to ${most} of them`
  if (above !== undefined) return ` above ${above}${under === undefined ? '' : ` and below ${under}`}`
  if (least === undefined) return most === undefined ? '' : ` of at most ${most}`
  return most === undefined ? ` of at least ${least}` : ` from ${least} to ${most}`
}

function expectedOf(type: FieldType, several: 0 | 1): string {
  if (typeof type === 'string') return NAMED[type][several]
  if ('expected' in type) return type.expected
  if ('object' in type) {
    const keys = rowsIn(type.object).map(({ name, isOptional }) => (isOptional ? `${name}?` : name))
    return `${several === 1 ? '' : 'an object '}{ ${keys.join(', ')} }`
  }
  if ('list' in type) return `${several === 1 ? 'lists' : 'a list'} of ${expectedOf(type.list, 1)}`
  if ('record' in type) return `${several === 1 ? 'objects' : 'an object'} of ${expectedOf(type.record, 1)}`
  return choiceWords(type)
}

/** `"a", "b" or "c"`. */
function choiceWords(choices: readonly string[]): string {
  const quoted = choices.map(choice => JSON.stringify(choice))
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

export function sentenceOf({ code, path, value, expected, fix }: SchemaProblem): string {
  const key = JSON.stringify(keyOf(path).slice(0, 200))
  if (code === 'key-missing') return `${key} is missing: add ${expected}`
  if (code === 'key-unknown') return `there is no key ${key} (${fix})`
  return `${key} must be ${expected}, not ${shownValue(path, value)}`
}

/** A wrong value for a sentence. Lists and objects, and what may be a credential, are named by their kind only. */
export function shownValue(path: KeyPath, value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string' && mayBeSecret(path)) return 'this string'
  return typeof value === 'function' ? 'a function' : print(value)
}

const mayBeSecret = (path: KeyPath): boolean =>
  path.some(part => /^(?:env|headers)$/.test(String(part)) || SECRET_NAME.test(String(part)))

/** The input in the order of the table, with defaults; or all that is wrong with it. */
export function checkInput<T extends FieldTable>(
  table: T,
  input: unknown
): { readonly input: Infer<T> } | { readonly problem: string } {
  if (!isObject(input) || !isPlain(input))
    return { problem: `the input must be a plain object, not ${shownValue([], input)}` }
  const problems = problemsIn(table, input, [], { nullIsAbsent: true })
  if (problems.length > 0) return { problem: problems.map(sentenceOf).join('; ') }
  const out: PlainObject = {}
  for (const { name, isOptional, default: standard } of rowsIn(table)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    if (value !== undefined && (value !== null || !isOptional)) out[name] = value
    else if (standard !== undefined) out[name] = standard
  }
  return { input: out as Infer<T> }
}

export function invalidOption(place: string, value: unknown, expected: string): Error {
  const isEnvironment = /(?:^|\.)(?:env|headers)(?:\.|$)/.test(place)
  const shown = isEnvironment ? shownValue(['env'], value) : print(value)
  return fault('E_OPTION_INVALID', place, value === undefined ? 'missing' : shown, expected)
}

/** Throws the first problem. `of` names the object, and precedes its keys, unless `prefix` is set. */
export function checkObject(
  table: FieldTable,
  value: object,
  of: string,
  options: CheckOptions & { readonly prefix?: string } = {}
): void {
  const [problem] = problemsIn(table, value as PlainObject, [], options)
  if (problem === undefined) return
  const { code, path, expected } = problem
  const prefix = options.prefix ?? `${of}.`
  if (code !== 'key-unknown') throw invalidOption(`${prefix}${keyOf(path)}`, problem.value, expected)
  const holder = path.length === 1 ? of : `${prefix}${keyOf(path.slice(0, -1))}`
  throw invalidOption(`a key of ${holder}`, problem.value, expected)
}

/** The values that fit the table. A list fits as a whole, or not at all. */
export const fitting = <T extends FieldTable>(table: T, value: PlainObject): Partial<Infer<T>> =>
  fittingKeys(table, value) as Partial<Infer<T>>

function fittingKeys(table: FieldTable, value: PlainObject): PlainObject {
  const kept = rowsIn(table).map(row => [row.name, fittingValue(value[row.name], row)] as const)
  return Object.fromEntries(kept.filter(([, held]) => held !== undefined))
}

function fittingValue(value: unknown, field: FieldRow): unknown {
  const { type } = field
  if (value === undefined) return undefined
  if (typeof type === 'object' && isObject(value)) {
    if ('object' in type) return fittingKeys(type.object, value)
    if ('record' in type)
      return Object.fromEntries(
        Object.entries(value).filter(([, item]) => fittingValue(item, { type: type.record }) !== undefined)
      )
  }
  return problemsOf(value, field, []).length === 0 ? value : undefined
}
