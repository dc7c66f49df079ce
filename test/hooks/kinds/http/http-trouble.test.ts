import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { unhandledDuring } from '../../../support/hook-kit.ts'
import { whoSigns } from './http-drivers.ts'
import { ALLOW, fireAt, lastResponse, responseOf, serve, serveRaw } from './http-support.ts'

// Hundreds of exchanges take their time on a busy machine.
const LENGTH = { 'content-length': String(ALLOW.length) }
const CHUNK = `${ALLOW.length.toString(16)}\r\n${ALLOW}\r\n`

/** A server that sends this, whole, and then closes the connection. */
const sending = (bytes: string | Buffer) => async () => (await serveRaw(socket => socket.end(bytes))).url

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function tlsServer(options: object): Promise<number> {
  const server = createTlsServer(options, (_, response) => response.end(ALLOW)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

type Trouble = readonly [what: string, words: RegExp, url: () => Promise<string>]

/** Each sends an allow where it can: nothing of it may count. */
const TROUBLES: readonly Trouble[] = [
  ['nobody listens', /connection was refused/, async () => `http://127.0.0.1:${await freePort()}`],
  [
    'nobody listens at any address of the host',
    /connection was refused .*ECONNREFUSED/,
    async () => `http://localhost:${await freePort()}`
  ],
  ['there is no such host', /no such host|looked up/, async () => 'http://nowhere.invalid'],
  ['closed without a word', /was closed/, async () => (await serveRaw(socket => socket.end())).url],
  ['reset without a word', /was closed/, async () => (await serveRaw(socket => socket.resetAndDestroy())).url],
  ['cut within the headers', /was closed|not HTTP/, sending('HTTP/1.1 200 OK\r\ncontent-len')],
  ['less than the length', /was closed/, sending(responseOf(200, { 'content-length': '9999' }, ALLOW))],
  ['chunks without their end', /was closed/, sending(responseOf(200, { 'transfer-encoding': 'chunked' }, CHUNK))],
  ['chunks of broken size', /not HTTP/, sending(responseOf(200, { 'transfer-encoding': 'chunked' }, `zz\r\n${ALLOW}`))],
  ['something else than HTTP', /not HTTP/, sending(`SSH-2.0-OpenSSH_9.6\r\n${ALLOW}\r\n`)],
  ['the answer alone', /not HTTP/, sending(ALLOW)],
  [
    'a length, and chunks as well',
    /not HTTP/,
    sending(responseOf(200, { ...LENGTH, 'transfer-encoding': 'chunked' }, `${CHUNK}0\r\n\r\n`))
  ],
  ['two lengths', /not HTTP/, sending(responseOf(200, { ...LENGTH, 'Content-Length': '5' }, ALLOW))],
  ['a megabyte of headers', /not HTTP/, sending(responseOf(200, { ...LENGTH, 'x-a': 'a'.repeat(1_000_000) }, ALLOW))],
  ['another protocol', /another protocol/, sending(responseOf(101, { upgrade: 'x', connection: 'upgrade' }, ALLOW))],
  [
    'an encoding that nobody knows',
    /content-encoding/,
    sending(responseOf(200, { ...LENGTH, 'content-encoding': 'rot13', connection: 'close' }, ALLOW))
  ],
  [
    'an encoding that nobody knows, and no end',
    /content-encoding/,
    async () => {
      const { url } = await serve(response => response.writeHead(200, { 'content-encoding': 'rot13' }).write(ALLOW))
      return url
    }
  ],
  [
    'something that it falsely calls compressed',
    /decompressed/,
    sending(responseOf(200, { ...LENGTH, 'content-encoding': 'gzip', connection: 'close' }, ALLOW))
  ],
  [
    'the beginning of something compressed',
    /decompressed/,
    async () => {
      const whole = gzipSync(ALLOW)
      const { url } = await serve(response => {
        response.setHeader('content-encoding', 'gzip')
        response.end(whole.subarray(0, -4))
      })
      return url
    }
  ],
  ['no TLS', /TLS/, async () => (await serve(ALLOW)).url.replace('http', 'https')],
  ['TLS, and it was not asked for it', /was closed|not HTTP/, async () => `http://127.0.0.1:${await tlsServer({})}`],
  ['TLS without a certificate', /TLS/, async () => `https://127.0.0.1:${await tlsServer({})}`],
  [
    'closed while TLS is being agreed on',
    /was closed/,
    async () => (await serveRaw(socket => socket.destroy(), 'https')).url
  ]
]

// FM20
describe('trouble with the connection closes a gate, and in the compat profile passes and is marked', () => {
  const check = async (url: string, words: RegExp): Promise<void> => {
    const { host } = new URL(url)
    const unhandled = await unhandledDuring(async () => {
      const strict = await fireAt(url)
      expect(strict).toMatchObject({ decision: 'deny', blocked: true, failedOpen: false })
      expect(strict.reason).toContain('gate_failed:http')
      expect(strict.failures).toMatchObject([{ by: 'hook', kind: 'http', failedOpen: false }])
      expect(strict.failures[0]!.message).toContain(host)
      expect(strict.failures[0]!.message).toMatch(words)
      const compat = await fireAt(url, { profile: 'compat' })
      expect(compat).toMatchObject({ decision: undefined, blocked: false, failedOpen: true })
      expect(compat.failures).toMatchObject([{ by: 'hook', kind: 'http', failedOpen: true }])
    })
    expect(unhandled).toEqual([])
  }

  test('there are more than twelve kinds', () => {
    expect(TROUBLES.length).toBeGreaterThanOrEqual(12)
  })

  test.each(TROUBLES)('%s', async (_, words, url) => check(await url(), words))

  test.skipIf(whoSigns === undefined)('a certificate that no one has signed (skipped without openssl)', async () => {
    await check(`https://localhost:${await tlsServer(whoSigns!())}`, /self-signed certificate/)
  })

  test('with onFailure it is the other way round', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    expect(await fireAt(url, { onFailure: 'continue' })).toMatchObject({ blocked: false, failedOpen: true })
    expect(await fireAt(url, { onFailure: 'block', profile: 'compat' })).toMatchObject({ blocked: true })
  })

  test('elsewhere than on a gate it is only noted', async () => {
    const outcome = await fireAt(`http://127.0.0.1:${await freePort()}`, { event: 'PostToolUse' })
    expect(outcome).toMatchObject({ blocked: false, failures: [{ kind: 'http' }] })
  })

  test('what failed is not tried again', async () => {
    let asked = 0
    const { url } = await serveRaw(socket => {
      asked++
      socket.resetAndDestroy()
    })
    await fireAt(url)
    expect(asked).toBe(1)
  })
})

// FM21
describe('a status alone never decides', () => {
  const CODES = Array.from({ length: 500 }, (_, at) => 100 + at)
  const isFine = (code: number): boolean => code >= 200 && code < 300

  /** Sends any status, the path of the URL says which. */
  const anyStatus = (body: string) =>
    serveRaw((socket, sent) => {
      const code = Number(/^POST \/(\d+)/.exec(sent)![1])
      socket.end(lastResponse(code, code === 204 ? '' : body))
    })

  test.each(['strict', 'compat'] as const)('of 500 codes only 2xx lets an allow count (%s)', async profile => {
    const { url } = await anyStatus(ALLOW)
    const closed = profile === 'strict' ? 'deny' : undefined
    for (const code of CODES) {
      const { decision, failures, failedOpen } = await fireAt(`${url}/${code}`, { profile })
      const expected = isFine(code) ? (code === 204 ? undefined : 'allow') : closed
      expect([code, decision, failures.map(({ kind }) => kind), failedOpen]).toEqual([
        code,
        expected,
        isFine(code) ? [] : ['http'],
        !isFine(code) && profile === 'compat'
      ])
    }
  })

  test('of 500 codes without a body none allows, and only 2xx lets pass', async () => {
    const { url } = await anyStatus('')
    for (const code of CODES) {
      const { decision } = await fireAt(`${url}/${code}`)
      expect([code, decision]).toEqual([code, isFine(code) ? undefined : 'deny'])
    }
  })

  test('a deny in the body of an error is a failure that blocks as well', async () => {
    const { url } = await serve(response => response.writeHead(403).end('{"decision":"block","reason":"no"}'))
    expect(await fireAt(url)).toMatchObject({ blocked: true, failures: [{ kind: 'http' }] })
  })

  test('early hints are not the answer', async () => {
    const { url } = await serve(response => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end(ALLOW)
    })
    expect(await fireAt(url)).toMatchObject({ decision: 'allow', failures: [] })
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async status => {
    const target = await serve(ALLOW)
    const { url } = await serve(response => response.writeHead(status, { location: `${target.url}/there` }).end(ALLOW))
    const outcome = await fireAt(url)
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    expect(outcome.failures[0]!.message).toContain('redirects are not followed')
    expect(target.connections()).toBe(0)
  })
})

// FM21, FM15
describe('a body that is not one object is no answer', () => {
  test.each([
    ['a page', '<!doctype html><title>Sign in</title>'],
    ['text', 'allow'],
    ['text with a decision in it', `fine: ${ALLOW}`],
    ['a list', `[${ALLOW}]`],
    ['a string', JSON.stringify(ALLOW)],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true']
  ])('%s', async (_, body) => {
    const { url } = await serve(body)
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    expect(await fireAt(url, { profile: 'compat' })).toMatchObject({ decision: undefined, failedOpen: true })
  })

  test.each([
    ['two objects', `${ALLOW}${ALLOW}`],
    ['two lines', `${ALLOW}\n${ALLOW}\n`],
    ['an object and a word', `${ALLOW} thanks`],
    ['a decision of the wrong type', '{"decision":true}'],
    ['a decision that is none', '{"decision":"ALLOW"}'],
    ['an answer to another event', ALLOW.replace('PreToolUse', 'Stop')]
  ])('%s', async (_, body) => {
    const { url } = await serve(body)
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', failures: [{ kind: 'reply' }] })
  })
})
