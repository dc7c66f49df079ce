import type { EventName } from '../../events/event-table.ts'
import { millisecondsOf } from '../../option-values.ts'
import { defaultEnvironment, type HookEnvironment } from '../hook-environment.ts'
import { checkCommand, identityOf, labelOf, type ProgramSpec } from '../program.ts'
import { buildHook, type OutsideHook, type OutsideSpec } from '../spec.ts'
import { Worker } from './worker-lifecycle.ts'

/** A hook that is a process which stays, and answers one event after the other in lines of JSON. */
export interface WorkerSpec<E extends EventName = EventName> extends OutsideSpec<E>, ProgramSpec {
  /** Seconds of silence while it is waited for, before it is pinged. Default 5. */
  heartbeat?: number | undefined
}

/** The state of a worker. */
export interface WorkerStatus {
  /** `waiting`: it failed and is restarted soon. `quarantined`: it is not, until `restart()` is called. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting' | 'quarantined'
  readonly restarts: number
  /** Answers that were not asked for, and lines that were no answers. */
  readonly strays: number
  readonly pid?: number
}

/** A hook with a worker behind it. */
export interface WorkerHook<E extends EventName = EventName> extends OutsideHook<E> {
  status(): WorkerStatus
  /** Ends its process and starts it again. Pending requests fail. */
  restart(): void
}

const HEARTBEAT = 5

/** A hook whose process is started with its first event and stays. */
export function workerHook<const E extends EventName = EventName>(
  spec: WorkerSpec<E>,
  place: HookEnvironment = defaultEnvironment()
): WorkerHook<E> {
  checkCommand(spec)
  const worker = new Worker(spec, place, millisecondsOf('heartbeat', spec.heartbeat ?? HEARTBEAT))
  const hook = buildHook(spec, place, {
    label: labelOf(spec),
    identity: `worker\0${identityOf(spec)}`,
    run: ctx => worker.ask(ctx),
    close: () => worker.close()
  })
  return { ...hook, status: () => worker.status(), restart: () => worker.restart() }
}
