/**
 * What it costs to pass a tool call through hooks. Each scene runs in a process of its own, because what one scene
 * teaches the compiler would change the next; within it all contenders take turns, round by round.
 *
 *     npm run build && cd bench/dispatch && npm ci && npm run bench -- [--rounds 250] [--dist FOLDER] [--json]
 */
import { execFileSync } from 'node:child_process'
import { PerformanceObserver } from 'node:perf_hooks'
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
  type Dist,
  type Scene
} from '../report.ts'
import {
  contendersFor,
  HOOKABLE,
  HOOKS,
  importHooks,
  ONE_HOOK,
  peersOfOne,
  readSoFar,
  TOOL,
  type Body,
  type Call,
  type Dispatch,
  type Timing
} from './contenders.ts'

/** Many short rounds: the speed of a machine drifts, and contenders are only compared within a round. */
const { rounds, json, dists, words } = benchOptions(250)
const CALLS = 4_000
const WARM_UP = 20
const IDLE_CALLS = 50_000_000
const BY_HAND = 'by hand'

const CALL: Call = {
  tool_name: TOOL,
  tool_input: { command: 'git status --short', description: 'Show what changed' },
  tool_use_id: 'toolu_1'
}

/** The most that each scene may cost, as a multiple of the loop written by hand. */
const GOALS: Readonly<Record<string, string>> = {
  'sync, silent': '1.8×',
  'sync, reading': '1.8×',
  'sync, replying': '1.8×',
  'async, silent': '1.8×',
  'async, reading': '1.8×',
  'async, replying': '1.8×'
}

/** Nanoseconds of CPU of each round of each contender. */
type Times = Readonly<Record<string, readonly number[]>>

/** CPU time of one call, user and system together, in nanoseconds. */
async function cpuOf(dispatch: Dispatch): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < CALLS; index++) await dispatch(CALL)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / CALLS
}

async function measure(timing: Timing, body: Body, one: boolean): Promise<Times> {
  const made = one ? await peersOfOne(dists) : await contendersFor(dists)
  const contenders = Object.entries(made).map(([name, make]) => ({
    name,
    dispatch: make({ timing, body, hooks: one ? ONE_HOOK : HOOKS }),
    taken: [] as number[]
  }))
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { dispatch, taken } of shuffled(contenders)) {
      const time = await cpuOf(dispatch)
      if (round >= 0) taken.push(time)
    }
  }
  if (body === 'reading' && readSoFar() === 0) throw new Error('the reading hooks read nothing')
  return Object.fromEntries(contenders.map(({ name, taken }) => [name, taken]))
}

interface Idle {
  readonly nanoseconds: number
  readonly collections: number
}

/** An event without hooks must cost next to nothing, and leave nothing for the collector. */
async function measureIdle(dist: Dist): Promise<Readonly<Record<string, Idle>>> {
  const { HookRegistry } = await importHooks(dist)
  let collections = 0
  const observer = new PerformanceObserver(list => (collections += list.getEntries().length))
  observer.observe({ entryTypes: ['gc'] })
  const others = new HookRegistry()
  for (const { matcher } of HOOKS) others.on('PreToolUse', matcher.replace(TOOL, 'Read'), () => undefined)
  const found: Record<string, Idle> = {}
  for (const [name, hooks] of Object.entries({ 'no hook': new HookRegistry(), '20 hooks, none matches': others })) {
    const spin = (calls: number): void => {
      for (let index = 0; index < calls; index++) void hooks.fire('PreToolUse', CALL)
    }
    spin(1_000_000)
    globalThis.gc?.()
    await observed()
    collections = 0
    const before = process.cpuUsage()
    spin(IDLE_CALLS)
    const { user, system } = process.cpuUsage(before)
    await observed()
    found[name] = { nanoseconds: ((user + system) * 1000) / IDLE_CALLS, collections }
  }
  observer.disconnect()
  return found
}

/** The observer receives collections in a later turn of the event loop. */
const observed = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 50))

async function runScene(name: string): Promise<unknown> {
  if (name === 'idle') return measureIdle(dists[0])
  const [timing, body, one] = name.split(', ') as [Timing, Body, string?]
  return measure(timing, body, one !== undefined)
}

function inProcess(scene: string): unknown {
  const args = ['--expose-gc', fileURLToPath(import.meta.url), scene, '--rounds', String(rounds), ...distFlags(dists)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }))
}

interface Measured {
  readonly scene: string
  readonly taken: Times
}

const scenesOf = ({ scene, taken }: Measured, of: string): readonly Scene[] =>
  dists.map(({ name }) => ({ scene, dist: name, of, ...ratioOf(taken[name]!, taken[of]!) }))

const rowOf = ({ scene, taken }: Measured, of: string, goal: string): string[] => {
  const others = Object.keys(taken).filter(name => name !== of)
  const ratios = others.map(name => times(ratioOf(taken[name]!, taken[of]!).ratio))
  return [scene, `${digits(median(taken[of]!))} ns`, ...ratios, goal]
}

function report(): void {
  const bodies = ['silent', 'reading', 'replying'] as const
  const names = ['sync', 'async'].flatMap(timing => bodies.map(body => `${timing}, ${body}`))
  const measured = names.map(scene => ({ scene, taken: inProcess(scene) as Times }))
  const ones = ['sync, silent, one', 'async, silent, one'].map(scene => ({ scene, taken: inProcess(scene) as Times }))
  const others = Object.keys(measured[0]!.taken).filter(name => name !== BY_HAND)
  const idle = inProcess('idle') as Readonly<Record<string, Idle>>
  const about = `CPU time of one call, medians of ${rounds} rounds of ${CALLS.toLocaleString('en')} calls`
  const scenes = [
    ...measured.flatMap(each => scenesOf(each, BY_HAND)),
    ...ones.flatMap(each => scenesOf(each, HOOKABLE))
  ]
  const rows = measured.map(each => rowOf(each, BY_HAND, GOALS[each.scene] ?? ''))
  const oneRows = ones.map(each => rowOf(each, HOOKABLE, '1×'))
  const peers = Object.keys(ones[0]!.taken).filter(name => name !== HOOKABLE)
  const idleRows = Object.entries(idle).map(([name, { nanoseconds, collections }]) => [
    name,
    `${digits(nanoseconds)} ns`,
    `${collections} in ${IDLE_CALLS.toLocaleString('en')} calls`,
    '60 ns, 0 collections'
  ])
  const tables = [
    { head: ['20 hooks, 6 match', BY_HAND, ...others, 'goal'], rows },
    { head: ['one hook', HOOKABLE, ...peers, 'goal'], rows: oneRows },
    { head: ['nothing to run, not awaited', 'one call', 'garbage collections', 'goal'], rows: idleRows }
  ]
  printReport({ about, tables, scenes }, json)
}

const [asked] = words
if (asked === undefined) report()
else console.log(JSON.stringify(await runScene(asked)))
