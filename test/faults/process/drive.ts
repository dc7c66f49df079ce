/** Runs a driver: a small program of its own that uses the library and ends in some way. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { gone, POLL } from '../../support/waiting.ts'
import { endAll, processesWith } from '../../support/process-table.ts'

export interface DriverProcess {
  readonly child: ChildProcess
  readonly folder: string
  /** What it printed, line by line. */
  readonly told: readonly Record<string, unknown>[]
  /** Its exit code or the signal that ended it, and all that it wrote to stderr. */
  readonly ended: Promise<{ readonly end: number | string | null; readonly stderr: string }>
  /** Who carries its mark, itself excepted. */
  running(): readonly number[]
  /** Waits for a line that has this key, and returns the value. */
  hear(key: string): Promise<unknown>
}

interface Driving {
  /** Words before the program, such as `prlimit`. */
  readonly within?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function startDriver(
  name: string,
  args: readonly (string | number)[] = [],
  { within = [], env }: Driving = {}
): DriverProcess {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-driver-'))
  const id = randomUUID()
  const file = join(import.meta.dirname, 'drivers', `${name}.ts`)
  const [command, ...words] = [...within, process.execPath, file, ...args.map(String)]
  const child = spawn(command!, words, {
    env: { ...process.env, ...env, FAULT_MARK: id, FAULT_FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const told: Record<string, unknown>[] = []
  const running = (): readonly number[] => processesWith(`FAULT_MARK=${id}`).filter(pid => pid !== child.pid)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone(running).finally(() => endAll(running()))
    rmSync(folder, { recursive: true, force: true })
  }, POLL.timeout * 2)
  return { child, folder, told, ended: endOf(child, told), running, hear: key => hear(key, told, child) }
}

function endOf(child: ChildProcess, told: Record<string, unknown>[]): DriverProcess['ended'] {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (stdout + chunk.toString()).split('\n')
    stdout = lines.pop()!
    told.push(...lines.map(line => JSON.parse(line) as Record<string, unknown>))
  })
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise(resolve => child.once('close', (code, signal) => resolve({ end: signal ?? code, stderr })))
}

async function hear(key: string, told: readonly Record<string, unknown>[], child: ChildProcess): Promise<unknown> {
  const find = (): Record<string, unknown> | undefined => told.find(line => key in line)
  const isOver = (): boolean => find() !== undefined || child.exitCode !== null || child.signalCode !== null
  await expect.poll(isOver, { ...POLL, timeout: 300_000 }).toBe(true)
  return find()?.[key]
}
