import type { Later, Reply } from '../../reply.ts'
import { asyncReply, type OutsideContext, type OutsideSpec } from '../spec.ts'
import type { HookEnvironment } from '../hook-environment.ts'
import { readProcessReply } from '../process-reply.ts'
import type { WorkerAnswer } from './worker-frames.ts'
import { maskCredentials } from '../../../util/credentials.ts'
import { HookFailure } from '../../dispatch/hook-failure.ts'

type WorkerReply = Reply | Later | undefined

interface Request {
  readonly ctx: OutsideContext
  resolve: (given: WorkerReply) => void
  reject: (why: HookFailure) => void
  handedOver: boolean
  /** Empty once it was sent. A decision may have effects, so it is sent once. */
  frame: string
}

/** The events that wait for a worker. An answer belongs to the request with its number, and to no other. */
export class Requests {
  readonly #spec: OutsideSpec
  readonly #place: HookEnvironment
  readonly #onGone: (givenUp: boolean) => void
  readonly #open = new Map<number, Request>()

  constructor(spec: OutsideSpec, place: HookEnvironment, onGone: (givenUp: boolean) => void) {
    this.#spec = spec
    this.#place = place
    this.#onGone = onGone
  }

  get size(): number {
    return this.#open.size
  }

  add(id: number, ctx: OutsideContext): Promise<WorkerReply> {
    const frame = `{"id":${id},"input":${maskCredentials(ctx.wire)}}\n`
    const answer = new Promise<WorkerReply>((resolve, reject) => {
      this.#open.set(id, { ctx, resolve, reject, handedOver: false, frame })
    })
    ctx.signal.addEventListener('abort', () => this.#giveUp(id))
    return answer
  }

  send(id: number, write: (frame: string) => void): void {
    const request = this.#open.get(id)
    if (request === undefined) return
    const { frame } = request
    request.frame = ''
    write(frame)
  }

  sendAll(write: (frame: string) => void): void {
    for (const id of this.#open.keys()) this.send(id, write)
  }

  #giveUp(id: number): void {
    if (this.#open.delete(id)) this.#onGone(true)
  }

  take(id: number, answer: WorkerAnswer, line: string): boolean {
    const request = this.#open.get(id)
    if (request === undefined || (request.handedOver && answer.kind === 'async')) return false
    try {
      if (answer.kind === 'async') this.#handOver(id, request, answer.options)
      else {
        this.#open.delete(id)
        request.resolve(readReply(answer, request.ctx, this.#spec, line))
      }
    } catch (error) {
      this.#open.delete(id)
      request.reject(HookFailure.from(error))
    }
    this.#onGone(false)
    return true
  }

  #handOver(id: number, request: Request, options: Readonly<Record<string, unknown>>): void {
    const { resolve } = request
    const outcome = Promise.withResolvers<Reply | undefined>()
    // The event may no longer wait for it.
    outcome.promise.catch(() => undefined)
    resolve(
      asyncReply(options, { answer: outcome.promise, end: () => this.#giveUp(id) }, this.#spec, this.#place.clock)
    )
    request.handedOver = true
    request.resolve = outcome.resolve as Request['resolve']
    request.reject = outcome.reject
  }

  progress(text: string): void {
    for (const { ctx } of this.#open.values()) ctx.progress(text, 'stderr')
  }

  /** Fails those that were sent; the others may still be sent. */
  failSent(why: HookFailure): void {
    for (const [id, request] of this.#open) {
      if (request.frame !== '') continue
      this.#open.delete(id)
      request.reject(why)
    }
  }

  failAll(why: HookFailure): void {
    const requests = [...this.#open.values()]
    this.#open.clear()
    for (const request of requests) request.reject(why)
  }
}

function readReply(
  answer: Exclude<WorkerAnswer, { kind: 'async' }>,
  ctx: OutsideContext,
  { onFailure }: OutsideSpec,
  line: string
): Reply | undefined {
  if (answer.kind === 'raw') {
    const { code, stdout, stderr } = answer.raw
    ctx.ran({ stdout: String(stdout), stderr, exit_code: code! })
    return readProcessReply(answer.raw, ctx, onFailure)
  }
  ctx.ran({ stdout: line, stderr: '' })
  if (answer.kind === 'error') throw new HookFailure('threw', answer.words)
  if (answer.kind === 'wrong') throw new HookFailure('reply', answer.words)
  return answer.kind === 'reply' ? answer.reply : undefined
}
