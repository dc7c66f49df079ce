import { PerformanceObserver } from 'node:perf_hooks'
import { HookRegistry } from '../../dist/hooks.js'
import { CONTENDERS, HOOKS, readSoFar, TOOL, type Body, type Call, type Dispatch, type Timing } from './contenders.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 15)
const CALLS = Number(process.env['CALLS'] ?? 100_000)

const CALL: Call = {
  tool_name: TOOL,
  tool_input: { command: 'git status --short', description: 'Show what changed' },
  tool_use_id: 'toolu_1'
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** CPU time, user and system, for one call in nanoseconds. */
async function cpuOf(dispatch: Dispatch, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < calls; index++) await dispatch(CALL)
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / calls
}

/** All contenders take turns, so that what disturbs the machine disturbs all of them. */
async function compare(timing: Timing, body: Body): Promise<void> {
  const lanes = Object.entries(CONTENDERS).map(([name, make]) => ({
    name,
    dispatch: make({ timing, body, hooks: HOOKS }),
    times: [] as number[]
  }))
  for (const lane of lanes) await cpuOf(lane.dispatch, CALLS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const lane of lanes) lane.times.push(await cpuOf(lane.dispatch, CALLS))
  }
  const [hand, ...others] = lanes.map(({ name, times }) => ({ name, ns: median(times) }))
  console.log(`\n20 ${timing} hooks, 6 match, ${body}`)
  for (const { name, ns } of [hand!, ...others]) {
    console.log(`  ${name.padEnd(30)} ${ns.toFixed(0).padStart(6)} ns   ${(ns / hand!.ns).toFixed(2)}×`)
  }
}

/** Nothing to do must cost nothing, and leave nothing behind for the collector. */
async function idle(): Promise<void> {
  let collections = 0
  const observer = new PerformanceObserver(list => (collections += list.getEntries().length))
  observer.observe({ entryTypes: ['gc'] })
  const empty = new HookRegistry()
  const others = new HookRegistry()
  for (const { matcher } of HOOKS) others.on('PreToolUse', matcher === TOOL || matcher === `^${TOOL}$` ? 'Read' : matcher, () => undefined)
  console.log('\nnothing to run, not awaited')
  for (const [name, hooks] of Object.entries({ 'no hook': empty, '20 hooks, none matches': others })) {
    const spin = (calls: number): void => {
      for (let index = 0; index < calls; index++) void hooks.fire('PreToolUse', CALL)
    }
    spin(1_000_000)
    await new Promise(resolve => setTimeout(resolve, 50))
    globalThis.gc?.()
    await new Promise(resolve => setTimeout(resolve, 50))
    collections = 0
    const before = process.cpuUsage()
    spin(50_000_000)
    const { user, system } = process.cpuUsage(before)
    await new Promise(resolve => setTimeout(resolve, 50))
    console.log(`  ${name.padEnd(30)} ${((user + system) / 50_000).toFixed(1).padStart(6)} ns   ${collections} collections in 50 million calls`)
  }
  observer.disconnect()
}

console.log(`node ${process.version}; CPU time a call, median of ${ROUNDS} rounds of ${CALLS} calls, contenders taking turns`)
await idle()
for (const timing of ['sync', 'async'] as const) {
  for (const body of ['silent', 'reading', 'replying'] as const) await compare(timing, body)
}
if (readSoFar() === 0) throw new Error('the reading hooks read nothing')
