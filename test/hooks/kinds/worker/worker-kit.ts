/** What the tests of workers share: a worker that does as it is told, on a clock turned by hand. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

export const PROFILES = ['strict', 'compat'] as const

/** Longer than anything takes on a busy machine. */
export const HANG = { timeout: 300_000, interval: 5 }

/** A program among the fixtures. */
export const workerFile = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/workers/${name}`, import.meta.url))

/** A folder for one test. */
export function workerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-worker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What the puppet is told to do with one event. */
export type Step = Readonly<Record<string, unknown>>

/** One worker, and all that it tells. */
export interface Stage {
  readonly hook: WorkerHook
  readonly hooks: HookRegistry
  readonly place: HookEnvironment
  readonly clock: CountingClock
  readonly folder: string
  readonly notices: string[]
  readonly late: LateAnswer[]
  /** Fires PreToolUse with these steps. */
  ask(steps: readonly Step[], call?: string, signal?: AbortSignal): Promise<Outcome>
  /** Waits until the worker has printed this on standard error while somebody waited for it. */
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

const PUPPET = { command: process.execPath, args: [workerFile('puppet.ts')] }

type Options = Partial<WorkerSpec> & {
  profile?: Profile
  place?: HookEnvironmentOptions
  registry?: RegistryOptions
}

/** A worker, the puppet unless something else is said. Nobody of it may be left when the test has ended. */
export function stage({ profile, place: placing, registry, ...spec }: Options = {}): Stage {
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
    await expect.poll(running, HANG).toEqual([])
    rmSync(folder, { recursive: true, force: true })
  }, HANG.timeout * 2)
  return {
    ...{ hook, hooks, place, clock, folder, notices, late, running },
    ask: async (steps, tool_use_id = 'call', signal) =>
      hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: { do: steps }, tool_use_id }, { signal }),
    heard: text => expect.poll(() => progressIn(messages), HANG).toContain(text)
  }
}

const progressIn = (messages: readonly HookMessage[]): string =>
  messages.map(message => (message.subtype === 'hook_progress' ? message.output : '')).join('')

/** Waits until the worker has shown a sign of life. */
export async function signOfLife({ clock }: Stage, work: () => unknown): Promise<void> {
  await work()
  const before = clock.reads
  await expect.poll(() => clock.reads, HANG).toBeGreaterThan(before)
}

/** Steps that answer with a refusal for this reason. */
export const deny = (reason: string): Step => ({ say: `{"id":#id,"reply":{"decision":"deny","reason":"${reason}"}}` })
export const allow: Step = { say: '{"id":#id,"reply":{"decision":"allow"}}' }
export const silent: Step = { say: '{"id":#id}' }
/** Says so on standard error, so that a test can wait for it, and does not answer. */
export const hang = (word: string): readonly Step[] => [{ stderr: word }]

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

/** The processes that have this in their environment. */
function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && holds(`/proc/${pid}/environ`, text))
}

function holds(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'latin1').includes(text)
  } catch {
    return false
  }
}

/** Whether a process runs. One that has ended and is only not yet buried does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')))
  } catch {
    return false
  }
}
