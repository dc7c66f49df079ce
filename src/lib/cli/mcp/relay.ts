import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { setTimeout as wait } from 'node:timers/promises'
import { keepRecent } from '../../util/bounded.ts'
import { lettersIn } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { misspelledKey } from './misspelled.ts'
import { isOfTasks, NO_TASKS, withoutTasks } from './tasks.ts'

/** How long hooks may take to learn of the end, in milliseconds. */
const CLOSE_GRACE = 2000
/** Most servers never answer these: of more, the oldest are forgotten. */
const MOST_CANCELLED = 10_000

type Side = 'client' | 'server'
type Take = (response: PlainObject | Error) => void

export interface RelayPorts extends Readonly<Record<Side, Transport>> {
  /** The server sent a notification. */
  onNotification(method: string): void
  notice(text: string): void
}

/**
 * Passes JSON-RPC messages between a client and a server, both ways, with the ids that they have. Requests with a handler
 * reach the server only through it. Each side gets a message as it was parsed here, so that all read it alike.
 */
export class Relay {
  /** By method: gives the response to a request of the client. */
  readonly handlers = new Map<string, (request: PlainObject, signal: AbortSignal) => Promise<PlainObject>>()
  readonly #ports: RelayPorts
  readonly #waiting = { client: new Map<unknown, Take>(), server: new Map<unknown, Take>() }
  readonly #open = new Map<unknown, AbortController>()
  /** Requests of the client that it cancelled, and that the server may still answer. */
  readonly #cancelled = new Map<unknown, true>()
  readonly #answering = new Set<Promise<void>>()

  constructor(ports: RelayPorts) {
    this.#ports = ports
  }

  /** Passes messages on until one side is gone. Returns that side. */
  async passUntilEnd(): Promise<Side> {
    const { promise, resolve } = Promise.withResolvers<Side>()
    for (const side of ['server', 'client'] as const) {
      const { [side]: transport, notice } = this.#ports
      const { onmessage } = transport
      Object.assign(transport, {
        onmessage: (message: JSONRPCMessage) => {
          onmessage?.(message)
          this.#take(side, message)
        },
        onclose: () => resolve(side),
        onerror: (error: Error) => notice(`the ${side}: ${error.message}`)
      })
      await transport.start()
    }
    return promise
  }

  #take(from: Side, message: unknown): void {
    const kind = kindOf(message)
    if (!isObject(message) || kind === undefined)
      return this.#ports.notice(`the ${from} sent an invalid message, which was not passed on`)
    const { id, method, params } = message
    if (kind !== 'response' && isOfTasks(message)) {
      this.#ports.notice(`${String(method)} of the ${from} was not passed on: ${NO_TASKS}`)
      if (kind === 'request') this.pass(from, failedResponse(id, `${NO_TASKS}; call the tool without a task`))
      return
    }
    const waiting = kind === 'response' ? this.#waiting[from].get(id) : undefined
    if (waiting !== undefined) return waiting(message)
    if (from === 'server') {
      if (kind === 'notification') this.#ports.onNotification(String(method))
      if (kind !== 'response') return this.pass('client', message)
      // There is no such request any more.
      return void this.#cancelled.delete(id)
    }
    if (kind === 'request') return this.#begin(message)
    if (kind === 'notification' && this.#resembles(method))
      return this.#ports.notice(`a ${String(method)} without an id was not passed on`)
    this.pass('server', message)
    if (method === 'notifications/cancelled' && isObject(params)) this.#cancel(params['requestId'])
  }

  pass(to: Side, message: PlainObject): void {
    this.#write(to, message).catch((error: Error) => this.#ports.notice(error.message))
  }

  /** Sends a request, and waits for its response. Rejects if there is none. */
  async request(to: Side, request: PlainObject, signal: AbortSignal): Promise<PlainObject> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) =>
      this.#send(to, request, signal, taken => (taken instanceof Error ? reject(taken) : resolve(taken)))
    )
  }

  /** One side is gone. What the client waits for fails. */
  async close(lost: Side, why: Error): Promise<void> {
    if (lost === 'client') for (const id of this.#open.keys()) this.#cancel(id)
    for (const take of [...this.#waiting.server.values(), ...this.#waiting.client.values()]) take(why)
    await Promise.race([Promise.all(this.#answering), wait(CLOSE_GRACE, undefined, { ref: false })])
  }

  /** A cancelled request gets no response. One that comes nevertheless must not be taken for that of another request. */
  #cancel(id: unknown): void {
    if (this.#waiting.server.has(id)) keepRecent(this.#cancelled, id, true, MOST_CANCELLED)
    this.#open.get(id)?.abort(new Error('it was cancelled'))
    this.#open.delete(id)
  }

  #begin(request: PlainObject): void {
    const { id, method } = request
    if (this.#open.has(id) || this.#cancelled.has(id))
      return this.pass('client', failedResponse(id, `an earlier request with the id ${String(id)} has no response yet`))
    const controller = new AbortController()
    this.#open.set(id, controller)
    const close: Take = taken => {
      if (this.#open.get(id) !== controller) return
      this.#open.delete(id)
      const fail = (why: string): void => this.pass('client', failedResponse(id, why))
      if (taken instanceof Error) fail(taken.message)
      else
        this.#write('client', { ...taken, id }).catch((error: Error) =>
          fail(`the response cannot be passed on: ${error.message}`)
        )
    }
    const handler = this.handlers.get(String(method))
    if (handler === undefined && this.#resembles(method))
      return close(new Error(`there is no method ${String(method)}`))
    if (handler === undefined) return this.#send('server', request, controller.signal, close)
    const answering = handler(request, controller.signal)
      .then(close, close)
      .finally(() => this.#answering.delete(answering))
    this.#answering.add(answering)
  }

  /** Whether a server might take it for a method with a handler. */
  #resembles(method: unknown): boolean {
    const letters = lettersIn(String(method))
    return [...this.handlers.keys()].some(each => lettersIn(each) === letters)
  }

  #send(to: Side, request: PlainObject, signal: AbortSignal, take: Take): void {
    const { id } = request
    const waiting = this.#waiting[to]
    const cancel = (): void => end(signal.reason as Error)
    const end: Take = taken => {
      if (waiting.get(id) !== end) return
      waiting.delete(id)
      signal.removeEventListener('abort', cancel)
      take(taken)
    }
    waiting.set(id, end)
    signal.addEventListener('abort', cancel)
    this.#write(to, request, signal).catch(end)
  }

  async #write(to: Side, message: PlainObject, requestSignal?: AbortSignal): Promise<void> {
    await this.#ports[to].send(withoutTasks(message) as unknown as JSONRPCMessage, requestSignal && { requestSignal })
  }
}

/** A response that says why there is no result. */
const failedResponse = (id: unknown, message: string): PlainObject => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32000, message }
})

const KEYS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']

/** Undefined for what the other side might read differently. */
function kindOf(message: unknown): 'request' | 'notification' | 'response' | undefined {
  if (!isObject(message) || misspelledKey(message, KEYS) !== undefined) return undefined
  const { id, method } = message
  const isResponse = 'result' in message || 'error' in message
  if (method === undefined) return isResponse ? 'response' : undefined
  if (isResponse || typeof method !== 'string') return undefined
  return id === undefined ? 'notification' : typeof id === 'string' || typeof id === 'number' ? 'request' : undefined
}
