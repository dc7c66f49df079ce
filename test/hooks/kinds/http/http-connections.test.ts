import type { Socket } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { httpHook, type HookEnvironment } from '../../../../src/external.ts'
import { HookRegistry, type FireOptions, type Reported } from '../../../../src/hooks.ts'
import { harness } from '../../../../src/testing.ts'
import { driveHttp } from './http-drivers.ts'
import { ALLOW, DENY, placeOf, responseOf, serve, serveRaw } from './http-support.ts'

// Processes and megabytes take their time on a busy machine.
/** Fires at one hook again and again. */
function hookAt(url: string, place: HookEnvironment = placeOf()) {
  const hook = httpHook({ name: 'hook', events: 'PreToolUse', url }, place)
  const hooks = new HookRegistry()
  hooks.register(hook)
  const fire = (options?: FireOptions): Promise<Reported> => harness(hooks).fire('PreToolUse', {}, options)
  return { fire, hook, place }
}

const whole = (body: string): string => responseOf(200, { 'content-length': String(body.length) }, body)

/** Nothing else happens for this number of milliseconds. */
function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

describe('connections', () => {
  test('are kept for the next event', async () => {
    const { url, asked, connections } = await serve('{}')
    const { fire } = hookAt(url)
    for (let at = 0; at < 20; at++) await fire()
    expect([asked.length, connections()]).toEqual([20, 1])
  })

  test('are not missed where a server closes them after each answer', async () => {
    const { url, asked, connections } = await serve(response => response.setHeader('connection', 'close').end(DENY))
    const { fire } = hookAt(url)
    for (let at = 0; at < 5; at++) expect((await fire()).reason).toBe('not today')
    expect([asked.length, connections()]).toEqual([5, 5])
  })

  test('are not kept any more where a server closes them without having said so', async () => {
    const said: (string | undefined)[] = []
    const { url } = await serveRaw((socket, sent) => {
      said.push(/^connection: (.*)$/im.exec(sent)?.[1])
      socket.end(whole(DENY))
    })
    const { fire } = hookAt(url)
    for (let at = 0; at < 5; at++) expect((await fire()).reason).toBe('not today')
    expect(said).toEqual(['keep-alive', 'close', 'close', 'close', 'close'])
  })

  test('may be the only end of an answer, as old servers have it', async () => {
    let body = DENY
    const { url } = await serveRaw(socket => socket.end(`HTTP/1.0 200 OK\r\nServer: BaseHTTP/0.6\r\n\r\n${body}`))
    const { fire } = hookAt(url)
    expect(await fire()).toMatchObject({ decision: 'deny', reason: 'not today' })
    body = ''
    expect(await fire()).toMatchObject({ decision: undefined, failures: [] })
  })

  test.each([1, 8])('that the server has closed in the meantime are found before they are used (%i)', async width => {
    const { url, asked, connections, server } = await serve(DENY)
    for (let round = 0; round < 10; round++) {
      const { fire } = hookAt(url)
      const together = () => Promise.all(Array.from({ length: width }, async () => (await fire()).reason))
      const first = await together()
      // The server closes them now, and they are used before the client can have noticed.
      server.closeIdleConnections()
      expect([...first, ...(await together())]).toEqual(Array.from({ length: 2 * width }, () => 'not today'))
    }
    expect([asked.length, connections()]).toEqual([20 * width, 20 * width])
  })

  test('that were used often, and closed while this process was busy, are found as well', async () => {
    const { url, asked, server } = await serve(DENY)
    for (let round = 0; round < 10; round++) {
      const { fire } = hookAt(url)
      for (let at = 0; at < 3; at++) await fire()
      server.closeIdleConnections()
      busy(10)
      expect(await fire()).toMatchObject({ reason: 'not today', failures: [] })
    }
    expect(asked).toHaveLength(40)
  })

  test('to a server that was started anew are made anew', async () => {
    const first = await serve(DENY)
    const { fire } = hookAt(first.url)
    await fire()
    first.server.closeAllConnections()
    first.server.close()
    await once(first.server, 'close')
    await serve(DENY.replace('not today', 'nor tomorrow'), '127.0.0.1', first.port)
    expect(await fire()).toMatchObject({ reason: 'nor tomorrow', failures: [] })
  })

  // FM26
  test('that break once a request was sent fail it: it is not sent again', async () => {
    let asked = 0
    const { url } = await serveRaw(socket => {
      if (++asked === 1) socket.write(whole('{}'))
      else socket.resetAndDestroy()
    })
    const { fire } = hookAt(url)
    expect(await fire()).toMatchObject({ failures: [] })
    expect(await fire()).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    expect(asked).toBe(2)
  })
})

// FM24
describe('an answer is to the request that it came after', () => {
  test('two at once: the second is no one’s', async () => {
    let asked = 0
    const { url } = await serveRaw(socket => socket.write(++asked === 1 ? whole(DENY) + whole(ALLOW) : whole(DENY)))
    const { fire } = hookAt(url)
    for (let at = 0; at < 3; at++) expect((await fire()).decision).toBe('deny')
    expect(asked).toBe(3)
  })

  test('one that no one asked for is dropped', async () => {
    const sockets: Socket[] = []
    const { url } = await serveRaw(socket => {
      sockets.push(socket)
      socket.write(whole(DENY))
    })
    const { fire } = hookAt(url)
    for (let at = 0; at < 10; at++) {
      expect(await fire()).toMatchObject({ decision: 'deny', reason: 'not today' })
      await new Promise(resolve => void sockets.at(-1)!.write(whole(ALLOW), resolve))
    }
    expect(sockets).toHaveLength(10)
  })

  // FM17, F112
  test('one that comes before all was read counts, and the rest is not sent', async () => {
    const sockets: Socket[] = []
    const { url } = await serveRaw(socket => {
      if (sockets.push(socket) > 1) return
      socket.pause()
      socket.write(whole(DENY))
    })
    const command = 'x'.repeat(64 * 1024 * 1024)
    const hooks = new HookRegistry()
    hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url }, placeOf()))
    const outcome = await harness(hooks).fire('PreToolUse', { tool_input: { command } })
    expect(outcome).toMatchObject({ decision: 'deny', reason: 'not today', failures: [] })
    const [socket] = sockets as [Socket]
    const closed = once(socket, 'close')
    socket.on('end', () => socket.end()).resume()
    await closed
    expect(socket.bytesRead).toBeLessThan(command.length)
  })

  // F112
  test('an event of many megabytes arrives whole', async () => {
    const { url, asked } = await serve('{}')
    const hooks = new HookRegistry()
    hooks.register(httpHook({ name: 'hook', events: 'PreToolUse', url }, placeOf()))
    const command = 'ä'.repeat(8 * 1024 * 1024)
    const outcome = await harness(hooks).fire('PreToolUse', { tool_input: { command } })
    expect(outcome.failures).toEqual([])
    expect((JSON.parse(asked[0]!.body) as { tool_input: object }).tool_input).toEqual({ command })
  })
})

describe('what is under way', () => {
  /** A server that begins an answer and never ends it. */
  async function endless(headers: Record<string, string> = {}) {
    const [reached, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { url } = await serve(response => {
      response.on('close', () => gone.resolve())
      response.writeHead(200, headers).write('{"reason":', () => reached.resolve())
    })
    return { url, reached: reached.promise, gone: gone.promise }
  }

  // F43
  test('is cut at once when the event is aborted', async () => {
    const { url, reached, gone } = await endless()
    const { fire } = hookAt(url)
    const given = new AbortController()
    const fired = fire({ signal: given.signal })
    await reached
    given.abort()
    expect(await fired).toMatchObject({ decision: 'deny', failures: [{ kind: 'aborted' }] })
    await gone
  })

  test('is not even sent when the event is aborted before', async () => {
    const { url, asked } = await serve(DENY)
    const { fire } = hookAt(url)
    await fire()
    const given = new AbortController()
    const fired = fire({ signal: given.signal })
    given.abort()
    expect(await fired).toMatchObject({ decision: 'deny', failures: [{ kind: 'aborted' }] })
    await fire()
    expect(asked).toHaveLength(2)
  })

  test('is cut when it cannot be read', async () => {
    const { url, gone } = await endless({ 'content-encoding': 'rot13' })
    expect(await hookAt(url).fire()).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    await gone
  })

  test('is cut when its place is closed, and the gate with it', async () => {
    const { url, reached, gone } = await endless()
    const { fire, place } = hookAt(url)
    const fired = fire()
    await reached
    await place.close()
    const outcome = await fired
    expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'http' }] })
    expect(outcome.failures[0]!.message).toContain('cut off')
    await gone
  })

  test('continues when only its hook is closed', async () => {
    const reached = Promise.withResolvers<() => void>()
    const { url } = await serve(response => reached.resolve(() => response.end(DENY)))
    const { fire, hook } = hookAt(url)
    const fired = fire()
    const answer = await reached.promise
    hook.close()
    answer()
    expect(await fired).toMatchObject({ decision: 'deny', reason: 'not today' })
  })

  test('is nothing between events: connections that are kept are closed with the hook, and with its place', async () => {
    const { url, connections } = await serve(DENY)
    const { fire, hook, place } = hookAt(url)
    await fire()
    await fire()
    expect(connections()).toBe(1)
    hook.close()
    await fire()
    expect(connections()).toBe(2)
    await place.close()
    await fire()
    expect(connections()).toBe(3)
    await fire()
    expect(connections()).toBe(3)
  })

  // FM22, F43
  describe('keeps no process from ending', () => {
    test('when there is only a connection that was kept', async () => {
      const { url, asked, connections } = await serve(DENY)
      const { outcome } = await driveHttp('again', url)
      expect(outcome.reason).toBe('not today')
      expect([asked.length, connections()]).toEqual([2, 1])
    })

    test.each(['abort', 'close'] as const)('after %s', async how => {
      const { url, reached, gone } = await endless()
      const { outcome } = await driveHttp(how, url, { cut: reached })
      expect(outcome.decision).toBe('deny')
      await gone
    })
  })
})
