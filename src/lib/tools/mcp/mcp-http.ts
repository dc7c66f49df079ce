import type { FetchLike, JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { setTimeout as wait } from 'node:timers/promises'
import { errorMessage } from '../../errors.ts'
import { httpFetch } from '../../world/http/client.ts'
import { LONGEST_MESSAGE, type ServerLink } from './mcp-stdio.ts'

/** How long closing a session with the server may take, in milliseconds. */
const FAREWELL = 1000

/** A server at an address. Failed requests are not sent again. */
export async function httpLink(url: string, headers: Readonly<Record<string, string>>): Promise<ServerLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
    // A broken stream is resumed where it ended. That asks for the rest of it, and sends no call again.
    reconnectionOptions: {
      maxRetries: 2,
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 2
    }
  })
  const owed = new Owed()
  const send = transport.send.bind(transport)
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => owed.received(message),
    async send(message: JSONRPCMessage, options?: Parameters<typeof send>[1]) {
      owed.sent(message)
      await send(message, { ...options, onRequestStreamEnd: () => void (owed.has(message) && transport.close()) })
    }
  })
  return {
    transport,
    failure: () => undefined,
    async end() {
      await Promise.race([
        transport.terminateSession().catch(() => undefined),
        wait(FAREWELL, undefined, { ref: false })
      ])
      await transport.close()
    }
  }
}

/** Requests without a response. If its stream ends without one, it will never come, and the SDK does not report it. */
class Owed {
  readonly #ids = new Set<RequestId>()

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if ('id' in message) this.#ids.add(message.id)
    else if (message.method === 'notifications/cancelled') this.#ids.delete(message.params?.['requestId'] as RequestId)
  }

  received(message: JSONRPCMessage): void {
    if (!('method' in message) && message.id !== undefined) this.#ids.delete(message.id)
  }

  has(message: JSONRPCMessage): boolean {
    return 'method' in message && 'id' in message && this.#ids.has(message.id)
  }
}

/** Limits the size of one message, to protect our memory. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await httpFetch(url, { ...init, redirect: 'follow' }).catch((error: Error) => {
    // "fetch failed" alone says neither what nor why.
    if (!(error.cause instanceof Error)) throw error
    throw new Error(`${new URL(url).origin} cannot be reached: ${errorMessage(error.cause)}`, { cause: error })
  })
  if (response.body === null) return response
  const { status, statusText, headers } = response
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true
  return new Response(response.body.pipeThrough(bound(isStream)), { status, statusText, headers })
}

const NEWLINE = 10
const RETURN = 13

function bound(isStream: boolean): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0
  let lineIsEmpty = false
  const divide = (chunk: Uint8Array): void => {
    for (const [at, byte] of chunk.entries()) {
      if (byte === NEWLINE && lineIsEmpty) size = -at
      if (byte !== RETURN) lineIsEmpty = byte === NEWLINE
    }
  }
  return new TransformStream({
    transform(chunk, controller) {
      if (isStream) divide(chunk)
      size += chunk.length
      if (size > LONGEST_MESSAGE)
        controller.error(new Error(`the server sent a message of more than ${LONGEST_MESSAGE} bytes`))
      else controller.enqueue(chunk)
    }
  })
}
