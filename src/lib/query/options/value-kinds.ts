import { nearest, print } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { isObject } from '../../util/plain.ts'

/** What a key takes: in words, and whether a value is that. */
export type Wanted = readonly [words: string, fits: (value: unknown) => boolean]

const isText = (value: unknown): boolean => typeof value === 'string'

export const TEXT: Wanted = ['a text', isText]
export const TEXTS: Wanted = ['a list of texts', value => Array.isArray(value) && value.every(isText)]
export const NUMBER: Wanted = ['a number of 0 or more', value => Number.isFinite(value) && (value as number) >= 0]
export const FLAG: Wanted = ['true or false', value => typeof value === 'boolean']
export const FUNCTION: Wanted = ['a function', value => typeof value === 'function']
/** An object that is no list. */
export const OBJECT: Wanted = ['an object', isObject]

export const oneOf = (...choices: readonly string[]): Wanted => [
  `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`,
  value => choices.includes(value as string)
]

/** An error about what stands at a place. */
export const wrong = (place: string, value: unknown, words: string): Error =>
  fault('E_OPTION_INVALID', place, print(value), words)

/** Checks an object by a table of its keys. A key that is not in the table is an error, since it would have no effect. */
export function checkKeys(object: object, table: Readonly<Record<string, Wanted>>, of: string, inner = `${of}.`): void {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    const wanted = Object.hasOwn(table, key) ? table[key] : undefined
    if (wanted === undefined) throw wrong(`a key of ${of}`, key, nearest(key, Object.keys(table)) ?? listOf(table))
    if (!wanted[1](value)) throw wrong(`${inner}${key}`, value, wanted[0])
  }
}

const listOf = (table: object): string => `one of ${Object.keys(table).join(', ')}`
