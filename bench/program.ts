import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Report } from './report.ts'

/** Runs a program to its end and returns what it printed. When stopped, its whole process group is ended. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { cwd, signal }: { readonly cwd: string; readonly signal?: AbortSignal | undefined }
): Promise<string> {
  signal?.throwIfAborted()
  const child = spawn(file, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  signal?.addEventListener('abort', stop)
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal?.throwIfAborted()
    if (code === 0) return await stdout
    throw new Error(`\`${[file, ...args].join(' ')}\` failed in ${cwd}:\n${await stderr}${await stdout}`)
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** Runs `bench/NAME/bench.ts` of the repository at `root`. Its peers are installed the first time. */
export async function runBench(
  root: string,
  name: string,
  flags: readonly string[],
  signal?: AbortSignal
): Promise<Report> {
  const folder = join(root, 'bench', name)
  if (existsSync(join(folder, 'package.json')) && !existsSync(join(folder, 'node_modules')))
    await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, signal })
  const printed = await runProgram(process.execPath, [join(folder, 'bench.ts'), '--json', ...flags], {
    cwd: root,
    signal
  })
  return JSON.parse(printed) as Report
}
