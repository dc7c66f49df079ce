/**
 * What a turn of an agent costs beside the model: CPU time between the first model call and the last, with three hooks
 * before and three after each tool call, and a model that answers at once. The contenders take turns, round by round, each in
 * a process of its own, where it has run before: what is measured is compiled, and the garbage is its own.
 * And what comes before the first model call.
 *
 *     npm run build && cd bench/turns && npm ci --ignore-scripts && npm run bench -- [--rounds 31] [--dist FOLDER] [--json]
 *
 * Some of it: `-- turns`, `-- long`, `-- first`.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  benchOptions,
  digits,
  distFlags,
  median,
  printReport,
  ratioOf,
  shuffled,
  times,
  type Report,
  type Scene
} from '../report.ts'
import { contendersFor, PI, type Hooks } from './contenders.ts'
import { WINDOW, type Order } from './runner.ts'

const { rounds, json, dists, words } = benchOptions(31)
const CONTENDERS = await contendersFor(dists)
const OWN = dists.map(({ name }) => name)
/** A long round takes as long as ten short ones. */
const LONG_ROUNDS = Math.max(5, Math.ceil(rounds / 3))
const FIRST_ROUNDS = rounds * 10
const SHORT = 200
const LONG = 2000
/** Runs before any is counted, so that all contenders are compiled. */
const WARM = 60
const FIRST_WARM = 50

const cpu = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** A process for one contender, which runs on request. */
function laneOf(name: string): { run(order: Order): Promise<readonly number[]>; end(): void } {
  const child = fork(fileURLToPath(new URL('runner.ts', import.meta.url)), [name, ...distFlags(dists)])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${name} has ended`)))
  const ready = once(child, 'message')
  return {
    async run(order) {
      await ready
      const answer = once(child, 'message')
      child.send(order)
      const [marks] = (await Promise.race([answer, ended])) as [readonly number[]]
      return marks
    },
    end() {
      ended.catch(() => undefined)
      child.disconnect()
    }
  }
}

const perTurn = (marks: readonly number[]): number => (marks.at(-1)! - marks[0]!) / ((marks.length - 1) * WINDOW)

/** The cost of a turn in the windows that end near a turn. */
const near = (marks: readonly number[], turn: number): number =>
  median([-1, 0, 1].map(step => windowAt(marks, Math.min(turn / WINDOW + step, marks.length - 1))))

const windowAt = (marks: readonly number[], end: number): number => (marks[end]! - marks[end - 1]!) / WINDOW

/** Microseconds of CPU at every hundredth model call, of each round of each contender. */
type Marks = Readonly<Record<string, readonly (readonly number[])[]>>

async function race(hooks: Hooks, turns: number, names: readonly string[]): Promise<Marks> {
  const lanes = names.map(name => ({ name, ...laneOf(name), all: [] as (readonly number[])[] }))
  for (let round = 0; round < WARM; round++) for (const { run } of lanes) await run({ turns: SHORT, hooks })
  const count = turns > SHORT ? LONG_ROUNDS : rounds
  for (let round = 0; round < count; round++)
    for (const { run, all } of shuffled(lanes)) all.push(await run({ turns, hooks }))
  for (const { end } of lanes) end()
  return Object.fromEntries(lanes.map(({ name, all }) => [name, all]))
}

const ofPi = (scene: string, taken: Readonly<Record<string, readonly number[]>>): readonly Scene[] =>
  OWN.map(dist => ({ scene, dist, of: PI, ...ratioOf(taken[dist]!, taken[PI]!) }))

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

type Part = Pick<Report, 'tables' | 'scenes'>

async function compareTurns(): Promise<Part> {
  const names = Object.keys(CONTENDERS)
  const [sync, async] = [await race('synchronous', SHORT, names), await race('asynchronous', SHORT, names)].map(marks =>
    mapValues(marks, all => all.map(perTurn))
  )
  const cells = (taken: Readonly<Record<string, readonly number[]>>, name: string): readonly string[] => [
    digits(median(taken[name]!)),
    times(ratioOf(taken[name]!, taken[PI]!).ratio)
  ]
  const rows = names.map(name => [name, ...cells(sync!, name), ...cells(async!, name)])
  const head = [`${SHORT} turns, µs per turn`, 'synchronous hooks', 'of pi', 'asynchronous hooks', 'of pi']
  return {
    tables: [{ head, rows: [...rows, ['goal', '', '0.40×', '', '0.45×']] }],
    scenes: [...ofPi(`${SHORT} turns, synchronous hooks`, sync!), ...ofPi(`${SHORT} turns, asynchronous hooks`, async!)]
  }
}

async function compareLong(): Promise<Part> {
  const marks = await race('synchronous', LONG, [...OWN, PI])
  const taken = mapValues(marks, all => all.map(perTurn))
  const early = mapValues(marks, all => all.map(each => near(each, SHORT)))
  const late = mapValues(marks, all => all.map(each => near(each, LONG)))
  const rows = [...OWN, PI].map(name => [
    name,
    digits(median(taken[name]!)),
    times(ratioOf(taken[name]!, taken[PI]!).ratio),
    digits(median(early[name]!)),
    digits(median(late[name]!)),
    times(median(late[name]!) / median(early[name]!))
  ])
  const long = LONG.toLocaleString('en')
  const head = [`${long} turns, µs per turn`, 'all turns', 'of pi', `near turn ${SHORT}`, `near turn ${long}`, 'growth']
  return {
    tables: [{ head, rows: [...rows, ['goal', '', '0.25×', '', '', '1.20×']] }],
    scenes: ofPi(`${long} turns, synchronous hooks`, taken)
  }
}

/** CPU from the start of the contender to its first model call; ours without settings files, the transcript in memory. */
async function compareFirst(): Promise<Part> {
  const lanes = [...OWN, PI].map(name => ({ name, run: CONTENDERS[name]!, all: [] as number[] }))
  const work = { turns: 1, hooks: 'synchronous', store: true } as const
  for (let round = -FIRST_WARM; round < FIRST_ROUNDS; round++)
    for (const { run, all } of shuffled(lanes)) {
      let [begun, first] = [0, 0]
      const onStart = (): void => void (begun = cpu())
      await run({ ...work, onStart, onCall: call => void (call === 0 && (first = cpu())) })
      if (round >= 0) all.push(first - begun)
    }
  const taken = Object.fromEntries(lanes.map(({ name, all }) => [name, all]))
  const rows = lanes.map(({ name, all }) => [name, digits(median(all)), OWN.includes(name) ? '1,000 µs' : ''])
  return {
    tables: [{ head: ['from the start to the first model call', 'µs', 'goal'], rows }],
    scenes: ofPi('to the first model call', taken)
  }
}

const PARTS = { turns: compareTurns, long: compareLong, first: compareFirst }
const parts: Part[] = []
for (const [name, compare] of Object.entries(PARTS))
  if (words.length === 0 || words.includes(name)) parts.push(await compare())
const about = `CPU time, medians of ${rounds} rounds (${LONG_ROUNDS} of ${LONG.toLocaleString('en')} turns, ${FIRST_ROUNDS} of the first model call)`
printReport({ about, tables: parts.flatMap(part => part.tables), scenes: parts.flatMap(part => part.scenes) }, json)
