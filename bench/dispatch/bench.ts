/**
 * What it costs to pass a tool call through hooks. Each scene runs in a process of its own, since what one
 * scene teaches the compiler would change the next; within it all contenders take turns, round by round.
 *
 *     npm run build && cd bench/dispatch && npm ci && npm run bench
 */
import { execFileSync } from 'node:child_process'
import { PerformanceObserver } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { HookRegistry } from '../../dist/hooks.js'
import { CONTENDERS, HOOKS, readSoFar, TOOL, type Body, type Call, type Dispatch, type Timing } from './contenders.ts'

/** Many short rounds: the speed of a machine drifts, and contenders are only compared within a round. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 250)
const CALLS = Number(process.env['CALLS'] ?? 4_000)
const WARM_UP = 20
const IDLE_CALLS = 50_000_000

const CALL: Call = {
  tool_name: TOOL,
  tool_input: { command: 'git status --short', description: 'Show what changed' },
  tool_use_id: 'toolu_1'
}

/** What each scene should reach, as a multiple of the loop written by hand. */
const GOALS: Readonly<Record<string, number>> = {
  'sync silent': 2,
  'sync reading': 2.5,
  'sync replying': 2.5,
  'async silent': 1.5,
  'async reading': 1.8
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** CPU time of one call, user and system together, in nanoseconds. */
async function cpuOf(dispatch: Dispatch): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < CALLS; index++) await dispatch(CALL)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / CALLS
}

async function compare(timing: Timing, body: Body): Promise<void> {
  const lanes = Object.entries(CONTENDERS).map(([name, make]) => ({
    name,
    dispatch: make({ timing, body, hooks: HOOKS }),
    times: [] as number[]
  }))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const lane of lanes) {
      const time = await cpuOf(lane.dispatch)
      if (round >= 0) lane.times.push(time)
    }
  }
  if (body === 'reading' && readSoFar() === 0) throw new Error('the reading hooks read nothing')
  const byHand = lanes[0]!.times
  const goal = GOALS[`${timing} ${body}`]
  console.log(`\n20 ${timing} hooks, 6 match, ${body}${goal === undefined ? '' : ` (goal ${goal}×)`}`)
  for (const { name, times } of lanes) {
    const ratio = median(times.map((time, round) => time / byHand[round]!))
    console.log(`  ${name.padEnd(30)} ${median(times).toFixed(0).padStart(6)} ns   ${ratio.toFixed(2)}×`)
  }
}

/** Nothing to do must cost nothing, and leave nothing behind for the collector. */
async function idle(): Promise<void> {
  let collections = 0
  const observer = new PerformanceObserver(list => (collections += list.getEntries().length))
  observer.observe({ entryTypes: ['gc'] })
  const others = new HookRegistry()
  for (const { matcher } of HOOKS) others.on('PreToolUse', matcher.replace(TOOL, 'Read'), () => undefined)
  console.log('\nnothing to run, not awaited (goal 60 ns, no collection)')
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
    const ns = ((user + system) * 1000) / IDLE_CALLS
    console.log(
      `  ${name.padEnd(30)} ${ns.toFixed(1).padStart(6)} ns   ${collections} collections in ${IDLE_CALLS} calls`
    )
  }
  observer.disconnect()
}

/** The observer is told in a later turn of the loop. */
const observed = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 50))

async function scene(name: string): Promise<void> {
  if (name === 'idle') return idle()
  const [timing, body] = name.split(' ') as [Timing, Body]
  return compare(timing, body)
}

const [asked] = process.argv.slice(2)
if (asked !== undefined) await scene(asked)
else {
  console.log(
    `node ${process.version}; CPU time of one call and its ratio, medians of ${ROUNDS} rounds of ${CALLS} calls`
  )
  const bodies = ['silent', 'reading', 'replying'] as const
  const scenes = ['sync', 'async'].flatMap(timing => bodies.map(body => `${timing} ${body}`))
  for (const name of ['idle', ...scenes]) {
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), name], { stdio: 'inherit' })
  }
}
