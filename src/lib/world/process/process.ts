import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { childProcess, cookieOf, reaper } from './reaper.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { attempt } from '../../util/attempt.ts'
import type { Program } from './program.ts'

export interface OutputListener {
  stdout(chunk: Buffer): void
  stderr(chunk: Buffer): void
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly error: { readonly code: string; readonly message: string } | undefined
  readonly left: boolean
  readonly fed: boolean
}

export interface Running {
  write(text: string): void
  close(): void
  /** Ends it and all its descendants: TERM, then KILL for those that remain. */
  end(): void
  /** Whether it keeps this process alive. By default it does. */
  hold(on: boolean): void
  readonly pid: number | undefined
  /** Never rejects. */
  readonly ended: Promise<Ended>
}

export type Start = (program: Program, listener: OutputListener) => Running

/** In milliseconds. Descendants of an ended process may hold its pipes: their output is not waited for. */
const PIPE_GRACE = 100
/** Output printed before the end is read in fewer turns of the event loop than this. */
const MOST_TURNS = 100

const ALIVE = new Set<number>()
let isListening = false

export const startProcess: Start = (program, listener) => {
  let child: ChildProcess
  let run: number
  try {
    run = reaper.expect()
    child = childProcess().spawn(program.file, [...program.args], {
      cwd: program.cwd,
      env: { ...program.env, CARABINER_RUN: cookieOf(run) },
      detached: true,
      windowsHide: true,
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        ...(program.descriptors ?? (program.filter === undefined ? [] : ['pipe' as const]))
      ]
    })
  } catch (error) {
    return failedToStart(error)
  }
  if (program.filter !== undefined)
    (child.stdio[3] as Writable | null)?.on('error', () => undefined).end(program.filter)
  const { pid } = child
  if (pid !== undefined) keepWatch(run, pid)
  const { stdin, stdout, stderr } = child
  // Without free descriptors there are no streams; with them, a broken one must not end this process.
  for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => undefined)
  stdout?.on('data', (chunk: Buffer) => listener.stdout(chunk))
  stderr?.on('data', (chunk: Buffer) => listener.stderr(chunk))
  const state = { ending: false, fed: false, isConfined: program.filter !== undefined }
  return {
    write(text) {
      state.fed = true
      if (stdin?.writable === true) stdin.write(text)
    },
    close() {
      state.fed = true
      stdin?.end()
    },
    end() {
      if (state.ending || pid === undefined || !ALIVE.has(pid)) return
      state.ending = true
      // Its further output is not read.
      stdout?.pause()
      stderr?.pause()
      endTree(pid, run, () => ALIVE.has(pid))
    },
    hold(on) {
      const way = on ? 'ref' : 'unref'
      for (const handle of [child, stdin, stdout, stderr] as ({ ref(): void; unref(): void } | null)[]) handle?.[way]()
    },
    pid,
    ended: endOf(child, run, state)
  }
}

function endOf(
  child: ChildProcess,
  run: number,
  state: { readonly ending: boolean; readonly fed: boolean; readonly isConfined: boolean }
): Promise<Ended> {
  const { pid } = child
  return new Promise(resolve => {
    let over = false
    const finish = (ended: Ended): void => {
      // Destroying the pipes emits `close`, which calls this again.
      if (over) return
      over = true
      if (pid !== undefined) letGo(run, pid, state.ending)
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      resolve(ended)
    }
    child.once('error', error => {
      if (pid === undefined) finish({ code: null, signal: null, error: startErrorOf(error), left: false, fed: true })
    })
    child.once('exit', (code, signal) => {
      const { fed, isConfined } = state
      const end = (left: boolean): void =>
        finish({ code, signal, error: undefined, left: !isConfined && (left || hasMembers(pid!)), fed })
      if (isClosed(child.stdin) && isClosed(child.stdout) && isClosed(child.stderr)) end(false)
      else waitForPipes(child, end)
    })
  })
}

const isClosed = (stream: Readable | Writable | null): boolean => stream?.closed !== false

function waitForPipes(child: ChildProcess, end: (isHeld: boolean) => void): void {
  const outputs = [child.stdout, child.stderr].filter(each => each !== null)
  let [chunks, turns] = [0, 0]
  let turn: NodeJS.Immediate | undefined
  for (const each of outputs) each.on('data', () => chunks++)
  // On a busy event loop every timer is late, so time proves nothing. Each turn polls the system: an output that
  // delivers neither bytes nor its end in a whole turn, or bytes in every turn, is held open by another process.
  const look = (before: number): void => {
    const open = outputs.filter(each => !each.isPaused() && !each.closed)
    if (++turns > MOST_TURNS || (chunks === before && !open.some(each => each.readableEnded))) end(open.length > 0)
    else lookAfterTurn()
  }
  const lookAfterTurn = (): void => {
    turn = setImmediate(() => (turn = setImmediate(look, chunks)))
  }
  const grace = setTimeout(lookAfterTurn, PIPE_GRACE)
  child.once('close', () => {
    clearTimeout(grace)
    clearImmediate(turn)
    end(false)
  })
}

function failedToStart(thrown: unknown): Running {
  const ended: Ended = { code: null, signal: null, error: startErrorOf(thrown as Error), left: false, fed: true }
  const nothing = (): void => undefined
  const running = { write: nothing, close: nothing, end: nothing, hold: nothing, pid: undefined }
  return { ...running, ended: Promise.resolve(ended) }
}

const startErrorOf = (error: Error): { code: string; message: string } => ({
  code: (error as NodeJS.ErrnoException).code ?? 'UNKNOWN',
  message: error.message
})

/** Whether the group of an ended process still has members. Usually not, so the error is made without a stack. */
function hasMembers(group: number): boolean {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return process.platform !== 'win32' && process.kill(-group, 0)
  } catch {
    return false
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function keepWatch(run: number, pid: number): void {
  if (!isListening) process.on('exit', killAll)
  isListening = true
  ALIVE.add(pid)
  reaper.watch(run, pid)
}

function letGo(run: number, pid: number, ending: boolean): void {
  ALIVE.delete(pid)
  if (!ending) reaper.forget(run)
}

/** Ends everything that was started. If this process dies before it can, the reaper does it. */
function killAll(): void {
  for (const pid of ALIVE) killTree(pid)
}

/** Time between TERM and KILL, in milliseconds. */
const TERM_GRACE = 2_000
const LOOK_AGAIN = 25

/**
 * Ends a process and its descendants: those in its group, those that left the group, and those that left the tree but
 * have the cookie in their environment. A process that did all of this and cleared its environment escapes on hosts
 * without process namespaces.
 */
function endTree(leader: number, run: number, isAlive: () => boolean): void {
  if (process.platform === 'win32') {
    childProcess()
      .spawn('taskkill', ['/pid', String(leader), '/t', '/f'], { stdio: 'ignore' })
      .on('error', () => undefined)
    return
  }
  const strays = descendantsOf(leader)
  signal(-leader, 'SIGTERM')
  for (const stray of strays) signalSame(stray, 'SIGTERM')
  const deadline = performance.now() + TERM_GRACE
  const look = (): void => {
    const late = performance.now() >= deadline
    if (!late && (isAlive() || signal(-leader, 0))) return void setTimeout(look, LOOK_AGAIN)
    if (isAlive()) strays.push(...descendantsOf(leader))
    signal(-leader, 'SIGKILL')
    for (const stray of strays) signalSame(stray, 'SIGKILL')
    reaper.sweep(run)
  }
  setTimeout(look, LOOK_AGAIN)
}

function killTree(leader: number): void {
  const strays = descendantsOf(leader)
  signal(process.platform === 'win32' ? leader : -leader, 'SIGKILL')
  for (const stray of strays) signalSame(stray, 'SIGKILL')
}

/** A process id may be reused; with its start time it is unique. */
interface Individual {
  readonly pid: number
  readonly born: string
}

function descendantsOf(pid: number): Individual[] {
  return childrenOf(pid).flatMap(child => {
    const born = birthOf(child)
    return born === undefined ? [] : [{ pid: child, born }, ...descendantsOf(child)]
  })
}

function childrenOf(pid: number): readonly number[] {
  const childrenIn = (task: string): readonly number[] =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return attempt(() => readdirSync(`/proc/${pid}/task`).flatMap(childrenIn)) ?? []
}

/** The 22nd field of `stat`; the second, a name in parentheses, may contain anything. */
function birthOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
}

function signalSame({ pid, born }: Individual, name: NodeJS.Signals): void {
  if (birthOf(pid) === born) signal(pid, name)
}

const signal = (pid: number, name: NodeJS.Signals | 0): boolean => attempt(() => process.kill(pid, name)) === true
