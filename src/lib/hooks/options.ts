import { fault } from '../errors.ts'

/** A timer with a delay of 2^31 ms or more fires at once. */
export const LONGEST_TIMER = 2 ** 31

/** Seconds as given by people, in milliseconds. */
export function millisecondsOf(what: string, seconds: unknown): number {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Number.NaN
  if (!(ms > 0 && ms < LONGEST_TIMER)) throw fault('E_TIMEOUT_INVALID', what, print(seconds))
  return ms
}

export function choiceOf<T extends string>(what: string, value: unknown, choices: readonly T[]): T | undefined {
  if (value === undefined) return undefined
  const found = choices.find(choice => choice === value)
  if (found === undefined) throw fault('E_OPTION_INVALID', what, print(value), choices.join(' or '))
  return found
}

export function numberOf(what: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw fault('E_OPTION_INVALID', what, print(value), 'a finite number')
}

const print = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value))

export function flagOf(what: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw fault('E_OPTION_INVALID', what, print(value), 'true or false')
}
