import { errorMessage } from '../../errors.ts'
import { maskCredentials } from '../../util/credentials.ts'
import { Server, type Posting } from '../../world/http/client.ts'
import type { EventName } from '../events/event-table.ts'
import type { Reply } from '../reply.ts'
import { Capture, OUTPUT_CAP } from './capture.ts'
import { headersFor } from './headers.ts'
import { defaultEnvironment, type HookEnvironment } from './hook-environment.ts'
import { readProcessReply } from './process-reply.ts'
import { buildHook, type OutsideContext, type OutsideHook, type OutsideSpec } from './spec.ts'
import { allowedUrl, publicUrl } from './urls.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** A hook that is a server: it gets the event by POST and answers with one JSON object, or with nothing. */
export interface HttpSpec<E extends EventName = EventName> extends OutsideSpec<E> {
  /** `http:` or `https:`. Redirects are not followed. */
  url: string
  /** In their values `$NAME` and `${NAME}` are replaced by variables that `allowedEnvVars` names. */
  headers?: Readonly<Record<string, string>> | undefined
  allowedEnvVars?: readonly string[] | undefined
}

/** A hook that asks a server about each event. */
export function httpHook<const E extends EventName = EventName>(
  spec: HttpSpec<E>,
  place: HookEnvironment = defaultEnvironment()
): OutsideHook<E> {
  const url = allowedUrl(spec.url, place.options.allowedUrls)
  const headers = headersFor(spec, place)
  const server = new Server(url)
  place.onClose(() => server.close())
  return buildHook(spec, place, {
    label: publicUrl(url).slice(0, 60),
    identity: `http\0${url.href}`,
    run: async ctx => {
      const posting = { headers: headers(), body: maskCredentials(ctx.wire) }
      const { status, body } = await ask(url.host, server, posting, ctx)
      return readAnswer(url.host, status, body, ctx.event)
    },
    close: () => server.rest()
  })
}

async function ask(
  host: string,
  server: Server,
  posting: Posting,
  ctx: OutsideContext
): Promise<{ readonly status: number; readonly body: Capture }> {
  const body = new Capture()
  const report = (): void => ctx.ran({ stdout: body.text('stdout'), stderr: '' })
  const exchange = server.post(posting, chunk => body.stdout(chunk))
  let flooded = false
  body.onFlood = () => {
    flooded = true
    exchange.cut()
  }
  ctx.signal.addEventListener('abort', () => {
    exchange.cut()
    report()
  })
  try {
    const status = await exchange.status
    if (!flooded) return { status, body }
  } catch (error) {
    if (!flooded) throw new HookFailure('http', `no answer from ${host}: ${connectionError(error)}`)
  } finally {
    report()
  }
  throw new HookFailure('output', `output cap: ${host} sent more than ${OUTPUT_CAP} bytes and was cut off`)
}

/** A status alone never decides, and the page of a proxy is never text for the model. */
function readAnswer(host: string, status: number, body: Capture, event: EventName): Reply | undefined {
  if (status < 200 || status > 299) {
    const next = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    throw new HookFailure('http', `${host} answered with status ${status}, and only 2xx is an answer${next}`)
  }
  if (!/^\s*(?:\{|$)/.test(body.text('stdout')))
    throw new HookFailure('http', `${host} sent something else than one JSON object or nothing`)
  const occasion = { event, profile: 'strict' as const, letPass: () => undefined }
  return readProcessReply({ code: 0, stdout: body.bytes('stdout'), stderr: '' }, occasion)
}

const TROUBLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed too early',
  EPIPE: 'the connection was closed too early',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  EMFILE: 'this process has too many open files',
  EPROTO: 'no TLS could be agreed on'
}

const TROUBLES: readonly (readonly [string, string])[] = [
  ['HPE_', 'what it sent is not HTTP'],
  ['Z_', 'what it sent could not be decompressed'],
  ['ERR__ERROR_', 'what it sent could not be decompressed'],
  ['ERR_TLS', 'its certificate is for another host'],
  ['ERR_SSL', 'no TLS could be agreed on']
]

function connectionError(error: unknown): string {
  const { code = '', message } = error as Error & { code?: string }
  const words = TROUBLE[code] ?? TROUBLES.find(([begin]) => code.startsWith(begin))?.[1]
  // If several addresses all failed, only the code is reported.
  return words === undefined ? errorMessage(error) : `${words} (${message || code})`
}
