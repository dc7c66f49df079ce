/**
 * The seed of this run, for everything that draws at random. Each run draws one and prints it
 * (`seed: 123`); `CARABINER_SEED=123 npm test` draws the same again.
 */
export const SEED = Number(process.env['CARABINER_SEED'] ?? 1)

/** Random numbers from 0 to below 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * How often to repeat something that each time is drawn anew or left to chance: a quarter in `npm test`, all in the
 * exhaustive suites, which run every file that calls this. Each run draws other cases.
 */
export const repetitions = (all: number): number =>
  process.env['CARABINER_TESTS'] === 'exhaustive' ? all : Math.ceil(all / 4)
