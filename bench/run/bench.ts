/**
 * `carabiner run -p` as a script sees it: a process that makes 20 Read calls against a server on loopback that answers
 * at once. How long until its first request, how long from an answer to the next request, and how much memory. A
 * process that makes one model call with the same provider package is the floor. Claude Code takes part if it is
 * installed in bench/run/peer.
 *
 *     npm run build && node_modules/.bin/node bench/run/bench.ts [--rounds 15] [--dist FOLDER] [--json]
 */
import { takeTurns } from '../command-hooks/measure.ts'
import { BARE } from '../process.ts'
import { benchOptions, digits, median, printReport, quantile, ratioOf, times, type Scene } from '../report.ts'
import { bareStart, CALLS, hasPeer, removeFolder, runCarabiner, runFloor, runPeer, type Run } from './contenders.ts'

const { rounds, json, dists } = benchOptions(15)

const FLOOR = 'one doStream()'
const PEERS = hasPeer ? { 'Claude Code': () => runPeer(), 'Claude Code --bare': () => runPeer('--bare') } : {}

/** What is compared: with which figure of a bare start, its unit and its goals. */
const ROWS = [
  { what: 'from the start to the first request', key: 'first', of: 'wall', unit: 'ms', goal: '0.5× of Claude Code' },
  { what: 'from an answer to the next request', key: 'call', of: 'wall', unit: 'ms', goal: '' },
  { what: 'CPU of the whole run', key: 'cpu', of: 'cpu', unit: 'ms', goal: '' },
  { what: 'peak memory', key: 'memory', of: 'memory', unit: 'MB', goal: `95 MB, 20 MB over ${FLOOR}` }
] as const

try {
  const ours = Object.fromEntries(dists.map(dist => [dist.name, () => runCarabiner(dist)]))
  const contenders = { [BARE]: bareStart, [FLOOR]: runFloor, ...PEERS, ...ours }
  const taken: Readonly<Record<string, readonly Run[]>> = await takeTurns(contenders, rounds)
  const figures = (name: string, key: keyof Run): readonly number[] => taken[name]!.map(run => run[key])
  const names = dists.map(({ name }) => name)
  const scenes = names.flatMap(dist => [
    ...ROWS.map(({ what, key, of }): Scene => ({
      scene: what,
      dist,
      of: BARE,
      ...ratioOf(figures(dist, key), figures(BARE, of))
    })),
    {
      ...{ scene: 'peak memory, beside the floor', dist, of: FLOOR },
      ...ratioOf(figures(dist, 'memory'), figures(FLOOR, 'memory'))
    }
  ])
  const cell = (name: string, key: keyof Run, unit: string): string => {
    const value = median(figures(name, key))
    return Number.isNaN(value) ? '' : `${digits(value)} ${unit}`
  }
  const rows = ROWS.map(({ what, key, of, unit, goal }) => [
    what,
    ...names.flatMap(name => [cell(name, key, unit), `${digits(quantile(figures(name, key), 0))} ${unit}`]),
    cell(FLOOR, key, unit),
    ...Object.keys(PEERS).flatMap(peer => [
      cell(peer, key, unit),
      times(ratioOf(figures(names[0]!, key), figures(peer, key)).ratio)
    ]),
    `${digits(median(figures(BARE, of)))} ${unit}`,
    goal
  ])
  const peerHeads = Object.keys(PEERS).flatMap(peer => [peer, `${names[0]!} beside it`])
  const head = ['', ...names.flatMap(name => [name, 'least']), FLOOR, ...peerHeads, BARE, 'goal']
  const about = `Medians of ${rounds} rounds of ${CALLS} Read calls`
  printReport({ about, tables: [{ head, rows }], scenes }, json)
} finally {
  removeFolder()
}
