/**
 * What the sandbox adds to the start of a command, beside bwrap with the fewest options that confine anything. All take
 * turns, in a git repository, with a home that has credentials. Wall time, since most of it is in the kernel, and that of
 * the least disturbed round.
 *
 *     node bench/sandbox/bench.ts [--rounds 100] [--json]
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSandbox } from '../../src/lib/query/setup/sandbox.ts'
import { loadProject } from '../../src/lib/query/setup/project-context.ts'
import { startProcess } from '../../src/lib/world/process/process.ts'
import type { Program } from '../../src/lib/world/process/program.ts'
import { benchOptions, digits, median, printReport, shuffled } from '../report.ts'

const { rounds, json } = benchOptions(100)
const base = mkdtempSync('/var/tmp/carabiner-bench-')
const [cwd, home] = [join(base, 'project'), join(base, 'home')]
for (const folder of [cwd, join(home, '.ssh'), join(home, '.aws'), join(home, '.config/gh'), join(home, '.carabiner')])
  mkdirSync(folder, { recursive: true })
for (const file of ['.npmrc', '.netrc', '.bash_history']) writeFileSync(join(home, file), '')
spawnSync('git', ['init', '-q', cwd])
writeFileSync(join(cwd, '.env'), '')
for (let folder = 0; folder < 300; folder++) {
  mkdirSync(join(cwd, 'src', String(folder)), { recursive: true })
  for (let file = 0; file < 20; file++) writeFileSync(join(cwd, 'src', String(folder), `${file}.ts`), '')
}

const env = { PATH: process.env['PATH'] ?? '', HOME: home }
const program: Program = { file: '/bin/sh', args: ['-c', ':'], cwd, env }
const FEWEST = '--ro-bind / / --dev /dev --proc /proc --unshare-all --die-with-parent --'.split(' ')
const places = { directories: [], envFile: join(home, '.carabiner/env.sh'), shown: [] }
const sandboxWith = (deny: readonly string[]) => {
  const project = loadProject({ cwd, env, sandbox: true, settings: { permissions: { deny } } })
  return openSandbox(project, places)
}
const [without, withRule] = [sandboxWith([]), sandboxWith(['Read(.env)'])]

const WAYS: Readonly<Record<string, () => Program>> = {
  'no sandbox': () => program,
  'bare bwrap': () => ({ ...program, file: 'bwrap', args: [...FEWEST, program.file, ...program.args] }),
  'the sandbox': () => without.confine(program),
  'the sandbox, with a deny rule at any depth in 6,000 files': () => withRule.confine(program)
}

async function timeOf(way: () => Program): Promise<number> {
  const before = performance.now()
  const running = startProcess(way(), { stdout: () => undefined, stderr: chunk => process.stderr.write(chunk) })
  running.close()
  await running.ended
  return performance.now() - before
}

try {
  const times = new Map(Object.keys(WAYS).map(name => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++)
    for (const [name, way] of shuffled(Object.entries(WAYS))) {
      const time = await timeOf(way)
      // The first round warms up.
      if (round > 0) times.get(name)?.push(time)
    }
  const least = (name: string): number => Math.min(...(times.get(name) ?? []))
  const rows = [...times].map(([name, all]) => {
    const added = name.startsWith('the sandbox') ? `${digits(least(name) - least('bare bwrap'))} ms` : ''
    return [name, `${digits(least(name))} ms`, `${digits(median(all))} ms`, added, added === '' ? '' : '15 ms']
  })
  const table = { head: ['`sh -c :`', 'least', 'median', 'added to bare bwrap (least)', 'goal'], rows }
  printReport({ about: `${rounds} rounds; wall time`, tables: [table], scenes: [] }, json)
} finally {
  for (const sandbox of [without, withRule]) sandbox.close()
  rmSync(base, { recursive: true, force: true })
}
