/** See `USAGE`. A bench that seems worse is run again, and the median of all its runs counts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { comparisonTable, compareRuns, conclusion, verdictOf, type Comparison, type ExpectedRatios } from './compare.ts'
import { machineWords, NoiseMeter } from './machine.ts'
import { runBench } from './program.ts'
import { markdown, median, type Report } from './report.ts'
import { buildTree } from './tree.ts'

/** The benches that are short enough, each with its number of rounds. */
const ROUNDS: Readonly<Record<string, number>> = { dispatch: 60, turns: 41, startup: 21, run: 7, cli: 11 }
/** How often a bench is run that seems worse, and for `--update`. */
const MOST_RUNS = 3

const USAGE = `Compares what the short benches measure now with bench/expected.json, or with another commit.

npm run bench:check                      fails where a ratio is more than 15 % worse than expected
npm run bench:check -- --against main    both builds take turns in one run; a folder with a dist works, too
npm run bench:check -- turns dispatch    only these; there are ${Object.keys(ROUNDS).join(', ')}
npm run bench:check -- --update          writes the ratios of this run to bench/expected.json`

const OURS = 'carabiner'
const OTHER = 'other'
const root = process.cwd()
const expectedFile = join(root, 'bench/expected.json')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, update: { type: 'boolean', default: false }, help: { type: 'boolean' } }
})

function readExpected(): ExpectedRatios {
  if (!existsSync(expectedFile)) return {}
  return (JSON.parse(readFileSync(expectedFile, 'utf8')) as { readonly ratios: ExpectedRatios }).ratios
}

function writeExpected(before: ExpectedRatios, reports: ReadonlyMap<string, readonly Report[]>): void {
  const ratios: Record<string, Readonly<Record<string, number>>> = { ...before }
  for (const [bench, runs] of reports) {
    const names = new Set(runs.flatMap(({ scenes }) => scenes.map(({ scene }) => scene)))
    ratios[bench] = Object.fromEntries(
      [...names].map(name => {
        const found = runs.flatMap(({ scenes }) => scenes.filter(({ scene }) => scene === name))
        return [name, Number(median(found.map(({ ratio }) => ratio)).toPrecision(3))]
      })
    )
  }
  const measured = `${new Date().toISOString().slice(0, 10)}, ${machineWords()}`
  writeFileSync(expectedFile, `${JSON.stringify({ measured, ratios }, undefined, 2)}\n`)
}

async function check(names: readonly string[], signal: AbortSignal): Promise<number> {
  const expected = readExpected()
  const noise = new NoiseMeter()
  const tree = values.against === undefined ? undefined : await buildTree(root, values.against, signal)
  try {
    const dists = ['--dist', `${OURS}=${join(root, 'dist')}`, ...(tree ? ['--dist', `${OTHER}=${tree.dist}`] : [])]
    const reports = new Map<string, readonly Report[]>()
    const comparisons: Comparison[] = []
    for (const name of names) {
      const runs: Report[] = []
      let found: readonly Comparison[] = []
      do {
        console.error(
          `${name}: ${runs.length === 0 ? 'running' : `running again (${runs.length + 1} of ${MOST_RUNS})`}`
        )
        noise.measure()
        runs.push(await runBench(root, name, ['--rounds', String(ROUNDS[name]), ...dists], signal))
        found = compareRuns(name, runs, OURS, tree ? { dist: OTHER } : { ratios: expected[name] ?? {} })
      } while (
        runs.length < MOST_RUNS &&
        (values.update || found.some(each => ['worse', 'unsure'].includes(verdictOf(each))))
      )
      reports.set(name, runs)
      comparisons.push(...found)
    }
    console.log(`${markdown(comparisonTable(comparisons))}\n\n${String(noise)}`)
    if (values.update) {
      writeExpected(expected, reports)
      console.log(`Written: bench/expected.json`)
      return 0
    }
    for (const line of conclusion(comparisons, values.against)) console.log(line)
    return comparisons.some(each => ['worse', 'gone'].includes(verdictOf(each))) ? 1 : 0
  } finally {
    await tree?.remove()
  }
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stop.abort(new Error(`stopped by ${signal}`)))

const unknown = positionals.filter(name => !Object.hasOwn(ROUNDS, name))
if (values.help) console.log(USAGE)
else if (unknown.length > 0 || (values.update && values.against !== undefined)) {
  console.error(
    unknown.length > 0
      ? `There is no short bench ${unknown.join(', ')}; there are ${Object.keys(ROUNDS).join(', ')}.`
      : 'Use either --update or --against.'
  )
  process.exitCode = 64
} else {
  try {
    process.exitCode = await check(positionals.length > 0 ? positionals : Object.keys(ROUNDS), stop.signal)
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = stop.signal.aborted ? 130 : 2
  }
}
