/**
 * What the command line takes, from start to end, beside a bare start of Node. Processes take turns.
 *
 *     npm run build && node bench/cli/bench.ts [--rounds 40] [--dist FOLDER] [--json]
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takeTurns } from '../command-hooks/measure.ts'
import { BARE, over, runNode, type Taken } from '../process.ts'
import { benchOptions, digits, median, printReport, quantile, ratioOf, type Dist, type Scene } from '../report.ts'

const HOOKS = 200

const { rounds, json, dists } = benchOptions(40)

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
const [project, empty] = [join(folder, 'project'), join(folder, 'empty')]

function write(file: string, content: string, mode = 0o644): string {
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

/** A project with many hooks, each a script of its own, and a module with one hook. */
function furnish(): { module: string } {
  for (const each of [empty, join(project, '.claude/hooks')]) mkdirSync(each, { recursive: true })
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

const cliOf = ({ url }: Dist): string => fileURLToPath(`${url}cli.js`)

/** Each build has a home of its own: what one trusts, or caches, must not be read by another. */
const node = (args: readonly string[], cwd: string, home: string, prints = ''): Promise<Taken> =>
  runNode(args, { cwd, env: { PATH: process.env['PATH'], HOME: join(folder, `home-${home}`) }, prints })

const { module } = furnish()
for (const dist of dists) await node([cliOf(dist), 'hooks', 'trust'], project, dist.name)

/** Each command: its arguments, where it runs, and what it must print. */
const COMMANDS: Readonly<Record<string, readonly [args: readonly string[], cwd: string, prints: string]>> = {
  '--version': [['--version'], empty, '.'],
  '--help': [['--help'], empty, 'Usage'],
  'hooks list, no hooks': [['hooks', 'list'], empty, 'no hooks'],
  'hooks list, 200 hooks, trusted': [['hooks', 'list'], project, 'check-199.sh'],
  'fire, one module hook': [['fire', 'PreToolUse', '--hooks', module], empty, 'deny']
}
/** Milliseconds over a bare start. */
const GOALS: Readonly<Record<string, number>> = { '--version': 60, '--help': 60, 'fire, one module hook': 90 }

const labelOf = (command: string, dist: Dist): string => (dists.length === 1 ? command : `${command} (${dist.name})`)
const runs = Object.entries(COMMANDS).flatMap(([command, [args, cwd, prints]]) =>
  dists.map(dist => ({
    command,
    dist,
    label: labelOf(command, dist),
    run: () => node([cliOf(dist), ...args], cwd, dist.name, prints)
  }))
)
const taken: Readonly<Record<string, readonly Taken[]>> = await takeTurns(
  { [BARE]: () => node(['-e', '0'], empty, 'bare'), ...Object.fromEntries(runs.map(({ label, run }) => [label, run])) },
  rounds
)
rmSync(folder, { recursive: true })

const figures = (label: string, kind: keyof Taken): readonly number[] => taken[label]!.map(each => each[kind])
const added = (label: string, kind: keyof Taken): readonly number[] => over(figures(label, kind), figures(BARE, kind))
const ms = (value: number): string => `${digits(value)} ms`

const scenes = runs.map(({ command, dist, label }): Scene => ({
  scene: `${command}, CPU over a bare start`,
  dist: dist.name,
  of: BARE,
  ...ratioOf(added(label, 'cpu'), figures(BARE, 'cpu'))
}))
const row = (label: string, command?: string): readonly string[] => [
  command === undefined ? label : label.replace(/^[^,(]*[^,( ]/, '`$&`'),
  ms(median(figures(label, 'cpu'))),
  ms(median(figures(label, 'wall'))),
  ms(quantile(figures(label, 'wall'), 0)),
  command === undefined ? '' : ms(median(added(label, 'cpu'))),
  command === undefined ? '' : ms(median(added(label, 'wall'))),
  GOALS[command ?? ''] === undefined ? '' : `${GOALS[command ?? '']} ms over bare`
]
const head = ['', 'CPU', 'wall', 'least wall', 'CPU over bare', 'wall over bare', 'goal']
const rows = [row(BARE), ...runs.map(({ label, command }) => row(label, command))]
const about = `Medians of ${rounds} rounds, compiled code cached`
printReport({ about, tables: [{ head, rows }], scenes }, json)
