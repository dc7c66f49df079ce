/**
 * Ends `carabiner run` with SIGKILL at random moments, many times, and looks at what is left: `npm run soak`.
 * `--kills N` says how often (1,000 unless said), `--at-once N` in how many sessions at the same time, and `--seed N`
 * makes it draw what it drew then. Afterwards `--commands N` random commands that rules call known (20,000 unless said) run
 * under strace.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { endRuns, type Tally } from '../test/support/kills/rounds.ts'
import { setup } from './build.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'at-once': { type: 'string', default: '4' },
    commands: { type: 'string', default: '20000' }
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

const suite = 'test/permissions/soundness/soundness.exhaustive.test.ts'
const env = {
  ...process.env,
  CARABINER_TESTS: 'exhaustive',
  CARABINER_SOUNDNESS: String(number('commands')),
  CARABINER_SEED: String(seed)
}
if (spawnSync('npx', ['vitest', 'run', suite], { env, stdio: 'inherit' }).status !== 0) process.exitCode = 1
