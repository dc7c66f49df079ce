/** What the tests of workers share: a scripted worker, on a manual clock. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import {
  HookEnvironment,
  workerHook,
  type HookEnvironmentOptions,
  type WorkerHook,
  type WorkerSpec
} from '../../../../src/external.ts'
import {
  HookRegistry,
  type HookMessage,
  type LateAnswer,
  type Outcome,
  type Profile,
  type RegistryOptions
} from '../../../../src/hooks.ts'
import { manualClock, type ManualClock } from '../../../../src/testing.ts'
import { POLL } from '../../../support/waiting.ts'
import { processesWith } from '../../../support/process-table.ts'
import { fixture } from '../../../support/fixture.ts'

/** A folder for one test. */
export function workerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-worker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The steps of the puppet for one event. */
export type PuppetStep = Readonly<Record<string, unknown>>

/** One worker, and all that it tells. */
export interface WorkerStage {
  readonly hook: WorkerHook
  readonly hooks: HookRegistry
  readonly place: HookEnvironment
  readonly clock: CountingClock
  readonly folder: string
  readonly notices: string[]
  readonly late: LateAnswer[]
  /** Fires PreToolUse with these steps. */
  ask(steps: readonly PuppetStep[], call?: string, signal?: AbortSignal): Promise<Outcome>
  /** Waits until the worker has printed this on standard error while an event was waiting. */
  heard(text: string): Promise<void>
  /** Who still runs of all that was started here. */
  running(): readonly number[]
}

interface CountingClock extends ManualClock {
  /** How often it was looked at. Each sign of life of a worker looks at it. */
  readonly reads: number
  readonly timers: number
}

/** A clock turned by hand that says how it is used. */
export function countingClock(): CountingClock {
  const clock = manualClock()
  const set = new Set<object>()
  let reads = 0
  return {
    ...clock,
    now: () => (reads++, clock.now()),
    after(ms, run) {
      const key = {}
      set.add(key)
      const cancel = clock.after(ms, () => (set.delete(key), run()))
      return () => (set.delete(key), cancel())
    },
    get reads() {
      return reads
    },
    get timers() {
      return set.size
    }
  }
}

const PUPPET = { command: process.execPath, args: [fixture('workers/puppet.ts')] }

type Options = Partial<WorkerSpec> & {
  profile?: Profile
  place?: HookEnvironmentOptions
  registry?: RegistryOptions
}

/** A worker, by default the puppet. None of its processes may be left when the test has ended. */
export function workerStage({ profile, place: placing, registry, ...spec }: Options = {}): WorkerStage {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-worker-'))
  const clock = countingClock()
  const notices: string[] = []
  const late: LateAnswer[] = []
  const messages: HookMessage[] = []
  const mark = randomUUID()
  const env = { ...process.env, WORKER_MARK: mark }
  const place = new HookEnvironment({
    projectDir: folder,
    env,
    clock,
    onNotice: text => notices.push(text),
    ...placing
  })
  const hook = workerHook({ name: 'gate', events: ['PreToolUse', 'Stop'], ...PUPPET, ...spec } as WorkerSpec, place)
  const hooks = new HookRegistry({
    profile,
    clock,
    sink: message => void messages.push(message),
    onLate: answer => void late.push(answer),
    ...registry
  }).register(hook)
  const running = (): readonly number[] => processesWith(mark)
  onTestFinished(async () => {
    await place.close()
    await expect.poll(running, POLL).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  }, POLL.timeout * 2)
  return {
    ...{ hook, hooks, place, clock, folder, notices, late, running },
    ask: async (steps, tool_use_id = 'call', signal) =>
      hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { do: steps }, tool_use_id }, { signal }),
    heard: text => expect.poll(() => progressIn(messages), POLL).toContain(text)
  }
}

const progressIn = (messages: readonly HookMessage[]): string =>
  messages.map(message => (message.subtype === 'hook_progress' ? message.output : '')).join('')

/** Waits until the worker has shown a sign of life. */
export async function signOfLife({ clock }: WorkerStage, work: () => unknown): Promise<void> {
  await work()
  const before = clock.reads
  await expect.poll(() => clock.reads, POLL).toBeGreaterThan(before)
}

/** Steps that answer with a refusal for this reason. */
export const denyStep = (reason: string): PuppetStep => ({
  say: `{"id":#id,"reply":{"decision":"deny","reason":"${reason}"}}`
})
export const allowStep: PuppetStep = { say: '{"id":#id,"reply":{"decision":"allow"}}' }
export const silent: PuppetStep = { say: '{"id":#id}' }
/** Says so on standard error, so that a test can wait for it, and does not answer. */
export const hang = (word: string): readonly PuppetStep[] => [{ stderr: word }]

/** What a failed gate comes to: closed in the strict profile, open and marked in the other. */
export const failed = (kind: string, profile: Profile, words: RegExp | string = ''): object => ({
  blocked: profile === 'strict',
  failedOpen: profile === 'compat',
  failures: [
    {
      by: 'gate',
      kind,
      message: words instanceof RegExp ? expect.stringMatching(words) : expect.stringContaining(words)
    }
  ],
  ...(profile === 'strict' && { reason: expect.stringMatching(`^gate_failed:${kind}: hook gate `) })
})
