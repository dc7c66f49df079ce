import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What one process took: milliseconds, milliseconds of CPU of all its threads, and megabytes at its peak. */
export interface Taken {
  readonly wall: number
  readonly cpu: number
  readonly memory: number
}

const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url))

interface How {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the process must print: a contender that does nothing would win. */
  readonly prints?: string
  onStart?(pid: number): void
}

/** Runs Node with these arguments, to its end. */
export async function runNode(args: readonly string[], how: How): Promise<Taken> {
  const begun = performance.now()
  const child = spawn(process.execPath, ['--require', PROBE, ...args], {
    cwd: how.cwd,
    env: how.env ?? { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe']
  })
  how.onStart?.(child.pid ?? 0)
  const texts = { printed: '', probed: '' }
  child.stdout.on('data', piece => (texts.printed += String(piece)))
  child.stdio[3]?.on('data', piece => (texts.probed += String(piece)))
  const code = await new Promise(resolve => child.once('close', resolve))
  const wall = performance.now() - begun
  if (code !== 0 || !texts.printed.includes(how.prints ?? ''))
    throw new Error(`node ${args.join(' ')} ended with ${String(code)} and printed: ${texts.printed}`)
  return { wall, ...(JSON.parse(texts.probed) as Pick<Taken, 'cpu' | 'memory'>) }
}

export const BARE = 'bare start of Node'

/** How much more than the bare start of the same round. */
export const over = (all: readonly number[], bare: readonly number[]): readonly number[] =>
  all.map((value, round) => value - (bare[round] ?? Number.NaN))
