/** What the tests of faults share: a place of its own for each test, and the process table to look at. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commandHook, HookEnvironment, type CommandSpec, type HookEnvironmentOptions } from '../../src/external.ts'
import {
  type EventName,
  EVENTS,
  type FireInput,
  HookRegistry,
  type Outcome,
  type Profile,
  type Reported
} from '../../src/hooks.ts'
import type { ManualClock } from '../../src/testing.ts'
import type { Effect } from './row.ts'
import { gone, POLL } from '../support/waiting.ts'
import { endAll, processesWith } from '../support/process-table.ts'

/** A command hook as a test writes it down: an event and a name are not needed. */
export type Spec = Omit<CommandSpec, 'events' | 'name'>

export interface FireSpec {
  readonly profile?: Profile
  readonly event?: EventName
  readonly clock?: ManualClock
  readonly input?: Record<string, unknown>
  readonly signal?: AbortSignal
}

/** An environment for one test. All its processes have a mark; none with it may be left at the end. */
export interface FaultScene {
  readonly folder: string
  readonly place: HookEnvironment
  readonly notices: string[]
  /** Fires one event at one hook. */
  ask(spec: Spec, asking?: FireSpec): Promise<Reported>
  /** Who still runs of all that was started here. */
  running(): readonly number[]
}

export function faultScene(options: Pick<HookEnvironmentOptions, 'clock' | 'starter'> = {}): FaultScene {
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
  }, POLL.timeout * 2)
  return { folder, place, notices, ask: (spec, asking) => ask(place, spec, asking), running }
}

export const HOOK = 'gate'

async function ask(place: HookEnvironment, spec: Spec, asking: FireSpec = {}): Promise<Reported> {
  const hooks = new HookRegistry({ profile: asking.profile, clock: asking.clock })
  const hook = commandHook({ ...spec, name: HOOK, events: asking.event ?? 'PreToolUse' }, place)
  hooks.register(hook)
  try {
    return await fireFault(hooks, asking)
  } finally {
    hook.close()
  }
}

/** Fires the sample of an event, or what is given. */
export async function fireFault(
  hooks: HookRegistry,
  { event = 'PreToolUse', input, signal }: FireSpec = {}
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

/** Calls a function for each, with limited concurrency, and returns the results in order. */
export async function inTurn<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  // All have settled before a failure is thrown.
  const settled = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const each of settled) if (each.status === 'rejected') throw each.reason
  return results
}
