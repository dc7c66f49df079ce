import type { ServerResponse } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { httpHook } from '../../../../src/external.ts'
import { HookRegistry, type Reported } from '../../../../src/hooks.ts'
import { harness, manualClock } from '../../../../src/testing.ts'
import { driveHttp } from './http-drivers.ts'
import { ALLOW, DENY, fireAt, placeOf, responseOf, serve, serveRaw } from './http-support.ts'

// Thousands of exchanges take their time on a busy machine.
const MIB = 1024 * 1024

/** An allow of this length in bytes. */
const padded = (bytes: number): string => ALLOW.slice(0, -1).padEnd(bytes - 1) + ALLOW.slice(-1)

/** Something that a promise is made of. */
const signal = () => Promise.withResolvers<void>()

// FM22, FM13, FM7
describe('the deadline is that of the whole exchange', () => {
  const allowBytes = responseOf(200, { 'transfer-encoding': 'chunked' }, `${ALLOW.length.toString(16)}\r\n${ALLOW}\r\n`)

  const STALLS: readonly (readonly [string, string])[] = [
    ['it is silent', ''],
    ['it stops within the status', 'HTTP/1.1 20'],
    ['it stops within the headers', 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'],
    ['it only says that it goes on', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['it stops after the headers', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n'],
    ['it stops within the body', responseOf(200, { 'content-length': '9999' }, ALLOW)],
    ['it has said all but the end', allowBytes]
  ]

  /** Fires, turns the clock once the server was reached, and tells whether the server was rid of the connection. */
  async function fireUntil(begin: string, profile: 'strict' | 'compat'): Promise<Reported> {
    const [reached, gone] = [signal(), signal()]
    const { url } = await serveRaw(socket => {
      socket.write(begin, () => reached.resolve())
      socket.on('close', () => gone.resolve())
      socket.on('end', () => socket.end())
    })
    const clock = manualClock()
    const hooks = new HookRegistry({ clock, profile })
    hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url, timeout: 5 }, placeOf()))
    let outcome: Reported | undefined
    const fired = harness(hooks).fire('PreToolUse')
    void fired.then(value => (outcome = value))
    await reached.promise
    await clock.advance(4.9)
    expect(outcome).toBeUndefined()
    await clock.advance(0.1)
    expect(outcome).toBeDefined()
    await gone.promise
    return fired
  }

  test.each(STALLS)('%s', async (_, begin) => {
    expect(await fireUntil(begin, 'strict')).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
    expect(await fireUntil(begin, 'compat')).toMatchObject({ decision: undefined, failedOpen: true })
  })

  test('it sends one piece after the other, and no end', async () => {
    const [begun, gone] = [signal(), signal()]
    const drip = (response: ServerResponse, piece: string): void => {
      if (!response.destroyed) response.write(piece, () => setImmediate(drip, response, ' '))
    }
    const { url } = await serve(response => {
      response.on('close', () => gone.resolve())
      drip(response, ALLOW)
      begun.resolve()
    })
    const clock = manualClock()
    const hooks = new HookRegistry({ clock })
    hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url, timeout: 5 }, placeOf()))
    const fired = harness(hooks).fire('PreToolUse')
    await begun.promise
    await clock.advance(5)
    const outcome = await fired
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
    await gone.promise
  })
})

// FM22, FM12
describe('what a server sends is counted decompressed, and cut at one mebibyte', () => {
  test('so much is an answer, and a byte more is none', async () => {
    const { url } = await serve((response, { path }) => response.end(padded(Number(path.slice(1)))))
    expect(await fireAt(`${url}/${MIB}`)).toMatchObject({ decision: 'allow', failures: [] })
    const outcome = await fireAt(`${url}/${MIB + 1}`)
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'output' }] })
    expect(outcome.failures[0]!.message).toMatch(/^output cap: 127\.0\.0\.1:\d+ sent more than 1048576 bytes/)
    expect(await fireAt(`${url}/${MIB + 1}`, { profile: 'compat' })).toMatchObject({
      decision: undefined,
      failedOpen: true
    })
  })

  test('also when what came before it would do as an answer', async () => {
    const { url } = await serve(response => {
      response.write(ALLOW)
      response.end(' '.repeat(MIB))
    })
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', failures: [{ kind: 'output' }] })
  })

  const ENCODERS = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync }

  test.each(Object.entries(ENCODERS))('%s', async (encoding, encode) => {
    const { url } = await serve((response, { path }) => {
      response.setHeader('content-encoding', encoding)
      response.end(encode(path === '/' ? DENY : padded(Number(path.slice(1)))))
    })
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', reason: 'not today', failures: [] })
    expect(await fireAt(`${url}/${MIB}`)).toMatchObject({ decision: 'allow' })
    expect(await fireAt(`${url}/${MIB + 1}`)).toMatchObject({ decision: 'deny', failures: [{ kind: 'output' }] })
  })

  test('nothing, compressed, is no opinion', async () => {
    const { url } = await serve(response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('')))
    expect(await fireAt(url)).toMatchObject({ decision: undefined, failures: [] })
    const bare = await serve(response => response.writeHead(204, { 'content-encoding': 'gzip' }).end())
    expect(await fireAt(bare.url)).toMatchObject({ decision: undefined, failures: [] })
  })

  const GIGABYTE = 1024 * MIB
  const BLANKS = Buffer.alloc(MIB, ' ')

  function pour(response: ServerResponse, left: number): void {
    if (left > 0 && !response.destroyed) response.write(BLANKS, () => pour(response, left - MIB))
    else response.end()
  }

  /** Many times the same in one body is again one body. */
  const bomb = (): Buffer => {
    const part = gzipSync(Buffer.alloc(16 * MIB, ' '))
    return Buffer.concat([gzipSync(ALLOW), ...Array.from({ length: GIGABYTE / (16 * MIB) }, () => part)])
  }

  test.each<[string, (response: ServerResponse) => void]>([
    ['of blanks', response => pour(response, GIGABYTE)],
    ['that it announces', response => pour(response.setHeader('content-length', GIGABYTE), GIGABYTE)],
    ['in little that is compressed', response => response.setHeader('content-encoding', 'gzip').end(bomb())]
  ])('a gigabyte %s takes no memory', async (_, answer) => {
    const gone = signal()
    const { url } = await serve(response => {
      response.on('close', () => gone.resolve())
      answer(response)
    })
    const { outcome, base, peak } = await driveHttp('ask', url)
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'output' }] })
    expect(peak - base).toBeLessThanOrEqual(64 * 1024)
    await gone.promise
  })
})

// FM15
test('every beginning of a reply of 2 KB is blocked', async () => {
  const whole = padded(2048)
  expect(whole).toHaveLength(2048)
  let length = 1
  const { url } = await serve(response => response.end(whole.slice(0, length)))
  const hooks = new HookRegistry()
  hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url }, placeOf()))
  const passed: number[] = []
  for (; length < 2048; length++) {
    const { decision, failures } = await harness(hooks).fire('PreToolUse')
    if (decision !== 'deny' || failures[0]!.kind !== 'reply') passed.push(length)
  }
  expect(passed).toEqual([])
  expect(await harness(hooks).fire('PreToolUse')).toMatchObject({ decision: 'allow' })
})

// FM15
test('a reply that was cut off is blocked, however it was to be told from the next', async () => {
  const whole = padded(2048)
  const frames = [
    (part: string) => responseOf(200, { 'content-length': '2048' }, part),
    (part: string) => responseOf(200, { 'transfer-encoding': 'chunked' }, `800\r\n${part}`),
    (part: string) => responseOf(200, { connection: 'close' }, part || '{')
  ]
  for (const frame of frames) {
    for (let length = 0; length < 2048; length += 89) {
      const { url } = await serveRaw(socket => socket.end(frame(whole.slice(0, length))))
      expect(await fireAt(url)).toMatchObject({ decision: 'deny' })
    }
  }
})

// FM16
describe('a reply that is valid JSON may still be none', () => {
  const inside = (value: string): string => `{"decision":"approve","more":${value}}`

  test.each([
    ['too deep', inside('['.repeat(65) + ']'.repeat(65))],
    ['far too deep', inside('['.repeat(100_000) + ']'.repeat(100_000))],
    ['too many keys', inside(`{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":0`).join()}}`)],
    ['a key twice', '{"decision":"block","decision":"approve"}'],
    ['a key twice, once in disguise', '{"decision":"block","\\u0064ecision":"approve"}'],
    ['__proto__', inside('{"__proto__":{"decision":"approve"}}')]
  ])('%s', async (_, body) => {
    const { url } = await serve(body)
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', failures: [{ kind: 'reply' }] })
  })
})

// FM14
describe('bytes that are no text close the gate', () => {
  const quoted = (...bytes: readonly number[]): Buffer => {
    const [before, after] = ALLOW.split('fine') as [string, string]
    return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
  }
  const utf16 = Buffer.from(ALLOW, 'utf16le')
  const lone = Array.from({ length: 32 }, (_, at) => quoted(0x80 + at * 4))
  const cut = Array.from({ length: 12 }, (_, at) => quoted(0xe2 + at, 0x28, 0xa1))
  const overlong = [quoted(0xc0, 0x80), quoted(0xc1, 0xbf), quoted(0xe0, 0x80, 0xaf), quoted(0xf0, 0x80, 0x80, 0xaf)]
  const beyond = [
    quoted(0xed, 0xa0, 0x80),
    quoted(0xed, 0xbf, 0xbf),
    quoted(0xf4, 0x90, 0x80, 0x80),
    quoted(0xff, 0xfe)
  ]
  const zeros = [quoted(0), Buffer.from(`\0${ALLOW}`), Buffer.from(`${ALLOW}\0`), Buffer.alloc(64), quoted(0x41, 0)]
  const wide = [utf16, utf16.swap16(), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(ALLOW, 'utf16le')])]
  const latin = ['caf\u00e9', '\u00fc', '\u00df', '\u00a0'].map(word =>
    Buffer.from(ALLOW.replace('fine', word), 'latin1')
  )
  const STRINGS = [...lone, ...cut, ...overlong, ...beyond, ...zeros, ...wide, ...latin]

  test('all of them', async () => {
    expect(STRINGS.length).toBeGreaterThanOrEqual(64)
    const { url } = await serve((response, { path }) => response.end(STRINGS[Number(path.slice(1))]))
    for (const at of STRINGS.keys()) {
      const { decision, failures } = await fireAt(`${url}/${at}`)
      expect([at, decision, failures.length]).toEqual([at, 'deny', 1])
      expect(failures[0]!.kind).toMatch(/^(?:output|http|reply)$/)
    }
  })
})
