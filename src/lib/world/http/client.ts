import type * as http from 'node:http'
import { finished, pipeline, type Duplex, type Readable } from 'node:stream'
import { VERSION } from '../../version.ts'

/*
 * The only HTTP client. Hooks post to a `Server`, which never loses a request to a stale connection; models, MCP
 * servers and WebFetch use `httpFetch`. Node's `http` module loads faster than its `fetch` and costs less per request.
 */

// Loaded on first use: they take longer to load than the rest of a command line that needs no servers.
const clientFor = (protocol: string): Pick<typeof http, 'request' | 'Agent'> =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')

export const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** Idle time for model providers, in milliseconds: unlike others, they announce when they close a connection. */
const MODEL_IDLE = 60_000

const agents = new Map<string, http.Agent>()

/** Connections are reused, and do not keep the process alive. A proxy is used with `NODE_USE_ENV_PROXY`. */
function sharedAgent(protocol: string, timeout: number): http.Agent {
  const proxy = process.env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: process.env } : {}
  const key = `${protocol} ${timeout}`
  const agent = agents.get(key) ?? new (clientFor(protocol).Agent)({ keepAlive: true, timeout, ...proxy })
  agents.set(key, agent)
  return agent
}

const MOST_REDIRECTS = 20

/** Headers that another origin gets after a redirect. Any other one may be a credential, such as X-API-Key. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'user-agent'
])

/** `fetch`, except that redirects are followed only with `redirect: 'follow'`. Request bodies are strings. */
export async function httpFetch(input: string | URL | Request, init: RequestInit = {}, idle = IDLE): Promise<Response> {
  let url = new URL(input instanceof URL || typeof input === 'string' ? input : input.url)
  const headers = new Headers(init.headers)
  if (!headers.has('user-agent')) headers.set('user-agent', `carabiner/${VERSION}`)
  const sending = { ...init, headers }
  for (let left = MOST_REDIRECTS; ; left--) {
    const response = await fetchOnce(url, sending, idle)
    const next = init.redirect === 'follow' ? redirectOf(response, url) : undefined
    if (next === undefined) return response
    await response.body?.cancel()
    if (left === 0) throw new TypeError(`redirected more than ${MOST_REDIRECTS} times`)
    const withheld = [...headers.keys()].filter(name => next.origin !== url.origin && !PUBLIC.has(name))
    for (const name of withheld) headers.delete(name)
    if (response.status === 303 || (response.status < 303 && init.method === 'POST'))
      Object.assign(sending, { method: 'GET', body: undefined })
    url = next
  }
}

export const modelFetch: typeof fetch = (input, init) => httpFetch(input, init, MODEL_IDLE)

export function redirectOf({ status, headers }: Response, from: URL): URL | undefined {
  const location = [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null
  return location === null || !URL.canParse(location, from.href) ? undefined : new URL(location, from)
}

async function fetchOnce(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit,
  idle: number
): Promise<Response> {
  signal?.throwIfAborted()
  const { request } = clientFor(url.protocol)
  const plainHeaders = Object.fromEntries(new Headers(headers))
  const sending = request(url, { method, headers: plainHeaders, agent: sharedAgent(url.protocol, idle) })
  const onAbort = (): void => void (signal && sending.destroy(abortError(signal)))
  signal?.addEventListener('abort', onAbort, { once: true })
  sending.once('close', () => signal?.removeEventListener('abort', onAbort))
  sending.end(typeof body === 'string' ? body : undefined)
  const response = await answerTo(sending, signal ?? undefined)
  const { statusCode: status = 500 } = response
  if (status < 200 || status > 599 || !hasBody(response)) response.resume()
  // `Response` rejects other status codes; some sites answer robots with 999.
  if (status < 200 || status > 599) throw new TypeError(`the server answered with status ${status}`)
  return new Response(hasBody(response) ? streamOf(unpacked(response), signal ?? undefined) : null, {
    status,
    statusText: response.statusMessage ?? '',
    headers: Object.entries(response.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value])
    )
  })
}

/** As in `fetch`, the original error is the `cause`. */
function answerTo(sending: http.ClientRequest, signal: AbortSignal | undefined): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once('response', resolve)
    sending.on('error', error =>
      reject(signal?.aborted === true ? abortError(signal) : new TypeError('fetch failed', { cause: error }))
    )
  })
}

const abortError = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new DOMException('This operation was aborted', 'AbortError')

const hasBody = ({ statusCode = 0 }: http.IncomingMessage): boolean => ![204, 205, 304].includes(statusCode)

/** Streams the body. A response that breaks off is an error, not an end. */
function streamOf(body: Readable, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  let over = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error): void => {
        if (over) return
        over = true
        controller.error(signal?.aborted === true ? abortError(signal) : new TypeError('terminated', { cause: error }))
      }
      body.on('data', (piece: Buffer) => {
        // What had arrived before the connection was closed still comes.
        if (over) return
        controller.enqueue(piece)
        if ((controller.desiredSize ?? 1) <= 0) body.pause()
      })
      body.once('end', () => {
        if (over) return
        over = true
        controller.close()
      })
      body.on('error', fail)
      body.once('close', () => fail(new Error('the connection was closed')))
    },
    pull: () => void body.resume(),
    cancel() {
      over = true
      body.destroy()
    }
  })
}

export interface Posting {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Exchange {
  cut(): void
  readonly status: Promise<number>
}

/** How long a connection is kept for the next request, in milliseconds: less than most servers keep theirs. */
const IDLE = 4000

/** In milliseconds. A server that closes a connection sooner than this after a response does not keep connections. */
const HASTE = 1000

const FRESH = 2

/** The connections to one server. Idle ones do not keep the process alive. */
export class Server {
  readonly #url: URL
  readonly #request: typeof http.request
  readonly #agent: http.Agent
  readonly #open = new Set<Exchange>()
  readonly #idleSince = new WeakMap<Duplex, number>()
  readonly #proven = new WeakSet<Duplex>()
  #keeps = true

  constructor(url: URL) {
    const { request, Agent } = clientFor(url.protocol)
    this.#url = url
    this.#request = request
    this.#agent = new Agent({ keepAlive: true, timeout: IDLE })
    this.#agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, performance.now()))
  }

  post(posting: Posting, onData: (chunk: Buffer) => void): Exchange {
    let request: http.ClientRequest | undefined
    let isCut = false
    const send = (): Promise<number> => {
      if (isCut) throw cutOff()
      request = this.#begin(posting.headers)
      const status = statusOf(request, onData)
      request.end(posting.body)
      return status
    }
    const exchange: Exchange = {
      cut() {
        isCut = true
        request?.destroy()
      },
      status: this.#freshen()
        .then(send)
        .catch(error => {
          throw isCut ? cutOff() : error
        })
        .finally(() => this.#open.delete(exchange))
    }
    this.#open.add(exchange)
    return exchange
  }

  #begin(headers: Posting['headers']): http.ClientRequest {
    const request = this.#request(this.#url, { method: 'POST', agent: this.#keeps && this.#agent, headers })
    return request.once('socket', socket => {
      this.#idleSince.delete(socket)
      if (request.reusedSocket) this.#proven.add(socket)
      else socket.once('close', () => this.#hasClosed(socket))
    })
  }

  /** A server that closes without notice may do so while the next request is in flight. */
  #hasClosed(socket: Duplex): void {
    const since = this.#idleSince.get(socket)
    if (since !== undefined && performance.now() - since < HASTE) this.#keeps = false
  }

  /**
   * The server may have closed a kept connection; a request written to it would be lost, and could not be sent again
   * since nothing shows whether it arrived. So close events that have arrived are processed first: between two turns of
   * the event loop there is always a poll.
   */
  async #freshen(): Promise<void> {
    if (this.#idle().every(socket => this.#isFresh(socket))) return
    await turn()
    await turn()
    while (this.#dropClosed()) await turn()
  }

  #isFresh(socket: Duplex): boolean {
    return this.#proven.has(socket) && performance.now() - (this.#idleSince.get(socket) ?? 0) < FRESH
  }

  #dropClosed(): boolean {
    const closed = this.#idle().filter(({ writable }) => !writable)
    for (const socket of closed) socket.destroy()
    return closed.length > 0
  }

  #idle(): readonly Duplex[] {
    return Object.values(this.#agent.freeSockets).flatMap(sockets => sockets ?? [])
  }

  rest(): void {
    for (const socket of this.#idle()) {
      this.#idleSince.delete(socket)
      socket.destroy()
    }
  }

  close(): void {
    for (const exchange of this.#open) exchange.cut()
    this.rest()
  }
}

const cutOff = (): Error => new Error('the exchange was cut off')

const turn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))

function statusOf(request: http.ClientRequest, onData: (chunk: Buffer) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const end = (response: http.IncomingMessage, error: Error | null | undefined): void => {
      if (error) reject(error)
      else resolve(response.statusCode ?? 0)
      // It responded before reading the whole request: the rest is not sent.
      if (error || !request.writableFinished) request.destroy()
    }
    request.on('error', reject)
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('it wants to use another protocol (status 101)'))
    })
    request.once('response', response => {
      try {
        finished(unpacked(response).on('data', onData), error => end(response, error))
      } catch (error) {
        end(response, error as Error)
      }
    })
  })
}

const DECODERS = new Map<string, () => Duplex>([
  ['gzip', () => process.getBuiltinModule('node:zlib').createGunzip()],
  ['x-gzip', () => process.getBuiltinModule('node:zlib').createGunzip()],
  ['deflate', () => process.getBuiltinModule('node:zlib').createInflate()],
  ['br', () => process.getBuiltinModule('node:zlib').createBrotliDecompress()]
])

function unpacked(response: http.IncomingMessage): Readable {
  response.on('error', () => undefined)
  const encoding = encodingOf(response)
  const decoder = DECODERS.get(encoding)?.()
  if (decoder === undefined && encoding !== 'identity') {
    response.destroy()
    throw new Error(`the content-encoding ${encoding} is not supported`)
  }
  // A pipeline finishes once the decoder has taken all input; only then does the decoder find that some is missing.
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined)
}

/** Without a body nothing is encoded, whatever the header says. */
function encodingOf({ headers, statusCode }: http.IncomingMessage): string {
  const isEmpty = statusCode === 204 || headers['content-length'] === '0'
  return (!isEmpty && headers['content-encoding']?.trim().toLowerCase()) || 'identity'
}
