import type { EventName } from '../../events/event-table.ts'
import { millisecondsOf } from '../../option-values.ts'
import { defaultEnvironment, type HookEnvironment } from '../hook-environment.ts'
import { checkCommand, identityOf, labelOf, type ProgramSpec, programFor } from '../program.ts'
import { buildHook, type OutsideHook, type OutsideSpec, type OutsideContext } from '../spec.ts'
import { startProcess } from '../../../world/process/process.ts'
import type { Program } from '../../../world/process/program.ts'
import type { Later, Reply } from '../../reply.ts'
import type { WorkerFrame } from './worker-frames.ts'
import { heartbeat } from './worker-heartbeat.ts'
import { WorkerLink } from './worker-link.ts'
import { Requests } from './worker-requests.ts'
import { HookFailure } from '../../dispatch/hook-failure.ts'

/** A hook that is a long-running process, and answers one event after the other in lines of JSON. */
export interface WorkerSpec<E extends EventName = EventName> extends OutsideSpec<E>, ProgramSpec {
  /** Seconds of silence while it is waited for, before it is pinged. Default 5. */
  heartbeat?: number | undefined
}

/** The state of a worker. */
export interface WorkerStatus {
  /** `waiting`: it failed and is restarted soon. `quarantined`: it is not, until `restart()` is called. */
  readonly state: 'stopped' | 'starting' | 'running' | 'waiting' | 'quarantined'
  readonly restarts: number
  /** Answers that were not asked for, and lines that were not answers. */
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

/** The pause after each failure in a row, in milliseconds: it doubles, and after the last there is no further try. */
const PAUSES = Array.from({ length: 10 }, (_, step) => Math.min(100 * 2 ** step, 30_000))
const MOST_NOTICES = 100

export class Worker {
  readonly #spec: WorkerSpec
  readonly #place: HookEnvironment
  readonly #requests: Requests
  readonly #heartbeat: ReturnType<typeof heartbeat>
  #state: WorkerStatus['state'] = 'stopped'
  #program: Program | undefined
  #link: WorkerLink | undefined
  #lastId = 0
  #ping: number | undefined
  #owes = false
  #deaths = 0
  #refusal: string | undefined
  #notBefore = 0
  #cancelStart: (() => void) | undefined
  #leavePlace: (() => void) | undefined
  #starts = 0
  #strays = 0
  #notices = 0
  #isMuted = false

  constructor(spec: WorkerSpec, place: HookEnvironment, interval: number) {
    this.#spec = spec
    this.#place = place
    this.#requests = new Requests(spec, place, givenUp => this.#isLeft(givenUp))
    this.#heartbeat = heartbeat(
      place.clock,
      interval,
      () => this.#sendPing(),
      seconds => this.#isSilent(seconds)
    )
  }

  status(): WorkerStatus {
    const pid = this.#link?.pid
    const status = { state: this.#state, restarts: Math.max(0, this.#starts - 1), strays: this.#strays }
    return pid === undefined ? status : { ...status, pid }
  }

  ask(ctx: OutsideContext): Promise<Reply | Later | undefined> {
    if (this.#refusal !== undefined) throw new HookFailure('worker', this.#refusal)
    this.#program ??= programOf(this.#spec, this.#place, ctx)
    this.#isMuted ||= ctx.event === 'PostModelResponse'
    const id = ++this.#lastId
    const answer = this.#requests.add(id, ctx)
    const link = this.#link
    if (link === undefined) this.#begin()
    else {
      if (this.#requests.size === 1) this.#attend(link)
      this.#requests.send(id, frame => link.write(frame))
    }
    return answer
  }

  #attend(link: WorkerLink): void {
    link.hold(true)
    this.#heartbeat.watch()
  }

  #isLeft(givenUp: boolean): void {
    if (givenUp) this.#owes = this.#link !== undefined
    if (this.#requests.size > 0) return
    this.#link?.hold(false)
    if (!this.#owes) this.#heartbeat.rest()
  }

  #begin(): void {
    if (this.#cancelStart !== undefined) return
    const pause = this.#notBefore - this.#place.clock.now()
    if (pause > 0) this.#startAfter(pause)
    else this.#start()
  }

  #startAfter(pause: number): void {
    this.#state = 'waiting'
    this.#cancelStart = this.#place.clock.after(pause, () => this.#start())
  }

  #start(): void {
    const started = this.#program
    if (started === undefined) return
    const objection = this.#spec.verify?.()
    if (objection !== undefined) {
      this.#cancelStart = undefined
      this.#state = 'stopped'
      return this.#requests.failAll(new HookFailure('untrusted', objection))
    }
    const program = { ...started, cwd: this.#place.folder(started.cwd) }
    this.#cancelStart = undefined
    this.#leavePlace ??= this.#place.onClose(() => this.close())
    this.#state = 'starting'
    this.#starts++
    this.#notices = 0
    const link = new WorkerLink(listener => this.#place.start(program, listener, startProcess), this.#place.clock, {
      frame: (frame, line) => this.#hear(frame, line),
      noise: words => this.#stray(words),
      stderr: text => this.#hearStderr(text),
      lost: why => this.#lose(why),
      isMuted: () => this.#isMuted
    })
    this.#link = link
    if (this.#requests.size > 0) this.#attend(link)
    else link.hold(false)
    this.#requests.sendAll(frame => link.write(frame))
  }

  #hear({ id, answer }: WorkerFrame, line: string): boolean {
    this.#state = 'running'
    this.#isAlive()
    const isPong = id === this.#ping
    if (isPong) this.#ping = undefined
    else if (!this.#requests.take(id, answer, line)) {
      this.#stray(`dropped an answer to ${id}: it was not asked for, came twice, or came too late`)
      return false
    } else if (answer.kind !== 'wrong') this.#deaths = 0
    return true
  }

  #hearStderr(text: string): void {
    this.#isAlive()
    if (this.#requests.size > 0) this.#requests.progress(text)
    else this.#tell(`its worker printed on stderr: ${text.trimEnd()}`)
  }

  #stray(words: string): void {
    this.#isAlive()
    this.#strays++
    this.#tell(words)
  }

  #isAlive(): void {
    this.#heartbeat.sign()
    if (!this.#owes) return
    this.#owes = false
    if (this.#requests.size === 0) this.#heartbeat.rest()
  }

  #sendPing(): void {
    if (this.#ping !== undefined) return
    this.#ping = ++this.#lastId
    this.#link?.write(`{"id":${this.#ping},"ping":true}\n`)
  }

  #isSilent(seconds: number): void {
    const advice = 'if one answer takes that long, raise heartbeat'
    this.#lose(new HookFailure('worker', `its worker was silent for ${seconds} s and was ended; ${advice}`))
  }

  /** It has ended or was abandoned: pending requests fail with the reason. A worker in use is restarted. */
  #lose(why: HookFailure): void {
    const inUse = this.#requests.size > 0 || this.#owes
    const pause = PAUSES[this.#deaths]
    this.#letGo()
    if (!inUse) {
      this.#state = 'stopped'
      this.#notBefore = this.#place.clock.now() + (pause ?? 0)
      this.#notice(`${why.message}; it restarts with the next event`)
    } else if (pause === undefined) this.#quarantine(why)
    else {
      this.#deaths++
      this.#notice(`${why.message}; it restarts in ${pause / 1000} s`)
      this.#startAfter(pause)
    }
    this.#requests.failAll(why)
  }

  #quarantine({ message }: HookFailure): void {
    const times = `${this.#deaths + 1} times in a row without an answer`
    this.#state = 'quarantined'
    const advice = 'does not restart until restart() is called on the hook'
    this.#refusal = `its worker failed ${times} and ${advice}; the last time ${message}`
    this.#notice(this.#refusal)
  }

  #letGo(): void {
    this.#heartbeat.rest()
    this.#cancelStart?.()
    this.#cancelStart = undefined
    this.#link?.end()
    this.#link = undefined
    this.#ping = undefined
    this.#owes = false
  }

  restart(): void {
    this.#letGo()
    this.#requests.failSent(new HookFailure('worker', 'its worker was restarted before it answered'))
    this.#refusal = undefined
    this.#deaths = 0
    this.#notBefore = 0
    this.#state = 'stopped'
    this.#start()
  }

  close(): void {
    this.#letGo()
    this.#leavePlace?.()
    this.#leavePlace = undefined
    this.#refusal = 'its worker is closed; call restart() on the hook to use it again'
    this.#state = 'stopped'
    this.#requests.failAll(new HookFailure('worker', 'its worker was closed before it answered'))
  }

  #notice(words: string): void {
    this.#place.notice(`${this.#spec.name ?? labelOf(this.#spec)}: ${words}`)
  }

  #tell(words: string): void {
    if (this.#notices++ < MOST_NOTICES) this.#notice(words)
    else if (this.#notices === MOST_NOTICES + 1) this.#notice('further notices of this kind are not shown')
  }
}

/** Variables about one event make no sense for a process that stays. */
function programOf(spec: WorkerSpec, place: HookEnvironment, ctx: OutsideContext): Program {
  const program = programFor(spec, place, ctx)
  const { EVENT: _, CLAUDE_ENV_FILE: __, ...env } = program.env
  return { ...program, env: { ...env, ...spec.env } }
}
