/** What the tests of the engine share. */
import {
  EVENTS,
  guard,
  HookRegistry,
  type EventName,
  type FireInput,
  type FireOptions,
  type GuardOptions,
  type HookMessage,
  type LateAnswer,
  type Outcome,
  type Reply
} from '../../src/hooks.ts'
import { manualClock, type ManualClock } from '../../src/testing.ts'
import { loopTurn } from './hook-inputs.ts'

/** The events that close when a hook fails. */
export const GATES = [
  'PreToolUse',
  'PermissionRequest',
  'PreModelRequest',
  'PostModelResponse',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'Elicitation',
  'ElicitationResult',
  'PreModelSwitch'
] as const

export const sampleOf = <E extends EventName>(event: E): FireInput<E> =>
  ({ ...EVENTS[event].sample }) as unknown as FireInput<E>

/** Fires an event with the sample of its row. */
export const fireSample = (hooks: HookRegistry, event: EventName, options?: FireOptions): Outcome | Promise<Outcome> =>
  hooks.fire(event, sampleOf(event), options)

/** A registry with a hook on PreToolUse for each reply. */
export const saying = (...replies: readonly (Reply | undefined)[]): HookRegistry => {
  const hooks = new HookRegistry()
  for (const reply of replies) hooks.on('PreToolUse', () => reply)
  return hooks
}

/** Turns the clock and gives what the fire has come to by then; `'waiting'` if it is still under way. */
export async function after<T>(
  clock: ManualClock,
  seconds: number,
  fire: () => T | Promise<T>
): Promise<T | 'waiting'> {
  let result: T | 'waiting' = 'waiting'
  const settled = Promise.resolve(fire()).then(value => {
    result = value
  })
  await clock.advance(seconds)
  if (result === 'waiting') return result
  await settled
  return result
}

export interface WatchedClock extends ManualClock {
  /** How many timers are set. */
  readonly timers: number
  /** How many were ever set. */
  readonly everSet: number
}

export function watchedClock(): WatchedClock {
  const clock = manualClock()
  const pending = new Set<object>()
  let everSet = 0
  return {
    ...clock,
    after(ms, run) {
      const key = {}
      pending.add(key)
      everSet++
      const cancel = clock.after(ms, () => {
        pending.delete(key)
        run()
      })
      return () => {
        pending.delete(key)
        cancel()
      }
    },
    get timers() {
      return pending.size
    },
    get everSet() {
      return everSet
    }
  }
}

/** Unhandled rejections while the work was done. */
export async function unhandledDuring(work: () => unknown): Promise<readonly unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    await work()
  } finally {
    await loopTurn()
    await loopTurn()
    process.off('unhandledRejection', note)
  }
  return unhandled
}

/** A registry that keeps what comes late and what it tells, on a clock that counts its alarms. */
export const patientRegistry = () => {
  const clock = watchedClock()
  const late: LateAnswer[] = []
  const messages: HookMessage[] = []
  const hooks = new HookRegistry({
    clock,
    sessionId: 's-1',
    onLate: answer => void late.push(answer),
    sink: message => void messages.push(message)
  })
  const wait = <T>(seconds: number, value: T): Promise<T> =>
    new Promise(resolve => void clock.after(seconds * 1000, () => resolve(value)))
  return { clock, hooks, late, messages, wait }
}

/** A registry whose messages are kept. */
export const watchedRegistry = (options: { sessionId?: string } = {}) => {
  const clock = manualClock()
  const messages: HookMessage[] = []
  const hooks = new HookRegistry({ ...options, clock, sink: message => void messages.push(message) })
  const told = (): readonly string[] =>
    messages.map(message => `${message.hook_name} ${message.subtype.replace('hook_', '')}`)
  return { clock, hooks, messages, told }
}

/** A shell that leaves what it ran. */
export const shell = (options: GuardOptions<[], string> = {}) => {
  const hooks = new HookRegistry()
  const log: string[] = []
  const run = guard(
    hooks,
    'Bash',
    ({ command }: { command: string }) => (log.push(`run ${command}`), `ran ${command}`),
    options
  )
  return { hooks, log, run }
}
