/**
 * How often to repeat something that each time is drawn anew or left to chance: a quarter in `npm test`, all in the
 * exhaustive suites, which run every file that calls this. Each run draws other cases.
 */
export const repetitions = (all: number): number =>
  process.env['CARABINER_TESTS'] === 'exhaustive' ? all : Math.ceil(all / 4)
