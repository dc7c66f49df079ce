/**
 * What a turn of an agent costs beside the model: CPU time between the first model call and the last, with three hooks
 * before and three after each tool call, and a model that answers at once. The contenders take turns, round by round.
 * And what comes before the first model call.
 *
 *     npm run build && cd bench/turns && npm ci --ignore-scripts && npm run bench
 *
 * `AGAINST=…/dist/index.js` adds another build of Carabiner; `ONLY=turns,long,first` runs some of it.
 */
import { CONTENDERS, OWN, type Contender, type Counts, type Hooks } from './contenders.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 31)
const LONG_ROUNDS = Number(process.env['LONG_ROUNDS'] ?? 5)
const SHORT = 200
const LONG = 2000
const WINDOW = 100
/** Runs before any is counted, so that all contenders are compiled. */
const WARM = 5
const FIRST_ROUNDS = Number(process.env['FIRST_ROUNDS'] ?? 300)
const FIRST_WARM = 50

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Microseconds of CPU at every hundredth model call. */
async function measure(run: Contender, turns: number, hooks: Hooks): Promise<readonly number[]> {
  const marks: number[] = []
  const onCall = (call: number): void => {
    if (call % WINDOW === 0) marks.push(cpu())
  }
  const counts = await run({ turns, hooks, onCall })
  check(counts, turns)
  return marks
}

/** A contender that skips work would win. */
function check({ models, tools, before, after, text }: Counts, turns: number): void {
  const wanted = [turns + 1, turns, 3 * turns, 3 * turns, 'done'].join()
  const found = [models, tools, before, after, text].join()
  if (found !== wanted) throw new Error(`it should have done ${wanted}, and did ${found}`)
}

const perTurn = (marks: readonly number[]): number => (marks.at(-1)! - marks[0]!) / ((marks.length - 1) * WINDOW)

/** The cost of a turn in the windows that end near a turn. */
const near = (marks: readonly number[], turn: number): number =>
  median([-1, 0, 1].map(step => windowAt(marks, Math.min(turn / WINDOW + step, marks.length - 1))))

const windowAt = (marks: readonly number[], end: number): number => (marks[end]! - marks[end - 1]!) / WINDOW

async function compare(hooks: Hooks, turns: number, rounds: number, names: readonly string[]): Promise<void> {
  const lanes = names.map(name => ({ name, run: CONTENDERS[name]!, all: [] as (readonly number[])[] }))
  for (let round = 0; round < WARM; round++) for (const { run } of lanes) await measure(run, SHORT, hooks)
  for (let round = 0; round < rounds; round++)
    for (const { run, all } of lanes) all.push(await measure(run, turns, hooks))
  console.log(`\n${turns} turns, ${hooks} hooks, ${rounds} rounds: CPU µs a turn`)
  const pi = median(lanes.find(({ name }) => name === 'pi-agent-core')!.all.map(perTurn))
  for (const { name, all } of lanes) {
    const mean = median(all.map(perTurn))
    const early = median(all.map(marks => near(marks, SHORT)))
    const late = median(all.map(marks => near(marks, turns)))
    const growth =
      turns > SHORT
        ? `   near turn ${SHORT}: ${early.toFixed(1)}, near ${turns}: ${late.toFixed(1)} (${(late / early).toFixed(2)}×)`
        : ''
    console.log(`  ${name.padEnd(22)} ${mean.toFixed(1).padStart(8)}   ${(mean / pi).toFixed(2)}× pi${growth}`)
  }
}

/** CPU from the call of `query()` to the first model call, with settings from no file and the transcript in memory. */
async function measureFirst(rounds: number): Promise<void> {
  const lanes = OWN.map(name => ({ name, run: CONTENDERS[name]!, all: [] as number[] }))
  const work = { turns: 1, hooks: 'synchronous', store: true } as const
  for (let round = -FIRST_WARM; round < rounds; round++)
    for (const { run, all } of lanes) {
      const begun = cpu()
      let first = 0
      await run({ ...work, onCall: call => void (call === 0 && (first = cpu())) })
      if (round >= 0) all.push(first - begun)
    }
  console.log(`\nquery() to its first model call, ${rounds} rounds: CPU µs`)
  for (const { name, all } of lanes) {
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length
    console.log(`  ${name.padEnd(22)} ${median(all).toFixed(0).padStart(8)}   mean ${mean.toFixed(0)}`)
  }
}

const parts = new Set((process.env['ONLY'] ?? 'turns,long,first').split(','))
const all = Object.keys(CONTENDERS)
if (parts.has('turns')) await compare('synchronous', SHORT, ROUNDS, all)
if (parts.has('turns')) await compare('asynchronous', SHORT, ROUNDS, all)
if (parts.has('long')) await compare('synchronous', LONG, LONG_ROUNDS, [...OWN, 'pi-agent-core'])
if (parts.has('first')) await measureFirst(FIRST_ROUNDS)
