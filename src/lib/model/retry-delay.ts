import type { ModelFailure } from './model.ts'

export const MOST_TRIES = 10

export const LONGEST_WAIT = 10 * 60_000

const FIRST = 500
const LONGEST_STEP = 32_000

/** If the provider asks for a wait that is too long, the message says so. */
export function withWait(failure: ModelFailure, now = Date.now()): ModelFailure {
  const { retryAfter = 0 } = failure
  if (!failure.retryable || retryAfter <= LONGEST_WAIT) return failure
  const until = new Date(now + retryAfter).toISOString().slice(0, 16).replace('T', ' ')
  const asked = `it asks to wait ${Math.round(retryAfter / 1000)} s, until ${until} UTC`
  return failure.but(`${failure.message}; ${asked}, and Carabiner waits at most ${LONGEST_WAIT / 60_000} minutes`)
}

/**
 * How long to wait after this failure, in milliseconds, or undefined: do not ask again. `attempt` counts from 1,
 * `random` is in [0, 1), and `waited` is the time since the first try. What the provider asks for is the least;
 * some is added by chance, so that many who were refused together do not come back together.
 */
export function delayFor(
  failure: ModelFailure,
  attempt: number,
  random: number,
  { waited = 0, tries = MOST_TRIES }: { readonly waited?: number; readonly tries?: number } = {}
): number | undefined {
  if (!failure.retryable || attempt >= tries) return undefined
  const step = failure.retryAfter ?? Math.min(FIRST * 2 ** (attempt - 1), LONGEST_STEP)
  const delay = Math.round(step + random * Math.max(step / 4, FIRST / 2))
  return waited + delay > LONGEST_WAIT ? undefined : delay
}
