/**
 * Ends `carabiner run` with SIGKILL at random moments, many times, and looks at what is left: `npm run soak`.
 * `--kills N` says how often (1,000 unless said), `--at-once N` in how many sessions at the same time, and `--seed N`
 * makes it draw what it drew then.
 */
import { parseArgs } from 'node:util'
import { endRuns, type Tally } from '../test/support/kills/rounds.ts'
import { setup } from './build.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'at-once': { type: 'string', default: '4' }
  }
})
const number = (name: keyof typeof values): number => {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Error(`--${name} takes a number, not ${JSON.stringify(values[name])}`)
}
const [kills, seed, atOnce] = [number('kills'), number('seed'), number('at-once')]

/** How often there is word of how far it has come, in milliseconds. */
const OFTEN = 5000
const begun = performance.now()
let told = begun
let complaints = 0

const tallyText = ({ kills: done, atWork, rounds, calls, unknown, torn, violations }: Tally): string =>
  `${done} kills (${atWork} at work), ${rounds} sessions, ${calls} calls, ${unknown} of unknown outcome, ${torn} torn ends, ${violations.length} violations`

await setup()
console.log(`${kills} kills, seed ${seed}`)
const tally = await endRuns({
  kills,
  seed,
  atOnce,
  onRound(now) {
    for (const violation of now.violations.slice(complaints)) console.log(`✗ ${violation}`)
    complaints = now.violations.length
    if (performance.now() - told < OFTEN) return
    told = performance.now()
    console.log(tallyText(now))
  }
})
console.log(`soak: ${tallyText(tally)}, ${Math.round((performance.now() - begun) / 1000)} s, seed ${seed}`)
if (tally.violations.length > 0) process.exitCode = 1
