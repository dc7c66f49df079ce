import type * as http from 'node:http'
import { finished, pipeline, type Duplex } from 'node:stream'

/** What a server is sent. */
export interface Posting {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request that is under way, or was. */
interface Exchange {
  /** Cuts it off at once. */
  cut(): void
  /** The status of the response, once all of it has come. Rejects when it does not. */
  readonly status: Promise<number>
}

/** How long a connection is kept for the next request, in milliseconds: less than most servers keep theirs. */
const IDLE = 4000

/** A server that closes one sooner than this after its answer, in milliseconds, does not mean to keep any. */
const HASTE = 1000

/** In so many milliseconds hardly anything can have arrived that nobody has seen yet. */
const FRESH = 2

/** The connections to one server. Those that are kept between requests do not keep the process from ending. */
export class Server {
  readonly #url: URL
  readonly #request: typeof http.request
  readonly #agent: http.Agent
  readonly #open = new Set<Exchange>()
  readonly #idleSince = new WeakMap<Duplex, number>()
  /** Connections that a server did keep. */
  readonly #proven = new WeakSet<Duplex>()
  #keeps = true

  constructor(url: URL) {
    // Loading these takes longer than all else that a command line without servers does.
    const { request, Agent } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
    this.#url = url
    this.#request = request
    this.#agent = new Agent({ keepAlive: true, timeout: IDLE })
    this.#agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, performance.now()))
  }

  /** Sends this once, follows nothing, and hands on what comes back, decompressed. */
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

  /** A server that closes without having said so may do it just when the next request is on its way. */
  #hasClosed(socket: Duplex): void {
    const since = this.#idleSince.get(socket)
    if (since !== undefined && performance.now() - since < HASTE) this.#keeps = false
  }

  /**
   * A server may have closed a connection that was kept, and a request that is written to it is lost; nobody could
   * tell whether it was seen, so it must not be sent again. What has already arrived is looked at first: between two
   * turns of the event loop there is always a poll.
   */
  async #freshen(): Promise<void> {
    if (this.#idle().every(socket => this.#isFresh(socket))) return
    await turn()
    await turn()
    while (this.#dropClosed()) await turn()
  }

  #isFresh(socket: Duplex): boolean {
    return this.#proven.has(socket) && performance.now() - this.#idleSince.get(socket)! < FRESH
  }

  #dropClosed(): boolean {
    const closed = this.#idle().filter(({ writable }) => !writable)
    for (const socket of closed) socket.destroy()
    return closed.length > 0
  }

  #idle(): readonly Duplex[] {
    return Object.values(this.#agent.freeSockets).flatMap(sockets => sockets ?? [])
  }

  /** Closes the connections that are kept. */
  rest(): void {
    for (const socket of this.#idle()) {
      this.#idleSince.delete(socket)
      socket.destroy()
    }
  }

  /** Closes all connections, and cuts off what is under way. */
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
      else resolve(response.statusCode!)
      // It answered before it had read everything; the rest is of no use to it.
      if (error || !request.writableFinished) request.destroy()
    }
    request.on('error', reject)
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('it wants to speak another protocol (status 101)'))
    })
    request.once('response', response => read(response, onData, error => end(response, error)))
  })
}

const DECODERS: Readonly<Record<string, (() => Duplex) | undefined>> = {
  gzip: () => process.getBuiltinModule('node:zlib').createGunzip(),
  'x-gzip': () => process.getBuiltinModule('node:zlib').createGunzip(),
  deflate: () => process.getBuiltinModule('node:zlib').createInflate(),
  br: () => process.getBuiltinModule('node:zlib').createBrotliDecompress()
}

function read(
  response: http.IncomingMessage,
  onData: (chunk: Buffer) => void,
  done: (error?: Error | null) => void
): void {
  response.on('error', () => undefined)
  const encoding = encodingOf(response)
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]!() : undefined
  if (decoder === undefined && encoding !== 'identity')
    return done(new Error(`nobody here can read the content-encoding ${encoding}`))
  // A pipeline is done once the decoder has taken all; only then does it find that something is missing.
  const body = decoder === undefined ? response : pipeline(response, decoder, () => undefined)
  body.on('data', onData)
  finished(body, done)
}

/** Where there is no body nothing was encoded, whatever it says. */
function encodingOf({ headers, statusCode }: http.IncomingMessage): string {
  const isEmpty = statusCode === 204 || headers['content-length'] === '0'
  return (!isEmpty && headers['content-encoding']?.trim().toLowerCase()) || 'identity'
}
