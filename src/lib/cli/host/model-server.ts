/** A scripted model on loopback that agents take for their provider: what it says is decided for each request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { WIRES, type ModelRequest, type ModelStep } from './model-wire.ts'

export interface ModelServer {
  /** `http://127.0.0.1:PORT`, without a version. */
  readonly url: string
  /** What came so far, also requests that no format knows. */
  readonly requests: readonly (ModelRequest & { readonly path: string })[]
  close(): Promise<void>
}

/** What agents ask beside answers: lists of models, the number of tokens. */
const ASIDES: readonly (readonly [path: RegExp, answer: object])[] = [
  [/count_?tokens$/i, { input_tokens: 1, totalTokens: 1 }],
  [/\/models$/, { object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] }]
]

export async function startModelServer(answer: (request: ModelRequest) => ModelStep): Promise<ModelServer> {
  const requests: (ModelRequest & { readonly path: string })[] = []

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (incoming.url ?? '').replace(/\?.*/, '')
    const body = await bodyOf(incoming)
    const wire = WIRES.find(each => each.path.test(path))
    const request = { path, body, ...(wire?.read(body) ?? { tools: [], turns: 0, results: [] }) }
    requests.push(request)
    const aside = ASIDES.find(([pattern]) => pattern.test(path))?.[1] ?? {}
    if (wire === undefined) return sendJson(response, aside)
    const id = `scripted_${requests.length}`
    const step = answer(request)
    if (body['stream'] === true || /:stream/i.test(path)) sendEvents(response, wire.stream(step, id))
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
