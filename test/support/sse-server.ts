/** What the servers of providers share: a real HTTP server on loopback with scripted answers. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a stream goes wrong on its way. Without any of these it arrives. */
interface Trouble {
  /** Only this many bytes of the stream are sent. */
  readonly cutAt?: number | undefined
  /** How it is cut: the connection breaks (by default), or the body just ends as if it were complete. */
  readonly cutBy?: 'reset' | 'end' | undefined
  /** This many bytes are sent, and then nothing, until the client leaves. */
  readonly stallAt?: number | undefined
  /** After the stream, or after `stallAt` bytes of it, pings follow until the client leaves. */
  readonly pings?: boolean | undefined
  /** Called after each ping. */
  readonly onPing?: (() => void) | undefined
  /** After this many events of the stream comes an error, with status 200. */
  readonly errorAfter?: { readonly events: number; readonly type: string; readonly message: string } | undefined
  /** The answer begins when this is settled. */
  readonly wait?: Promise<unknown> | undefined
}

/** An answer with a status other than 2xx. */
interface Refusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The provider's name for it; by default the one of the status. */
  readonly type?: string | undefined
  readonly message?: string | undefined
  /** Instead of the provider's JSON. */
  readonly body?: string | undefined
}

/** A request as it came. */
interface Received<Body> {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  /** Settles when the client has left, before or after the end of the answer. */
  readonly left: Promise<void>
}

/** A server that was started. */
export interface ProviderServer<Reply, Body> {
  /** Where it is, with the version: what goes into `baseURL`. */
  readonly url: string
  /** What it got so far. */
  readonly requests: readonly Received<Body>[]
  /** Adds answers, one for each request to come. */
  reply(...replies: readonly Scripted<Reply, Body>[]): void
  /** The request of this number, from 0, as soon as it is there. */
  request(number: number): Promise<Received<Body>>
  /** Ends it and all its connections. */
  close(): Promise<void>
}

/** An answer, or a function that makes one of the request. */
export type Scripted<Reply, Body> = Reply | ((request: Received<Body>) => Reply)

/** A provider's manner of speaking. */
export interface Manner<Reply> {
  /** The events of an answer, each as the text that goes over the wire. */
  events(reply: Reply): readonly string[]
  /** An error among events. */
  error(type: string, message: string): string
  /** The body of a refusal. */
  refusal(refusal: Refusal): string
  readonly ping: string
}

export type Answering = Trouble & { readonly fail?: Refusal | undefined; readonly raw?: string | undefined }

/** How often pings come, in milliseconds. */
const PINGING = 5

export async function startServer<Reply extends Answering, Body>(
  manner: Manner<Reply>,
  first: readonly Scripted<Reply, Body>[]
): Promise<ProviderServer<Reply, Body>> {
  const replies = [...first]
  const requests: Received<Body>[] = []
  const waiting: (() => void)[] = []

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await received<Body>(incoming, response)
    requests.push(request)
    for (const look of waiting) look()
    const next = replies.shift()
    await answer(response, manner, typeof next === 'function' ? next(request) : next)
  }
  const server = createServer((incoming, response) => {
    response.on('error', () => {})
    void serve(incoming, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    reply: (...more) => void replies.push(...more),
    request: number =>
      new Promise(resolve => {
        const look = (): void => {
          if (requests[number] !== undefined) resolve(requests[number])
        }
        waiting.push(look)
        look()
      }),
    close: () => closed(server)
  }
}

async function received<Body>(incoming: IncomingMessage, response: ServerResponse): Promise<Received<Body>> {
  const left = new Promise<void>(resolve => response.on('close', resolve))
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString() || 'null') as Body
  return { path: incoming.url ?? '', headers: incoming.headers, body, left }
}

async function answer<Reply extends Answering>(
  response: ServerResponse,
  manner: Manner<Reply>,
  reply: Reply | undefined
): Promise<void> {
  await reply?.wait
  if (reply === undefined || reply.fail !== undefined) {
    const fail = reply?.fail ?? { status: 500, message: 'nothing more was scripted' }
    response.writeHead(fail.status, { 'content-type': 'application/json', ...fail.headers })
    response.end(fail.body ?? manner.refusal(fail))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  send(response, manner, reply, bytesOf(manner, reply))
}

/** All that the stream would say, were it not for trouble. */
export function bytesOf<Reply extends Answering>(manner: Manner<Reply>, reply: Reply): Buffer {
  if (reply.raw !== undefined) return Buffer.from(reply.raw)
  const events = manner.events(reply)
  const error = reply.errorAfter
  if (error === undefined) return Buffer.from(events.join(''))
  return Buffer.from(events.slice(0, error.events).join('') + manner.error(error.type, error.message))
}

function send<Reply extends Answering>(
  response: ServerResponse,
  manner: Manner<Reply>,
  reply: Reply,
  bytes: Buffer
): void {
  const part = bytes.subarray(0, reply.cutAt ?? reply.stallAt ?? bytes.length)
  if (reply.cutAt !== undefined) {
    const broken = (): unknown => (reply.cutBy === 'end' ? response.end() : response.socket?.destroy())
    if (part.length === 0) response.flushHeaders()
    // What was written is on its way before the connection breaks.
    response.write(part.length === 0 ? ':\n' : part, () => setImmediate(broken))
  } else if (reply.pings === true) {
    response.write(part)
    const timer = setInterval(() => response.write(manner.ping, () => reply.onPing?.()), PINGING)
    response.on('close', () => clearInterval(timer))
  } else if (reply.stallAt !== undefined) response.write(part)
  else {
    // Each event on its own, as providers send them.
    for (const event of part.toString().split(/(?<=\n\n)/)) response.write(event)
    response.end()
  }
}

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** A text in at most this many pieces. */
export function inPieces(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
}
