/** Hooks with a long-running process, compared with a pipe: `cat`, which returns the line that it receives. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { workerHook } from '../../../dist/external.js'
import { firing, newPlace, PAYLOAD, programPath, python } from '../common.ts'
import { atLeast, atMost, figuresOf, inBatches, takeTurns, timed, times, type Contender, type Row } from '../measure.ts'
import { rateRow } from '../table.ts'

const TRIPS = 10
const EVENTS = 500
const AT_ONCE = 64
const TRIP_GOAL = 0.3
const RATE_GOAL = 8000
const FLOOR = 'cat by hand'

export async function run(rounds: number): Promise<readonly Row[]> {
  const place = newPlace()
  const worker = (file: string, ...args: string[]) =>
    firing([workerHook({ events: 'PreToolUse', command: file, args }, place)], 'allow')
  const cat = linesThrough('cat')
  const node = linesThrough(process.execPath, programPath('worker.mjs'))
  const ways = {
    [FLOOR]: cat.ask,
    'node worker by hand': node.ask,
    'node worker hook': worker(process.execPath, programPath('worker.mjs')),
    'python worker hook': worker(python(), programPath('worker.py'))
  }
  const alone: Record<string, Contender<number[]>> = {}
  const crowded: Record<string, Contender> = {}
  for (const [name, ask] of Object.entries(ways)) {
    // Programs start, and compilers learn.
    await inBatches(ask, EVENTS, AT_ONCE)
    alone[name] = () => roundTrips(ask)
    crowded[name] = () => inBatches(ask, EVENTS, AT_ONCE)
  }
  const trips = await takeTurns(alone, rounds)
  const batches = await takeTurns(crowded, rounds)
  await place.close()
  cat.end()
  node.end()
  const names = Object.keys(ways)
  return [
    ...names.map(name => tripRow(name, trips[name]!.flat(), trips[FLOOR]!.flat())),
    ...names.map(name => batchRow(name, batches[name]!, batches[FLOOR]!))
  ]
}

async function roundTrips(ask: () => unknown): Promise<number[]> {
  const trips: number[] = []
  for (let trip = 0; trip < TRIPS; trip++) trips.push(await timed(ask))
  return trips
}

const isOurs = (name: string): boolean => name.endsWith('hook')

function tripRow(name: string, trips: readonly number[], floor: readonly number[]): Row {
  const figures = figuresOf(trips)
  return {
    ...{ scene: 'worker', name: `${name}, round trip`, unit: 'ms', figures },
    compared: name === FLOOR ? undefined : times(figures.p50 / figuresOf(floor).p50),
    goal: isOurs(name) ? atMost(figures.p50, TRIP_GOAL, `≤ ${TRIP_GOAL} ms`) : undefined
  }
}

function batchRow(name: string, taken: readonly number[], floor: readonly number[]): Row {
  const goal = (rate: number) => (isOurs(name) ? atLeast(rate, RATE_GOAL, `≥ ${RATE_GOAL} /s`) : undefined)
  return rateRow({ scene: 'worker', name: `${name}, ${AT_ONCE} at once`, events: EVENTS, taken, floor, goal })
}

/** Numbered lines to a process and back, with nothing around them: no deadline, no supervision, no checks. */
function linesThrough(file: string, ...args: readonly string[]): { ask(): Promise<unknown>; end(): void } {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (answer: unknown) => void>()
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = JSON.parse(line) as { id: number }
    waiting.get(answer.id)!(answer)
    waiting.delete(answer.id)
  })
  let last = 0
  const input = PAYLOAD.trim()
  return {
    ask: () =>
      new Promise(resolve => {
        waiting.set(++last, resolve)
        child.stdin.write(`{"id":${last},"input":${input}}\n`)
      }),
    end: () => void child.stdin.end()
  }
}
