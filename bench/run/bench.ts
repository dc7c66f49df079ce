/**
 * `carabiner run -p` as a script sees it: a process that makes 20 Read calls against a server on loopback that answers
 * at once. How long until its first request, how long from an answer to the next request, and how much memory.
 *
 *     npm run build && node_modules/.bin/node bench/run/bench.ts
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anthropicServer } from '../../test/support/anthropic-server.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 15)
const CALLS = 20
const GOALS = { first: 250, call: 6, memory: 120 }
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!

interface Round {
  /** What a start of Node takes at this moment: machines have moods. */
  readonly bare: number
  readonly first: number
  readonly calls: readonly number[]
  readonly memory: number
}

/** The most memory that a process ever had, in megabytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

async function bareStart(): Promise<number> {
  const begun = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'close')
  return performance.now() - begun
}

async function round(project: string, home: string): Promise<Round> {
  const bare = await bareStart()
  const times: number[] = []
  const child: { pid?: number; memory: number } = { memory: 0 }
  const answer = (index: number) => () => {
    times.push(performance.now())
    if (index === CALLS) {
      child.memory = peakOf(child.pid!)
      return { blocks: [{ type: 'text', text: 'done' } as const] }
    }
    return {
      blocks: [{ type: 'tool_use', id: `toolu_${index}`, name: 'Read', input: { file_path: 'a.txt' } } as const]
    }
  }
  const server = await anthropicServer(...Array.from({ length: CALLS + 1 }, (_, index) => answer(index)))
  const begun = performance.now()
  const process_ = spawn(process.execPath, [CLI, 'run', '-p', 'Read it'], {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  child.pid = process_.pid!
  let said = ''
  process_.stdout.on('data', piece => (said += piece))
  const [code] = await once(process_, 'close')
  await server.close()
  if (code !== 0 || said !== 'done\n' || times.length !== CALLS + 1) throw new Error(`it ended with ${code}: ${said}`)
  return {
    bare,
    first: times[0]! - begun,
    calls: times.slice(1).map((at, index) => at - times[index]!),
    memory: child.memory
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-run-'))
try {
  writeFileSync(join(folder, 'a.txt'), 'a line\n'.repeat(200))
  const home = join(folder, 'home')
  await round(folder, home)
  const rounds: Round[] = []
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round(folder, home))
  const starts = rounds.map(({ bare }) => bare)
  console.log(
    `a bare start of Node                 ms  min ${quantile(starts, 0).toFixed(1)}  p50 ${quantile(starts, 0.5).toFixed(1)}`
  )
  const line = (what: string, unit: string, values: readonly number[], goal: number): void => {
    const middle = quantile(values, 0.5)
    console.log(
      `${what.padEnd(36)} ${unit}  min ${quantile(values, 0).toFixed(1)}  p50 ${middle.toFixed(1)}  p95 ${quantile(values, 0.95).toFixed(1)}   ${middle <= goal ? 'reached' : 'MISSED'}: ≤ ${goal}`
    )
  }
  console.log(`node ${process.version}, ${ROUNDS} rounds, ${CALLS} Read calls each`)
  line(
    'from the start to the first request',
    'ms',
    rounds.map(({ first }) => first),
    GOALS.first
  )
  line(
    'from an answer to the next request',
    'ms',
    rounds.flatMap(({ calls }) => calls),
    GOALS.call
  )
  line(
    'most memory',
    'MB',
    rounds.map(({ memory }) => memory),
    GOALS.memory
  )
} finally {
  rmSync(folder, { recursive: true })
}
