/** Servers on loopback with a scripted behaviour, and hooks that post to them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { httpHook, HookEnvironment, type HttpSpec, type HookEnvironmentOptions } from '../../../../src/external.ts'
import { HookRegistry, type EventName, type Profile, type Reported } from '../../../../src/hooks.ts'
import { harness } from '../../../../src/testing.ts'

export const ALLOW = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', permissionDecisionReason: 'fine' }
})
export const DENY = ALLOW.replace('allow', 'deny').replace('fine', 'not today')

/** A request as it came. */
export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Place {
  readonly url: string
  readonly port: number
  readonly server: Server
}

/** A server that keeps what it is asked. It is closed when the test is over. */
interface Asking extends Place {
  readonly server: HttpServer
  readonly asked: HttpRequest[]
  /** How many connections were ever made. */
  readonly connections: () => number
}

async function listen(server: Server, scheme: string, host = '127.0.0.1', wanted = 0): Promise<Place> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(wanted, host)
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { server, port, url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}` }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** The client has disconnected. */
const noBody = (): void => undefined

/** Answers each request with this text, or as this function does. */
export async function serve(
  answer: string | ((response: ServerResponse, asked: HttpRequest) => void),
  host?: string,
  port?: number
): Promise<Asking> {
  const asked: HttpRequest[] = []
  let connections = 0
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    void bodyOf(request).then(body => {
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body }
      asked.push(one)
      if (typeof answer === 'string') response.end(answer)
      else answer(response, one)
    }, noBody)
  })
  server.on('connection', () => void connections++)
  return { ...(await listen(server, 'http', host, port)), server, asked, connections: () => connections }
}

/** Calls a function with each connection, once data was received on it. */
export async function serveRaw(answer: (socket: Socket, sent: string) => void, scheme = 'http'): Promise<Place> {
  const server = createRawServer({ allowHalfOpen: true }, socket => {
    socket.on('error', () => undefined)
    socket.on('data', chunk => answer(socket, chunk.toString('latin1')))
  })
  return listen(server, scheme)
}

/** The bytes of a response. */
export const responseOf = (status: number, headers: Readonly<Record<string, string>>, body: string): string =>
  [`HTTP/1.1 ${status} Words`, ...Object.entries(headers).map(header => header.join(': ')), '', body].join('\r\n')

/** The same whole, and the last of its connection. */
export const lastResponse = (status: number, body: string): string =>
  responseOf(status, { 'content-length': String(Buffer.byteLength(body)), connection: 'close' }, body)

/** A place that is closed when the test is over. */
export function placeOf(options: HookEnvironmentOptions = {}): HookEnvironment {
  const place = new HookEnvironment(options)
  onTestFinished(() => place.close())
  return place
}

interface Firing extends Partial<HttpSpec> {
  readonly profile?: Profile
  readonly event?: EventName
  readonly place?: HookEnvironment
}

/** What comes of an event that one hook, named `hook`, is asked about at this URL. */
export function fireAt(url: string, { profile, event = 'PreToolUse', place, ...spec }: Firing = {}): Promise<Reported> {
  const hooks = new HookRegistry({ profile, precedence: 'ask-over-allow' })
  hooks.register(httpHook({ name: 'hook', events: event, url, ...spec }, place ?? placeOf()))
  return harness(hooks).fire(event)
}
