/** What the tests of faults share: a place of its own for each test, and the process table to look at. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { commandHook, HookEnvironment, type CommandSpec, type HookEnvironmentOptions } from '../../src/external.ts'
import { EVENTS, HookRegistry, type EventName, type FireInput, type Outcome, type Reported } from '../../src/hooks.ts'
import type { ManualClock } from '../../src/testing.ts'
import type { Effect } from './row.ts'

export type Profile = 'strict' | 'compat'
export const PROFILES = ['strict', 'compat'] as const

/** A command hook as a test writes it down: an event and a name are not needed. */
export type Spec = Omit<CommandSpec, 'events' | 'name'>

export interface Asking {
  readonly profile?: Profile
  readonly event?: EventName
  readonly clock?: ManualClock
  readonly input?: Record<string, unknown>
  readonly signal?: AbortSignal
}

/** A place for one test. All that is started in it carries a mark; nobody with it may be left at the end. */
export interface Scene {
  readonly folder: string
  readonly place: HookEnvironment
  readonly notices: string[]
  /** Fires one event at one hook. */
  ask(spec: Spec, asking?: Asking): Promise<Reported>
  /** Who still runs of all that was started here. */
  running(): readonly number[]
}

export function scene(options: Pick<HookEnvironmentOptions, 'clock' | 'starter'> = {}): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-fault-'))
  const mark = `FAULT_MARK=${randomUUID()}`
  const notices: string[] = []
  const env = { ...process.env, FAULT_MARK: mark.slice(mark.indexOf('=') + 1) }
  const place = new HookEnvironment({ ...options, projectDir: folder, env, onNotice: text => notices.push(text) })
  const running = (): readonly number[] => processesWith(mark)
  onTestFinished(async () => {
    await place.close()
    await gone(running).finally(() => endAll(running()))
    rmSync(folder, { recursive: true, force: true })
  }, HANG.timeout * 2)
  return { folder, place, notices, ask: (spec, asking) => ask(place, spec, asking), running }
}

export const HOOK = 'gate'

async function ask(place: HookEnvironment, spec: Spec, asking: Asking = {}): Promise<Reported> {
  const hooks = new HookRegistry({ profile: asking.profile, clock: asking.clock })
  const hook = commandHook({ ...spec, name: HOOK, events: asking.event ?? 'PreToolUse' }, place)
  hooks.register(hook)
  try {
    return await fire(hooks, asking)
  } finally {
    hook.close()
  }
}

/** Fires the sample of an event, or what is given. */
export async function fire(
  hooks: HookRegistry,
  { event = 'PreToolUse', input, signal }: Asking = {}
): Promise<Reported> {
  const sample = { ...EVENTS[event].sample, ...input } as unknown as FireInput<typeof event>
  return hooks.fire(event, sample, { report: true, signal })
}

/** What became of an event, in the words of the table. */
export function effectOf(outcome: Outcome): Effect {
  const [failure] = outcome.failures
  const { decision, reason } = outcome
  if (failure === undefined) {
    const marked = outcome.failedOpen ? ', marked' : ''
    if (decision === 'deny') return outcome.blocked ? 'refused' : 'objected'
    return `${decision === 'allow' ? 'allowed' : 'no opinion'}${marked}` as Effect
  }
  const { kind, failedOpen } = failure
  if (decision === 'deny' && reason?.startsWith(`gate_failed:${kind}: hook ${HOOK} (`) === true)
    return `closed: ${kind}`
  if (decision !== undefined) return `failed, and yet: ${decision}` as Effect
  return failedOpen && outcome.failedOpen ? `open, marked: ${kind}` : `noted: ${kind}`
}

/** The processes that have this in their environment or among their words. */
export function processesWith(text: string): readonly number[] {
  return processes().filter(pid => holds(`/proc/${pid}/environ`, text) || holds(`/proc/${pid}/cmdline`, text))
}

const processes = (): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0)

function holds(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'latin1').includes(text)
  } catch {
    return false
  }
}

/**
 * Waits until nobody is left; a process that is never ended fails the test. A second look finds who was born while the
 * first went through the table.
 */
export const gone = (left: () => readonly number[]): Promise<void> =>
  expect
    .poll(() => {
      const found = left()
      return found.length > 0 ? found : left()
    }, HANG)
    .toEqual([])

/** Ends what a test has seen and nobody else will end. */
export function endAll(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

/** Waits until somebody is there. */
export const there = (whom: () => readonly number[]): Promise<void> => expect.poll(whom, HANG).not.toEqual([])

/** Longer than anything takes on a busy machine. */
export const HANG = { timeout: 300_000, interval: 20 }

/** Does something for each, so many at a time, and gives back what came of it in order. */
export async function inTurn<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  // All have come to rest before a failure is told.
  const settled = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const each of settled) if (each.status === 'rejected') throw each.reason
  return results
}
