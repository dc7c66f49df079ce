/** Processes that take locks, and folders for them. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import type { Lock, Locked } from '../../../src/lib/world/lock/lock.ts'
import type { Order } from './drivers/locker.ts'

export const DRIVER = join(import.meta.dirname, 'drivers/locker.ts')

/** Most of the time that a short process takes is spent on compiling it. */
const compiled = mkdtempSync(join(tmpdir(), 'carabiner-lock-compiled-'))
afterAll(() => rmSync(compiled, { recursive: true, force: true }))
export const LOCKER_ENV = { ...process.env, NODE_COMPILE_CACHE: compiled }

export const doing = (): string => 'testing'

/** An empty folder, and paths in it. */
export function lockFolder(): (...parts: readonly string[]) => string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-lock-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (...parts) => join(folder, ...parts)
}

/** The lock, or an error. */
export async function held(locked: Locked | Promise<Locked>): Promise<Lock> {
  const result = await locked
  if ('holder' in result) throw new Error(`held by ${JSON.stringify(result.holder)}`)
  return result
}

/** Who has it, or an error. */
export async function holderOf(locked: Promise<Locked>): Promise<Record<string, unknown>> {
  const result = await locked
  if ('holder' in result) return { ...result.holder }
  await result.release()
  throw new Error('nobody had it')
}

export interface Locker {
  readonly child: ChildProcess
  readonly pid: number
  ask(order: Order): Promise<Record<string, unknown>>
  /** Ends it with SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
}

/** A process that takes locks on request, in its own namespaces if `wrapper` creates some. */
export async function locker({
  wrapper = [],
  host
}: { wrapper?: readonly string[]; host?: string } = {}): Promise<Locker> {
  const [file, ...args] = [...wrapper, process.execPath, DRIVER]
  const env = { ...LOCKER_ENV, ...(host !== undefined && { CARABINER_HOST: host }) }
  const child = spawn(file, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  await answerOf(child)
  const ask = (order: Order): Promise<Record<string, unknown>> => {
    const answer = answerOf(child)
    child.send(order)
    return answer
  }
  return { child, pid: child.pid!, ask, kill }
}

export function answerOf(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((done, fail) => {
    const ended = (): void => fail(new Error(`it ended (${child.exitCode ?? child.signalCode})`))
    child.once('exit', ended)
    child.once('message', answer => {
      child.off('exit', ended)
      done(answer as Record<string, unknown>)
    })
  })
}

/** How Linux sees it: `T` is stopped, `Z` has ended, with all its threads, and waits for its parent to look. */
export function processState(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0]!
  return state === 'Z' && readdirSync(`/proc/${pid}/task`).length > 1 ? 'ending' : state
}
