/**
 * What the command line takes, from start to end, beside a bare start of Node. Processes take turns.
 *
 *     npm run build && node bench/cli/bench.ts [--rounds 40] [--json]
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { atMost, differences, figuresOf, takeTurns, timed, type Row } from '../command-hooks/measure.ts'
import { HEAD, lineOf } from '../command-hooks/table.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const HOOKS = 200

const { values } = parseArgs({ options: { rounds: { type: 'string' }, json: { type: 'boolean' } } })
const rounds = Number(values.rounds ?? 40)

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
const [home, project, empty] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'empty')]

function write(file: string, content: string, mode = 0o644): string {
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

/** A project with many hooks, each a script of its own, and a module with one hook. */
function furnish(): { module: string } {
  for (const each of [home, empty, join(project, '.claude/hooks')]) mkdirSync(each, { recursive: true })
  const names = Array.from({ length: HOOKS }, (_, number) => `.claude/hooks/check-${number}.sh`)
  for (const name of names) write(join(project, name), '#!/bin/sh\nexit 0\n', 0o755)
  const rules = names.map((command, number) => ({
    matcher: ['Bash', 'Edit|Write', 'mcp__.*', 'Read'][number % 4],
    hooks: [{ type: 'command', command }]
  }))
  write(join(project, '.claude/settings.json'), JSON.stringify({ hooks: { PreToolUse: rules } }, undefined, 2))
  const text = `export default hooks => hooks.on('PreToolUse', 'Bash', () => ({ decision: 'deny', reason: 'no' }))\n`
  return { module: write(join(folder, 'own.mjs'), text) }
}

/** Milliseconds that it took, and that processors were busy with it, where that is told (Linux). */
interface Taken {
  readonly wall: number
  readonly cpu: number
}

/** Runs Node with these arguments. One that ends otherwise than it should, or prints nothing, ends the bench. */
async function node(args: readonly string[], cwd: string, says?: string): Promise<Taken> {
  const before = cpuOfChildren()
  const wall = await timed(async () => {
    const env = { PATH: process.env['PATH'], HOME: home }
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', piece => (printed += String(piece)))
    const code = await new Promise(resolve => child.once('close', resolve))
    if (code !== 0 || (says !== undefined && !printed.includes(says))) throw new Error(`${args.join(' ')}: ${printed}`)
  })
  return { wall, cpu: cpuOfChildren() - before }
}

/** Of all children that have ended, in ticks of 10 ms: coarse for one, good enough for the mean of many. */
function cpuOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return Number.NaN
  }
}

const { module } = furnish()
await node([CLI, 'hooks', 'trust'], project)

const CONTENDERS = {
  'bare start of Node': () => node(['-e', '0'], empty),
  '--version': () => node([CLI, '--version'], empty, '.'),
  '--help': () => node([CLI, '--help'], empty, 'Usage'),
  'hooks list, no hooks': () => node([CLI, 'hooks', 'list'], empty, 'no hooks'),
  'hooks list, 200 hooks, trusted': () => node([CLI, 'hooks', 'list'], project, 'check-199.sh'),
  'fire, one module hook': () => node([CLI, 'fire', 'PreToolUse', '--hooks', module], empty, 'deny')
}
/** Milliseconds over a bare start, or in all. */
const GOALS: Partial<Record<keyof typeof CONTENDERS, { over?: number; all?: number }>> = {
  '--version': { over: 60 },
  '--help': { over: 60 },
  'hooks list, 200 hooks, trusted': { all: 150 },
  'fire, one module hook': { all: 150 }
}

const taken = await takeTurns(CONTENDERS, rounds)
rmSync(folder, { recursive: true })
const bare = taken['bare start of Node']
const walls = (all: readonly Taken[]): number[] => all.map(({ wall }) => wall)
const cpu = (all: readonly Taken[]): string =>
  `${(all.reduce((sum, each) => sum + each.cpu, 0) / all.length).toFixed(0)} ms of CPU`
const rows = (Object.keys(CONTENDERS) as (keyof typeof CONTENDERS)[]).map((name): Row => {
  const figures = figuresOf(walls(taken[name]))
  const over = figuresOf(differences(walls(taken[name]), walls(bare))).p50
  const goal = GOALS[name]
  return {
    scene: 'cli',
    name,
    unit: 'ms',
    figures,
    compared: `${cpu(taken[name])}, ${over.toFixed(0)} ms over bare`,
    goal:
      goal?.over !== undefined
        ? atMost(over, goal.over, `${goal.over} ms over a bare start`)
        : goal?.all !== undefined
          ? atMost(figures.p50, goal.all, `${goal.all} ms`)
          : undefined
  }
})
if (values.json === true) console.log(JSON.stringify({ node: process.version, rounds, rows }, undefined, 2))
else for (const line of [`node ${process.version}, ${rounds} rounds`, HEAD, ...rows.map(lineOf)]) console.log(line)
