import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Report } from './report.ts'

const execute = promisify(execFile)

/** Runs a program to its end and returns what it printed. */
export async function runProgram(
  file: string,
  args: readonly string[],
  how: { readonly cwd: string; readonly signal?: AbortSignal | undefined }
): Promise<string> {
  try {
    return (await execute(file, args, { ...how, maxBuffer: 2 ** 28 })).stdout
  } catch (error) {
    how.signal?.throwIfAborted()
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string }
    throw new Error(`\`${[file, ...args].join(' ')}\` failed in ${how.cwd}:\n${stderr}${stdout}`, { cause: error })
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
