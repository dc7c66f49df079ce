/**
 * What an edit of a large file takes, beside a plain copy of the same bytes: both read all of it, write a temporary file,
 * have it on the disk, and rename it. They take turns. Processor time, since disks are noisy, and that of the
 * least disturbed round; memory in processes of their own.
 *
 *     node bench/edit/bench.ts [--rounds 5] [--megabytes 100] [--json]
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { editTool } from '../../src/lib/tools/files/edit.ts'
import { readTool } from '../../src/lib/tools/files/read.ts'
import type { ToolCall, ToolSession } from '../../src/lib/tools/tool.ts'
import { digits, median, printReport, times as ratioWords } from '../report.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '100' },
    json: { type: 'boolean' },
    /** For ourselves: does one thing once, and prints how much memory it took. */
    only: { type: 'string' }
  }
})

const WAYS = ['copy', 'untouched', 'hashed'] as const
type Way = (typeof WAYS)[number]

const WORDS: Readonly<Record<Way, readonly [what: string, goal: string]>> = {
  copy: ['copy', ''],
  untouched: ['edit; inode, size and ctime as Read saw them', '1.3×'],
  hashed: ['edit that must hash', '2.1×']
}

/** After this, in milliseconds, the time of a file's last change can be relied on. */
const SETTLED = 2200

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
const file = join(folder, 'large.txt')

/** Lines as there are many, and one that is there once, at nine tenths. */
function fill(megabytes: number): void {
  const lines = 'const value = compute(input, options) // a line as there are many\n'.repeat(10_000)
  const target = openSync(file, 'w')
  const blocks = Math.round((megabytes * 1024 * 1024) / lines.length)
  for (let block = 0; block < blocks; block++) {
    writeSync(target, lines)
    if (block === Math.floor(blocks * 0.9)) writeSync(target, 'const marker = 0\n')
  }
  closeSync(target)
}

function makeCall(): ToolCall {
  const session: ToolSession = {
    id: 'bench',
    root: folder,
    cwd: folder,
    directories: [],
    env: {},
    seen: new Map(),
    background: new Map(),
    onClose: () => undefined
  }
  return {
    id: '1',
    signal: new AbortController().signal,
    session,
    progress: () => undefined,
    fire: async () => undefined
  }
}

async function copy(): Promise<void> {
  const source = await open(file)
  const { size } = await source.stat()
  const bytes = Buffer.allocUnsafeSlow(size)
  await source.read(bytes, 0, size, 0)
  const target = await open(`${file}.tmp`, 'wx')
  await target.writev([bytes])
  await target.sync()
  await rename(`${file}.tmp`, file)
  await target.close()
  await source.close()
}

let marker = 0

/** Gets everything ready, and gives what is to be measured. */
async function prepare(way: Way): Promise<() => Promise<unknown>> {
  if (way !== 'hashed') await pause(SETTLED)
  if (way === 'copy') return copy
  const call = makeCall()
  await readTool.run({ file_path: file, limit: 1 }, call)
  if (way === 'hashed') {
    chmodSync(file, 0o600)
    await pause(SETTLED)
  }
  const input = {
    file_path: file,
    old_string: `const marker = ${marker}`,
    new_string: `const marker = ${++marker}`,
    replace_all: false
  }
  return async () => editTool.run(input, call)
}

async function processorTime(way: Way): Promise<number> {
  const run = await prepare(way)
  collect()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The most memory, in megabytes, that a process of its own had. */
function memoryOf(way: Way): number {
  const args = [fileURLToPath(import.meta.url), '--only', way, '--megabytes', values.megabytes]
  return Number(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout)
}

async function compare(): Promise<void> {
  fill(Number(values.megabytes))
  const times: Record<Way, number[]> = { copy: [], untouched: [], hashed: [] }
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const way of WAYS) {
      const time = await processorTime(way)
      // The first round warms up.
      if (round > 0) times[way].push(time)
    }
  }
  const least = (way: Way): number => Math.min(...times[way])
  const rows = WAYS.map(way => [
    WORDS[way][0],
    `${digits(least(way))} ms`,
    `${digits(median(times[way]))} ms`,
    ratioWords(least(way) / least('copy')),
    `${memoryOf(way)} MB`,
    WORDS[way][1]
  ])
  const head = [
    `one edit of ${values.megabytes} MB`,
    'least CPU',
    'median CPU',
    'of a copy (least)',
    'peak memory',
    'goal'
  ]
  printReport({ about: `${values.rounds} rounds`, tables: [{ head, rows }], scenes: [] }, values.json === true)
}

async function once(way: Way): Promise<void> {
  fill(Number(values.megabytes))
  collect()
  const run = await prepare(way)
  collect()
  await run()
  process.stdout.write(String(Math.round(process.resourceUsage().maxRSS / 1024)))
}

try {
  await (values.only === undefined ? compare() : once(values.only as Way))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
