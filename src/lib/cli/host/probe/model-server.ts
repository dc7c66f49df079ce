/** A scripted model on loopback that agents take for their provider: what it says is decided for each request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, type PlainObject } from '../../../util/plain.ts'
import { readRequest, WIRES, type HostRequest, type ScriptStep } from './model-wire.ts'

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a version. */
  readonly url: string
  /** What came so far, in any format. */
  readonly requests: readonly HostRequest[]
  close(): Promise<void>
}

/** What agents ask beside: lists of models, the number of tokens. */
const ASIDE = { object: 'list', data: [{ id: 'scripted' }], models: [], input_tokens: 1, totalTokens: 1 }

export async function startModelServer(answer: (request: HostRequest) => ScriptStep): Promise<ModelServer> {
  const requests: HostRequest[] = []

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (incoming.url ?? '').replace(/\?.*/, '')
    const request = readRequest(await bodyOf(incoming))
    const wire = WIRES.find(each => each.path.test(path))
    if (wire === undefined) return sendJson(response, ASIDE)
    requests.push(request)
    const id = `scripted_${requests.length}`
    const step = answer(request)
    if (request.body['stream'] === true || /:stream/i.test(path)) sendEvents(response, wire.stream(step, id))
    else sendJson(response, wire.whole(step, id))
  }
  const server = createServer((incoming, response) => {
    response.on('error', () => {})
    serve(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<PlainObject> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}')
  return isObject(body) ? body : {}
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Events with a type carry it as their name; chat completions end with a word of their own. */
function sendEvents(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const event of events) {
    if ('type' in event) response.write(`event: ${String(event.type)}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(events.some(event => 'choices' in event) ? 'data: [DONE]\n\n' : '')
}
