import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { httpHook, type HttpSpec } from '../../../../src/external.ts'
import { HookRegistry, type EventName } from '../../../../src/hooks.ts'
import { isObject } from '../../../../src/lib/util/plain.ts'
import { harness } from '../../../../src/testing.ts'
import { driveHttp, whoSigns } from './http-drivers.ts'
import { ALLOW, DENY, fireAt, placeOf, serve, type HttpRequest } from './http-support.ts'

// A process takes its time to start on a busy machine.
// F102, F111
describe('a server is asked about an event', () => {
  test('by POST, with the event as JSON', async () => {
    const { url, asked } = await serve('')
    await fireAt(`${url}/check?deep=1`)
    const [{ method, path, headers, body }] = asked as [HttpRequest]
    expect([method, path, headers['content-type']]).toEqual(['POST', '/check?deep=1', 'application/json'])
    expect(JSON.parse(body)).toMatchObject({ hook_event_name: 'PreToolUse', event: 'pre_tool_use', tool_name: 'Bash' })
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)))
  })

  test('what it denies is denied, with its reason', async () => {
    const { url } = await serve(DENY)
    const outcome = await fireAt(url)
    expect(outcome).toMatchObject({ decision: 'deny', blocked: true, reason: 'not today', by: 'hook', failures: [] })
  })

  test('what it allows is allowed', async () => {
    const { url } = await serve(ALLOW)
    expect(await fireAt(url)).toMatchObject({ decision: 'allow', failures: [] })
  })

  test('it can rewrite the input and add context', async () => {
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      updatedInput: { command: 'ls -l' },
      additionalContext: 'häßliche Zeichen: 🧗'
    }
    const { url } = await serve(JSON.stringify({ hookSpecificOutput }))
    expect(await fireAt(url)).toMatchObject({
      updatedInput: { command: 'ls -l' },
      additionalContext: 'häßliche Zeichen: 🧗'
    })
  })

  test.each(['PreToolUse', 'UserPromptSubmit', 'Stop', 'SessionEnd'] as const)('on %s like on any', async event => {
    const { url, asked } = await serve('{"systemMessage":"seen"}')
    const outcome = await fireAt(url, { event })
    expect(outcome.systemMessage).toBe('seen')
    expect(JSON.parse(asked[0]!.body)).toMatchObject({ hook_event_name: event })
  })

  // F105
  test.each([
    ['204 and nothing', 204, ''],
    ['200 and nothing', 200, ''],
    ['200 and blanks', 200, ' \r\n'],
    ['200 and {}', 200, '{}']
  ])('%s is no opinion', async (_, status, body) => {
    const { url } = await serve(response => response.writeHead(status).end(body))
    for (const profile of ['strict', 'compat'] as const) {
      const outcome = await fireAt(url, { profile })
      expect(outcome).toMatchObject({ decision: undefined, blocked: false, failedOpen: false, failures: [] })
    }
  })

  // F161
  test('reports and messages show what came back', async () => {
    const { url } = await serve(response => response.writeHead(500).end('Traceback: …'))
    const { report } = await fireAt(url)
    expect(report[0]!.raw).toEqual({ stdout: 'Traceback: …', stderr: '' })
    expect(report[0]!.failure!.message).toContain('status 500')
  })

  test('a hook without a name is called after its URL, less what may be secret in it', async () => {
    const { url } = await serve('')
    const hooks = new HookRegistry()
    hooks.register(httpHook({ events: 'PreToolUse', url: `${url}/check?token=secret` }, placeOf()))
    const [hook] = hooks.list()
    expect(hook!.name).toContain(`${url}/check`)
    expect(hook!.name).not.toContain('secret')
  })

  test('the same URL twice is asked once, as it was declared last', async () => {
    const { url, asked } = await serve('')
    const place = placeOf()
    const hooks = new HookRegistry()
    const at = (name: string, spec: Partial<HttpSpec>): HttpSpec => ({ name, events: 'PreToolUse', url, ...spec })
    hooks.register(httpHook(at('one', { headers: { 'x-by': 'one' } }), place))
    hooks.register(httpHook(at('two', { headers: { 'x-by': 'two' }, url: `${url}/` }), place))
    await harness(hooks).fire('PreToolUse')
    expect(asked.map(({ headers }) => headers['x-by'])).toEqual(['two'])
  })

  test('fifty hooks on one event are asked at once, and the event is put into words once', async () => {
    const waiting: (() => void)[] = []
    const { url, asked } = await serve(response => {
      waiting.push(() => response.end('{}'))
      if (waiting.length === 50) for (const answer of waiting) answer()
    })
    const place = placeOf()
    const hooks = new HookRegistry()
    for (let at = 0; at < 50; at++)
      hooks.register(httpHook({ name: `hook ${at}`, events: 'PreToolUse', url: `${url}/${at}` }, place))
    const written = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => written.mockRestore())
    const outcome = await harness(hooks).fire('PreToolUse')
    const events = written.mock.calls.filter(([value]) => isObject(value) && 'hook_event_name' in value)
    expect(outcome.failures).toEqual([])
    expect(events).toHaveLength(1)
    expect(new Set(asked.map(({ path }) => path)).size).toBe(50)
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1)
  })
})

describe('the answer of a server', () => {
  test.each(['text/html; charset=utf-8', 'text/plain', undefined])(
    'is read whatever type it claims: %s',
    async type => {
      const { url } = await serve(response => {
        if (type !== undefined) response.setHeader('content-type', type)
        response.end(DENY)
      })
      expect(await fireAt(url)).toMatchObject({ decision: 'deny', reason: 'not today' })
    }
  )

  test('is never text for the model, also where a command could print some', async () => {
    for (const [event, profile] of [
      ['SessionStart', 'strict'],
      ['SessionStart', 'compat'],
      ['UserPromptSubmit', 'compat']
    ] as const satisfies [EventName, string][]) {
      for (const body of ['<html>hello</html>', 'hello', '{"cut":']) {
        const { url } = await serve(body)
        const outcome = await fireAt(url, { event, profile })
        expect(outcome.contexts).toEqual([])
        expect(outcome.failures).toHaveLength(1)
      }
    }
  })

  test('a byte order mark before it is accepted', async () => {
    const { url } = await serve(`\uFEFF${DENY}`)
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', reason: 'not today', failures: [] })
  })

  test.skipIf(whoSigns === undefined)('comes through TLS as well (skipped without openssl)', async () => {
    const { key, cert, file } = whoSigns!()
    const server = createTlsServer({ key, cert }, (_, response) => response.end(DENY)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const { outcome } = await driveHttp('ask', `https://localhost:${port}`, { env: { NODE_EXTRA_CA_CERTS: file } })
    expect(outcome).toMatchObject({ decision: 'deny', reason: 'not today', failures: [] })
  })

  test('comes from an address of the sixth version as well', async () => {
    const { url } = await serve(DENY, '::1')
    expect(await fireAt(url)).toMatchObject({ decision: 'deny', reason: 'not today' })
  })
})
