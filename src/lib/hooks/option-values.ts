import { engineFault, nearest, print } from '../errors.ts'

/** An unknown option is an error, since it would have no effect. */
export function checkOptionNames(options: unknown, known: readonly string[], of = ''): asserts options is object {
  if (!isOfType(options, 'object')) throw engineFault('E_OPTION_INVALID', `options${of}`, print(options), 'an object')
  const stray = Object.keys(options as object).find(key => !known.includes(key))
  if (stray !== undefined)
    throw engineFault('E_OPTION_INVALID', `an option${of}`, print(stray), nearest(stray, known) ?? known.join(', '))
}

export function checkOptionTypes(options: unknown, types: Readonly<Record<string, string>>, of: string): void {
  checkOptionNames(options, Object.keys(types), of)
  for (const [key, value] of Object.entries(options))
    if (value !== undefined && !isOfType(value, types[key]!))
      throw engineFault(
        'E_OPTION_INVALID',
        key + of,
        print(value),
        `${types[key] === 'object' ? 'an' : 'a'} ${types[key]}`
      )
}

const isOfType = (value: unknown, type: string): boolean =>
  type === 'any' || (typeof value === type && value !== null && !Array.isArray(value))

/** A timer with a delay of 2^31 ms or more fires at once. */
export const LONGEST_TIMER = 2 ** 31

export function millisecondsOf(what: string, seconds: unknown): number {
  const ms = typeof seconds === 'number' ? seconds * 1000 : Number.NaN
  if (!(ms > 0 && ms < LONGEST_TIMER)) throw engineFault('E_TIMEOUT_INVALID', what, print(seconds))
  return ms
}

export function choiceOf<T extends string>(what: string, value: unknown, choices: readonly T[]): T | undefined {
  if (value === undefined) return undefined
  const found = choices.find(choice => choice === value)
  if (found === undefined) throw engineFault('E_OPTION_INVALID', what, print(value), choices.join(' or '))
  return found
}

export function finiteNumber(what: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw engineFault('E_OPTION_INVALID', what, print(value), 'a finite number')
}

export function flagOf(what: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw engineFault('E_OPTION_INVALID', what, print(value), 'true or false')
}
