/** A separate home, project and folder of managed policy, and the command line run there as people run it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { CLI } from './built-package.ts'

/** What a command came to. */
export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** What `fire --json` prints. */
export interface Fired {
  readonly event: string
  readonly precedence: string
  readonly profile: string
  readonly outcome: Readonly<Record<string, unknown>>
  readonly hooks: readonly Readonly<Record<string, unknown>>[]
}

interface RunOptions {
  /** The content of standard input; empty by default. */
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface CliStage {
  readonly home: string
  readonly project: string
  /** Where a file of the stage is: `home/…`, `project/…`, `managed/…`. */
  path(name: string): string
  write(name: string, content: object | string, mode?: number): string
  read(name: string): string
  /** `project/.claude/settings.json`. */
  settings(content: object | string): string
  /** `home/.claude/settings.json`: what it says needs no trust. */
  user(content: object | string): string
  /** Variables as an ordinary person has them: a home, programs, and neither CI nor colours. */
  readonly env: Readonly<Record<string, string>>
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** What `--json` printed. */
  json<T>(args: readonly string[], options?: RunOptions): Promise<T>
  /** Without waiting for its end. */
  start(args: readonly string[], options?: RunOptions): ChildProcess
}

export type AtEnd = (remove: () => void) => void

/** `atEnd`: of tests that run side by side, each has its own `onTestFinished`; the common one may be another test's. */
export function cliStage(atEnd: AtEnd = onTestFinished): CliStage {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string): string => join(folder, name)
  for (const name of ['home', 'project', 'managed']) mkdirSync(path(name))
  const write = (name: string, content: object | string, mode = 0o644): string => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
    chmodSync(path(name), mode)
    return path(name)
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: path('home'), CARABINER_MANAGED_DIR: path('managed') }
  const start = (args: readonly string[], { env: more, cwd = path('project') }: RunOptions = {}): ChildProcess =>
    spawn(process.execPath, [CLI, ...args], { cwd, env: { ...env, ...more } })
  const run = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    ended(start(args, options), options.stdin)
  return {
    ...{ home: path('home'), project: path('project'), path, write, env, run, start },
    read: name => readFileSync(path(name), 'utf8'),
    settings: content => write('project/.claude/settings.json', content),
    user: content => write('home/.claude/settings.json', content),
    json: async <T>(args: readonly string[], options?: RunOptions) =>
      JSON.parse((await run([...args, '--json'], options)).stdout) as T
  }
}

/** Waits for the end of a process and for all that it printed. */
export function ended(child: ChildProcess, stdin = ''): Promise<Ran> {
  const printed = { stdout: '', stderr: '' }
  child.stdin?.on('error', () => undefined).end(stdin)
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (printed.stdout += piece))
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (printed.stderr += piece))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ ...printed, code, signal }))
  })
}

/** Text as a pattern that fits just that. */
export const escaped = (text: string): string => text.replaceAll(/[^\w/]/g, String.raw`\$&`)
