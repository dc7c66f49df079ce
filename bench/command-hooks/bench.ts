/**
 * Hooks outside the process against what they cannot beat: a bare spawn, a pipe, a socket. Each scene runs in a
 * process of its own; within it the contenders take turns.
 *
 *     npm run build && node bench/command-hooks/bench.ts [scene ...] [--quick] [--json]
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Row } from './measure.ts'
import { printReport } from '../report.ts'
import { cellsOf, HEAD } from './table.ts'

const ROUNDS = 120
const QUICK = 20

/** Each is a file in `scenes/`, and what it is called with. */
const SCENES: readonly (readonly string[])[] = [
  ['cold'],
  ['prewarmed'],
  ['worker'],
  ['http'],
  ['together'],
  ['large', '0'],
  ['large', '256'],
  ['large', '1024']
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    rounds: { type: 'string' },
    inside: { type: 'boolean' }
  }
})
const rounds = Number(values.rounds ?? (values.quick === true ? QUICK : ROUNDS))

async function runInside([name, ...args]: readonly string[]): Promise<void> {
  const scene = (await import(`./scenes/${name}.ts`)) as Scene
  console.log(JSON.stringify(await scene.run(rounds, ...args)))
}

interface Scene {
  run(rounds: number, ...args: readonly string[]): Promise<readonly Row[]>
}

function runAll(scenes: readonly (readonly string[])[]): void {
  const rows = scenes.flatMap(runScene).map(cellsOf)
  printReport({ about: `${rounds} rounds`, tables: [{ head: HEAD, rows }], scenes: [] }, values.json === true)
}

/** A scene that fails is reported, and the others are still measured. */
function runScene(scene: readonly string[]): readonly Row[] {
  const args = [fileURLToPath(import.meta.url), '--inside', '--rounds', String(rounds), ...scene]
  try {
    const said = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
    return JSON.parse(said.trim().split('\n').at(-1)!) as readonly Row[]
  } catch (error) {
    console.error(`${scene.join(' ')} could not be measured: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
}

if (values.inside === true) await runInside(positionals)
else runAll(SCENES.filter(([name]) => positionals.length === 0 || positionals.includes(name!)))
