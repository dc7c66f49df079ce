/**
 * `carabiner run -p` as a script sees it: a process that makes 20 Read calls against a server on loopback that answers
 * at once. How long until its first request, how long from an answer to the next request, and how much memory.
 *
 *     npm run build && node_modules/.bin/node bench/run/bench.ts [--rounds 15] [--dist FOLDER] [--json]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anthropicServer } from '../../test/support/anthropic-server.ts'
import { takeTurns } from '../command-hooks/measure.ts'
import { BARE, runNode, type Taken } from '../process.ts'
import { benchOptions, digits, median, printReport, quantile, ratioOf, type Dist, type Scene } from '../report.ts'

const { rounds, json, dists } = benchOptions(15)
const CALLS = 20

interface Run extends Taken {
  /** Milliseconds from the start to the first request; 0 for a process that sends none. */
  readonly first: number
  /** The median, in milliseconds, from an answer to the next request. */
  readonly call: number
}

const folder = mkdtempSync(join(tmpdir(), 'bench-run-'))
const home = join(folder, 'home')

async function runAgent(dist: Dist): Promise<Run> {
  const times: number[] = []
  const answer = (index: number) => () => {
    times.push(performance.now())
    if (index === CALLS) return { blocks: [{ type: 'text', text: 'done' } as const] }
    const input = { file_path: 'a.txt' }
    return { blocks: [{ type: 'tool_use', id: `toolu_${index}`, name: 'Read', input } as const] }
  }
  const server = await anthropicServer(...Array.from({ length: CALLS + 1 }, (_, index) => answer(index)))
  const begun = performance.now()
  const taken = await runNode([fileURLToPath(`${dist.url}cli.js`), 'run', '-p', 'Read it'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url },
    prints: 'done\n'
  })
  await server.close()
  if (times.length !== CALLS + 1) throw new Error(`there were ${times.length} requests instead of ${CALLS + 1}`)
  const calls = times.slice(1).map((at, index) => at - times[index]!)
  return { ...taken, first: times[0]! - begun, call: median(calls) }
}

async function bareStart(): Promise<Run> {
  return { ...(await runNode(['-e', '0'], { cwd: folder })), first: 0, call: 0 }
}

/** What is compared: with which figure of a bare start, its unit and its goal. */
const ROWS = [
  { what: 'from the start to the first request', key: 'first', of: 'wall', unit: 'ms', goal: '' },
  { what: 'from an answer to the next request', key: 'call', of: 'wall', unit: 'ms', goal: '' },
  { what: 'CPU of the whole run', key: 'cpu', of: 'cpu', unit: 'ms', goal: '' },
  { what: 'peak memory', key: 'memory', of: 'memory', unit: 'MB', goal: '95 MB' }
] as const

try {
  writeFileSync(join(folder, 'a.txt'), 'a line\n'.repeat(200))
  const taken: Readonly<Record<string, readonly Run[]>> = await takeTurns(
    { [BARE]: bareStart, ...Object.fromEntries(dists.map(dist => [dist.name, () => runAgent(dist)])) },
    rounds
  )
  const figures = (name: string, key: keyof Run): readonly number[] => taken[name]!.map(run => run[key])
  const names = dists.map(({ name }) => name)
  const scenes = ROWS.flatMap(({ what, key, of }) =>
    names.map((dist): Scene => ({ scene: what, dist, of: BARE, ...ratioOf(figures(dist, key), figures(BARE, of)) }))
  )
  const rows = ROWS.map(({ what, key, of, unit, goal }) => [
    what,
    ...names.flatMap(name => [
      `${digits(median(figures(name, key)))} ${unit}`,
      `${digits(quantile(figures(name, key), 0))} ${unit}`
    ]),
    `${digits(median(figures(BARE, of)))} ${unit}`,
    goal
  ])
  const head = ['', ...names.flatMap(name => [name, 'least']), BARE, 'goal']
  const about = `Medians of ${rounds} rounds of ${CALLS} Read calls`
  printReport({ about, tables: [{ head, rows }], scenes }, json)
} finally {
  rmSync(folder, { recursive: true })
}
