import type { FAULTS } from './faults.ts'

/** The errors of the engine: a code, what went wrong, and what to do next. */
export const ERRORS = {
  E_EVENT_UNKNOWN: (name: string, near: string) => [
    `there is no event ${JSON.stringify(name)}`,
    near.includes(',') ? `use one of ${near}` : `did you mean ${near}?`
  ],
  E_MATCHER_INVALID: (matcher: string, why: string) => [
    `matcher ${matcher} is not valid: ${why}`,
    'use a name, names joined by "|", a glob such as "mcp__*", a RegExp, or a list of these'
  ],
  E_TIMEOUT_INVALID: (what: string, value: string) => [
    `${what} cannot be ${value}`,
    'use a number of seconds above 0 and below 2,147,483'
  ],
  E_OPTION_INVALID: (what: string, value: string, allowed: string) => [`${what} cannot be ${value}`, `use ${allowed}`],
  E_HOOK_INVALID: (why: string) => [
    `this is not a hook: ${why}`,
    why.includes('needs a') ? '' : 'give a function (ctx => reply) or an object { name, events, run(ctx) }'
  ],
  E_HOOK_DUPLICATE: (name: string, first: string) => [
    `a hook named ${JSON.stringify(name)} is already registered (${first})`,
    'give one of them another name, or remove the first'
  ],
  E_HOOK_UNKNOWN: (name: string, near: string) => [
    `no hook is named ${JSON.stringify(name)}`,
    near === '' ? 'list() shows all names' : `did you mean ${JSON.stringify(near)}?`
  ],
  E_REPLY_INVALID: (why: string) => [why, ''],
  E_INPUT_INVALID: (event: string, why: string) => [
    `this is not an input of ${event}: ${why}`,
    'give a plain object with its fields'
  ],
  E_MESSAGES_INVALID: (why: string) => [
    `invalid change of messages: ${why}`,
    'remove or insert whole messages, and keep each tool call with its result'
  ],
  E_FIRE_DEPTH: (event: string, depth: string) => [
    `${event} was fired ${depth} levels deep`,
    'a hook that fires its own event needs a condition'
  ],
  E_REFUSED: (what: string, by: string, reason: string) => [`${what} was refused by ${by}: ${reason}`, '']
} satisfies Sentences

/** The sentences by code: what went wrong, what to do next, and the command line's sentence if it differs. */
export type Sentences = Record<string, (...words: string[]) => readonly [string, string, string?]>

/** Identifies an error for programs. */
export type ErrorCode = keyof typeof ERRORS | keyof typeof FAULTS

/** The only error class. `code` is for programs, `message` for people; it ends with what to do next. */
export class CarabinerError extends Error {
  override readonly name = 'CarabinerError'
  readonly code: ErrorCode
  /** The message for the command line, if it differs: what `carabiner` prints. */
  declare readonly forCommandLine?: string

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Makes errors from a table of sentences. */
export const faultsIn =
  <T extends { readonly [C in keyof T]: Sentences[string] }>(sentences: T) =>
  <C extends keyof T & ErrorCode>(code: C, ...words: Parameters<T[C]>): CarabinerError => {
    const [what, next] = sentences[code](...words)
    return new CarabinerError(code, next === '' ? what : `${what}; ${next}`)
  }

export const engineFault = faultsIn(ERRORS)

/** The message of anything that was thrown, an Error or not. Never throws itself. */
export function errorMessage(thrown: unknown): string {
  try {
    const words = thrown instanceof Error ? thrown.message || thrown.name : thrown
    return typeof words === 'string' ? words : (JSON.stringify(words) ?? String(words))
  } catch {
    return 'something that cannot be printed'
  }
}

/** A wrong value, for an error message. */
export function print(value: unknown): string {
  const words =
    typeof value === 'string' ? JSON.stringify(value) : typeof value === 'number' ? `${value}` : errorMessage(value)
  return words.slice(0, 200)
}

/** The candidate that differs least from `word`, if it is close enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const candidate of candidates) {
    const [given, meant] = [word.toLowerCase(), candidate.toLowerCase()]
    const steps = editDistance(given, meant)
    // In a short word two letters are many: then at least the first one must match.
    if (steps < least && (steps < 2 || given.length > 5 || given[0] === meant[0])) [best, least] = [candidate, steps]
  }
  return best
}

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 0; i < a.length; i++) {
    let [corner, left] = [i, i + 1]
    row = row.map((above, j) => {
      if (j > 0) left = Math.min(above + 1, left + 1, corner + (a[i] === b[j - 1] ? 0 : 1))
      corner = above
      return left
    })
  }
  return row.at(-1) ?? 0
}
