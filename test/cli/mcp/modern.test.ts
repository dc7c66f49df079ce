/** The proxy between the official client and a server that both follow 2026-07-28. */
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { connect, proxied, rawProxy, type ConnectedClient } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

const MODERN = [process.execPath, fileURLToPath(new URL('../../fixtures/mcp/modern-server.ts', import.meta.url))]

async function scene(hooks: string, allow: boolean | 'cannot' = true) {
  const stage = cliStage()
  const log = stage.write('home/calls.log', '')
  const asked: string[] = []
  const options = {
    stage,
    env: { MCP_LOG: log },
    versionNegotiation: { mode: 'auto' },
    ...(allow !== 'cannot' && { capabilities: { elicitation: { form: {} } } }),
    prepare(client: ConnectedClient['client']) {
      if (allow === 'cannot') return
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        const content = params.message === 'Who are you?' ? { name: 'Ada' } : { allow }
        return { action: 'accept', content }
      })
    }
  } as const
  const connected = await proxied(MODERN, { ...options, hooks })
  const calls = (): readonly { given: unknown; requestState?: string }[] =>
    stage
      .read('home/calls.log')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as never)
  return { ...connected, options, asked, calls }
}

const ASK = `hooks.on('PreToolUse', () => ({ decision: 'ask', reason: 'is it safe?' }))`

test('both agree on the protocol, and answers are the same as without the proxy', async () => {
  const { client, options } = await scene(`hooks.on('PreToolUse', () => undefined)`)
  const { client: direct } = await connect(MODERN, options)
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect(await client.listTools()).toEqual(await direct.listTools())
  for (const name of ['echo', 'greet'])
    expect(await client.callTool({ name, arguments: { a: 1 } })).toEqual(
      await direct.callTool({ name, arguments: { a: 1 } })
    )
})

test.each([
  [true, { isError: false, text: '{"a":1}' }, 1],
  [false, { isError: true, text: expect.stringContaining('the answer was no') }, 0],
  ['cannot', { isError: true, text: expect.stringContaining('does not support elicitation') }, 0]
] as const)('a question is a result that requires input; the answer is %s', async (allow, result, count) => {
  const { call, asked, calls } = await scene(ASK, allow)
  expect(await call('echo', { a: 1 })).toEqual(result)
  expect(calls()).toHaveLength(count)
  expect(asked).toHaveLength(allow === 'cannot' ? 0 : 1)
  if (allow === true) expect(await call('echo', { a: 1 })).toEqual(result)
  if (allow === true) expect(asked).toHaveLength(2)
})

test('questions of the server and of the gate do not mix', async () => {
  const { call, asked, calls } = await scene(ASK)
  expect((await call('greet', { a: 1 })).text).toBe(
    JSON.stringify({ who: { action: 'accept', content: { name: 'Ada' } } })
  )
  expect(asked.map(text => text.split('\n')[0])).toEqual([
    'Allow mcp__srv__greet?',
    'Who are you?',
    'Allow mcp__srv__greet?'
  ])
  expect(calls().map(({ requestState }) => requestState)).toEqual([undefined, 'mine'])
})

test('a refusal, other input and another result are results of this protocol', async () => {
  const { call, calls } = await scene(`
    hooks.on('PreToolUse', ({ toolInput }) => toolInput.no ? { decision: 'deny', reason: 'no' } : { updatedInput: { b: 2 } })
    hooks.on('PostToolUse', ({ toolInput }) => ({ updatedMCPToolOutput: 'hidden', additionalContext: 'context' }))`)
  expect(await call('echo', { no: true })).toEqual({ isError: true, text: expect.stringContaining('no') })
  expect(await call('echo', { a: 1 })).toEqual({ isError: false, text: 'hidden\ncontext' })
  expect(calls().map(({ given }) => given)).toEqual([{ b: 2 }])
})

test('an answer counts for the input that it was about: if hooks change it meanwhile, a person is asked again', async () => {
  const { call, asked, calls } = await scene(`let count = 0
    hooks.on('PreToolUse', ({ toolInput }) => ({ decision: 'ask', updatedInput: { n: Math.min(count++, 2) } }))`)
  expect((await call('echo', { n: 7 })).isError).toBe(false)
  expect(asked.length).toBeGreaterThan(1)
  expect(asked.at(-1)).toContain(JSON.stringify(calls()[0]?.given, undefined, 2))
})

test('questions that are never answered do not pile up: the oldest are forgotten, and asked again if an answer comes', async () => {
  const { write, answer } = rawProxy(MODERN, ASK)
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } }
  }
  const send = (id: number, more: object = {}): void =>
    write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { id }, _meta, ...more } })
  const resultOf = async (id: number): Promise<Record<string, unknown>> => (await answer(id))['result'] as never
  for (let id = 0; id <= 1000; id++) send(id)
  const [first, last] = [await resultOf(0), await resultOf(1000)]
  const inputResponses = { carabiner: { action: 'accept', content: { allow: true } } }
  send(2000, { inputResponses, requestState: first['requestState'] })
  expect(await resultOf(2000)).toMatchObject({ resultType: 'input_required' })
  send(2001, { inputResponses, requestState: last['requestState'] })
  expect(await resultOf(2001)).toMatchObject({ content: [{ text: '{"id":1000}' }] })
})
