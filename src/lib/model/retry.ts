import type { ModelFailure } from './model.ts'

/** How often a model is asked for one answer, the first time included, where nothing else is said. */
export const MOST_TRIES = 10

/** How long it may take in all, in milliseconds. */
export const LONGEST_WAIT = 10 * 60_000

const FIRST = 500
const LONGEST_STEP = 32_000

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
