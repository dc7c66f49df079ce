/**
 * What `import 'carabiner/hooks'` adds to a bare start of Node. Processes take turns.
 *
 *     npm run build && node bench/startup/bench.ts [--rounds 41] [--dist FOLDER] [--json]
 */
import { fileURLToPath } from 'node:url'
import { takeTurns } from '../command-hooks/measure.ts'
import { BARE, over, runNode, type Taken } from '../process.ts'
import { benchOptions, digits, median, printReport, quantile, ratioOf, type Scene } from '../report.ts'

const { rounds, json, dists } = benchOptions(41)
const cwd = fileURLToPath(new URL('.', import.meta.url))
const start = (program: string) => () => runNode(['--input-type=module', '-e', program], { cwd })

const taken: Readonly<Record<string, readonly Taken[]>> = await takeTurns(
  {
    [BARE]: start(''),
    ...Object.fromEntries(dists.map(({ name, url }) => [name, start(`import ${JSON.stringify(`${url}hooks.js`)}`)]))
  },
  rounds
)
const figures = (name: string, kind: keyof Taken): readonly number[] => taken[name]!.map(each => each[kind])
const added = (name: string, kind: keyof Taken): readonly number[] => over(figures(name, kind), figures(BARE, kind))

const scenes = dists.map(({ name }): Scene => ({
  scene: "import 'carabiner/hooks', CPU over a bare start",
  dist: name,
  of: BARE,
  ...ratioOf(added(name, 'cpu'), figures(BARE, 'cpu'))
}))
const row = (name: string, label: string): readonly string[] => [
  label,
  ...(['cpu', 'wall'] as const).map(kind => `${digits(median(figures(name, kind)))} ms`),
  `${digits(quantile(figures(name, 'wall'), 0))} ms`,
  ...(name === BARE
    ? ['', '', '']
    : [...(['cpu', 'wall'] as const).map(kind => `${digits(median(added(name, kind)))} ms`), '8 ms'])
]
const head = ['', 'CPU', 'wall', 'least wall', 'CPU over bare', 'wall over bare', 'goal']
const rows = [row(BARE, BARE), ...dists.map(({ name }) => row(name, `${name}: import of hooks.js`))]
printReport({ about: `Medians of ${rounds} rounds`, tables: [{ head, rows }], scenes }, json)
