/** A home and a project of their own, and `carabiner run` in them. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CLI } from '../built-package.ts'
import { leftBehind, treeOf } from './processes.ts'

/** A message that a run printed. */
export interface Printed {
  readonly type: string
  readonly subtype?: string
  readonly uuid?: string
  readonly [more: string]: unknown
}

/** When a run is ended: this many milliseconds after its start, its first output, or the first hook of a call. */
export interface Moment {
  readonly from: 'start' | 'word' | 'call'
  readonly call?: string
  readonly after: number
  readonly signal: NodeJS.Signals
}

/** What came of a run. */
export interface KilledRun {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The signal was sent: it had not ended before. */
  readonly isStruck: boolean
  readonly printed: readonly Printed[]
  readonly stderr: string
  /** Milliseconds from its start, and from its first word, to its end. */
  readonly length: number
  readonly lengthOfWork: number
  /** The command lines of what it left running. */
  readonly left: readonly string[]
}

export interface KillPlace {
  readonly project: string
  readonly transcripts: string
  path(name: string): string
  write(name: string, text: string): void
  /** Undefined if there is no such file. */
  text(name: string): string | undefined
  names(): readonly string[]
  run(args: readonly string[], moment: Moment | undefined, env?: Readonly<Record<string, string>>): Promise<KilledRun>
  remove(): void
}

/** How long a run may take before it counts as hanging, in milliseconds. */
const HANG = 300_000

/** What a run that was ended by SIGTERM ends with. */
const ENDED_BY_TERM = 143

/** A new place. What Node has compiled is kept in `cache`, for all of them. */
export function newPlace(cache: string): KillPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-kills-')))
  const [project, home, temporary, managed] = ['project', 'home', 'tmp', 'managed'].map(name => join(base, name)) as [
    string,
    string,
    string,
    string
  ]
  for (const folder of [project, home, temporary, managed]) mkdirSync(folder)
  const mark = randomUUID()
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: temporary,
    CARABINER_MANAGED_DIR: managed,
    NODE_COMPILE_CACHE: cache,
    KILLED_IN: mark
  }
  const log = join(base, 'hooks.log')
  const path = (name: string): string => join(project, name)
  mkdirSync(join(home, '.claude'))
  writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ hooks: hooksIn(log) }))
  writeFileSync(path('notes'), 'Read me.\n')
  return {
    project,
    transcripts: join(home, '.carabiner/projects'),
    path,
    write: (name, text) => writeFileSync(path(name), text),
    text: name => (existsSync(join(base, name)) ? readFileSync(join(base, name), 'utf8') : undefined),
    names: () => readdirSync(project, { recursive: true }).map(String),
    run: (args, moment, more) => run(args, { cwd: project, env: { ...env, ...more } }, { mark, log }, moment),
    remove: () => rmSync(base, { recursive: true, force: true })
  }
}

/** Hooks that record their events: the event, and the id of the call. */
function hooksIn(log: string): object {
  const told = (event: string): object[] => [
    {
      hooks: [
        {
          type: 'command',
          command: `read -r told; id=\${told##*'"tool_use_id":"'}; id=\${id%%'"'*}; echo "${event} $id" >> ${log}`
        }
      ]
    }
  ]
  const stop = { type: 'command', command: `sleep 0.02; echo Stop >> ${log}` }
  return { PreToolUse: told('Pre'), PostToolUse: told('Post'), Stop: [{ hooks: [stop] }] }
}

async function run(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  { mark, log }: { readonly mark: string; readonly log: string },
  moment: Moment | undefined
): Promise<KilledRun> {
  const begun = performance.now()
  const flags = ['run', '-p', ...args, '--output-format', 'stream-json']
  const child = spawn(process.execPath, [CLI, ...flags], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  let spoke: number | undefined
  const word = new Promise<void>(resolve => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      spoke ??= performance.now()
      output.stdout += piece
      resolve()
    })
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (output.stderr += piece))
  const over = new AbortController()
  const ended = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => over.abort())
    child.once('close', (code, signal) => resolve([code, signal]))
  })
  let struck: ReturnType<typeof treeOf> | undefined
  const strike = async (): Promise<void> => {
    if (moment === undefined) return
    if (moment.from === 'word') await Promise.race([word, ended])
    if (moment.call !== undefined) await stands(`Pre ${moment.call}\n`, log, over.signal)
    await pause(moment.after, undefined, { signal: over.signal })
    const tree = treeOf(child.pid!)
    if (child.kill(moment.signal)) struck = tree
  }
  const striking = strike().catch(() => undefined)
  const guard = setTimeout(() => child.kill('SIGABRT'), HANG)
  const [code, signal] = await ended
  clearTimeout(guard)
  await striking
  const now = performance.now()
  return {
    code,
    signal,
    isStruck: struck !== undefined && (signal !== null || code === ENDED_BY_TERM),
    printed: messagesIn(output.stdout),
    stderr: output.stderr,
    length: now - begun,
    lengthOfWork: now - (spoke ?? now),
    left: await leftBehind(struck ?? [], mark)
  }
}

/** Waits until this text is in a file. */
async function stands(text: string, file: string, signal: AbortSignal): Promise<void> {
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes(text)) await pause(2, undefined, { signal })
}

/** All whole lines: the last one may have been cut off. */
function messagesIn(stdout: string): readonly Printed[] {
  const lines = stdout.split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as Printed)
}
