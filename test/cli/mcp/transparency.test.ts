/** What is not a tool call passes as if the proxy were not there: the same answers with it and without it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { cliStage } from '../../support/cli-stage.ts'
import { eventually, HANG } from '../../support/waiting.ts'
import { everythingAt, freePort } from '../../tools/mcp/mcp-kit.ts'
import * as kit from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

const { connect, EVERYTHING, proxied, proxyWords, rawProxy, SCRIPTED_SERVER, SILENT_HOOK } = kit

type Connect = (options: Parameters<typeof connect>[1]) => Promise<kit.ConnectedClient>

const WAYS: Readonly<Record<string, Connect>> = {
  direct: options => connect(EVERYTHING, options),
  proxied: options => proxied(EVERYTHING, { ...options, hooks: SILENT_HOOK })
}

/** What the official client gets from the real server, in a fixed order. */
async function everythingOf(way: Connect): Promise<Readonly<Record<string, unknown>>> {
  const seen: unknown[] = []
  const { client } = await way({
    capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } },
    prepare(made) {
      made.setRequestHandler('sampling/createMessage', ({ params }) => {
        seen.push(params)
        return { role: 'assistant', model: 'fake', content: { type: 'text', text: 'sampled' } }
      })
      made.setRequestHandler('elicitation/create', ({ params }) => {
        seen.push(params)
        return { action: 'accept', content: { name: 'Ada', check: true } }
      })
      made.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp/here', name: 'here' }] }))
    }
  })
  const attempt = (asked: Promise<unknown>): Promise<unknown> =>
    asked.catch((error: Error & { code?: unknown }) => [error.name, error.code, error.message])
  const progress: unknown[] = []
  const templates = await client.listResourceTemplates()
  const resources = await client.listResources()
  const [first] = resources.resources
  const answers = {
    server: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    tools: await client.listTools(),
    resources,
    templates,
    read: await client.readResource({ uri: first!.uri }),
    missing: await attempt(client.readResource({ uri: 'demo://nowhere' })),
    subscribe: await client.subscribeResource({ uri: first!.uri }),
    unsubscribe: await client.unsubscribeResource({ uri: first!.uri }),
    prompts: await client.listPrompts(),
    prompt: await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } }),
    wrongPrompt: await attempt(client.getPrompt({ name: 'nothing' })),
    completion: await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' }
    }),
    level: await client.request({ method: 'logging/setLevel', params: { level: 'debug' } }),
    ping: await client.ping(),
    unknown: await attempt(client.request({ method: 'nothing/at/all', params: { a: 1 } }, z.looseObject({}))),
    image: await client.callTool({ name: 'get-tiny-image', arguments: {} }),
    structured: await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } }),
    wrongInput: await attempt(client.callTool({ name: 'get-sum', arguments: { a: 'x' } })),
    long: await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
      { onprogress: news => progress.push(news) }
    ),
    // The last one may come together with the result, which ends them.
    progress: progress.slice(0, 3),
    sampled: await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'hi', maxTokens: 9 } }),
    elicited: await client.callTool({ name: 'trigger-elicitation-request', arguments: {} }),
    roots: await client.callTool({ name: 'get-roots-list', arguments: {} }),
    asked: seen
  }
  await client.close()
  return answers
}

test('the real server answers the official client in the same way', async () => {
  const [direct, through] = await Promise.all([everythingOf(WAYS['direct']!), everythingOf(WAYS['proxied']!)])
  expect(Object.keys(direct).length).toBeGreaterThan(20)
  // Hooks could not judge the results of tasks.
  const [, capabilities] = direct['server'] as [unknown, Record<string, unknown>]
  expect(Object.keys(capabilities)).toContain('tasks')
  delete capabilities['tasks']
  for (const [name, answer] of Object.entries(direct)) expect(through[name], name).toEqual(answer)
  expect(direct['asked']).toHaveLength(2)
  expect(direct['progress']).toHaveLength(3)
})

test('so does a server over HTTP', async () => {
  const { url } = await everythingAt(await freePort())
  const direct = new Client({ name: 'test', version: '1' })
  onTestFinished(() => direct.close())
  await direct.connect(new StreamableHTTPClientTransport(new URL(url)))
  const stage = cliStage()
  const hooks = `hooks.on('PreToolUse', 'mcp__srv__get-env', () => ({ decision: 'deny', reason: 'private' }))`
  const { client, call } = await connect(proxyWords(['--http', url], stage, { hooks }), { stage })
  expect(await client.listTools()).toEqual(await direct.listTools())
  expect(await client.listPrompts()).toEqual(await direct.listPrompts())
  expect(await client.listResources()).toEqual(await direct.listResources())
  const echo = { name: 'echo', arguments: { message: 'hi' } }
  expect(await client.callTool(echo)).toEqual(await direct.callTool(echo))
  expect(await call('get-env')).toEqual({ text: expect.stringContaining('private'), isError: true })
  const progress: unknown[] = []
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } }
  await client.callTool(long, { onprogress: news => progress.push(news) })
  expect(progress.length).toBeGreaterThanOrEqual(3)
})

test('a cancelled call is cancelled at the server, and a hook learns of it', async () => {
  const stage = cliStage()
  const log = stage.path('home/calls.log')
  const hooks = `hooks.on('PostToolUseFailure', ({ input }) =>
    process.getBuiltinModule('fs').appendFileSync(${JSON.stringify(log)}, 'interrupt ' + input.is_interrupt + '\\n'))`
  const { client, call } = await proxied(SCRIPTED_SERVER, { stage, hooks, env: { MCP_LOG: log } })
  const lines = (): readonly string[] => stage.read('home/calls.log').trim().split('\n')
  stage.write('home/calls.log', '')
  const abort = new AbortController()
  const waiting = client.callTool({ name: 'wait', arguments: {} }, { signal: abort.signal })
  await eventually(() => lines().includes('call wait {}'))
  abort.abort()
  await expect(waiting).rejects.toThrow()
  await eventually(() => lines().includes('cancelled') && lines().includes('interrupt true'))
  expect(await call('say', { text: 'still there' })).toEqual({ text: 'still there', isError: false })
})

test('a call that is cancelled during its question never runs, and the question is withdrawn', async () => {
  const stage = cliStage()
  const log = stage.path('home/calls.log')
  const asked: AbortSignal[] = []
  const { client, call } = await proxied(SCRIPTED_SERVER, {
    stage,
    env: { MCP_LOG: log },
    hooks: `hooks.on('PreToolUse', 'mcp__srv__echo', () => ({ decision: 'ask' }))`,
    capabilities: { elicitation: { form: {} } },
    prepare: made =>
      made.setRequestHandler('elicitation/create', (_, { mcpReq }) => {
        asked.push(mcpReq.signal)
        return new Promise(() => undefined)
      })
  })
  const abort = new AbortController()
  const waiting = client.callTool({ name: 'echo', arguments: {} }, { signal: abort.signal })
  await eventually(() => asked.length === 1)
  abort.abort()
  await expect(waiting).rejects.toThrow()
  await eventually(() => asked[0]!.aborted)
  await call('say', { text: 'next' })
  expect(stage.read('home/calls.log')).not.toContain('call echo')
})

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('protocol %s', async version => {
  const { write, answer, initialize } = rawProxy(EVERYTHING)
  await initialize(version)
  expect(await answer('init')).toMatchObject({ result: { protocolVersion: version } })
  write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hi' } } })
  expect(await answer(1)).toMatchObject({ result: { content: [{ text: 'Echo: hi' }] } })
})

test('messages that two parsers could read differently are not passed on', async () => {
  const { write, answer, initialize, stage, stderr } = rawProxy(
    SCRIPTED_SERVER,
    `hooks.on('PreToolUse', () => ({ decision: 'deny' }))`
  )
  await initialize()
  const params = { name: 'echo', arguments: {} }
  write({ jsonrpc: '2.0', id: 1, method: 'ping', Method: 'tools/call', params })
  write({ jsonrpc: '2.0', id: 2, Method: 'tools/call', params })
  write({ jsonrpc: '2.0', method: 'tools/call', params })
  write({ jsonrpc: '2.0', id: { a: 1 }, method: 'tools/call', params })
  write({ jsonrpc: '2.0', id: 3, method: 'tools/call', result: {}, params })
  write('{"jsonrpc":"2.0","id":4,"method":"ping","method":"tools/call","params":{"name":"echo","arguments":{}}}')
  write('not JSON')
  write([{ jsonrpc: '2.0', id: 5, method: 'tools/call', params }])
  expect(await answer(5)).toMatchObject({ result: { isError: true } })
  expect(await answer(4)).toMatchObject({ result: { isError: true } })
  expect(stage.read('home/calls.log')).toBe('')
  expect(stderr().match(/was not passed on/g)).toHaveLength(5)
  expect(stderr()).toContain('the client: it printed a line that is not a message: not JSON')
})

test('names that a server might take for others are refused: of the method, of parameters, of arguments', async () => {
  const hooks = `hooks.on('PreToolUse', ({ toolInput }) => (toolInput.text ? { decision: 'deny' } : undefined))`
  const edit = { properties: { newText: {} }, additionalProperties: false }
  const properties = { edits: { type: 'array', items: { properties: { to: edit } } } }
  const lists = { name: 'lists', inputSchema: { type: 'object', properties } }
  const { write, answer, initialize, stage, stderr } = rawProxy(SCRIPTED_SERVER, hooks, {
    MCP_TOOLS: JSON.stringify([lists])
  })
  await initialize()
  const send = (id: number, method: string, params: object): void => write({ jsonrpc: '2.0', id, method, params })
  const args = { text: 'x' }
  for (const [id, method] of ['Tools/Call', 'tools/call ', 'tools/call\0'].entries()) {
    send(id, method, { name: 'echo', arguments: args })
    expect(await answer(id)).toMatchObject({ error: { message: `there is no method ${method}` } })
  }
  for (const [id, params] of [
    { name: 'echo', arguments: {}, Arguments: args },
    { name: 'say', NAME: 'echo', arguments: {} },
    { name: 'echo', argu_ments: args },
    { name: 'echo', argumentſ: args },
    { name: 'echo', arguments: { Text: 'x' } },
    { name: 'echo', arguments: { te_xt: 'x' } },
    { name: 'echo', arguments: {}, _Meta: {} },
    { name: 'lists', arguments: { Edits: [] } },
    { name: 'lists', arguments: { edits: [{ to: { newText: 'x' } }, { to: { new_text: 'x' } }] } }
  ].entries()) {
    send(10 + id, 'tools/call', params)
    const { result } = await answer(10 + id)
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/differs only in case or punctuation from \w+; use that/) }]
    })
  }
  for (const [id, name] of ['param\u017F', 'Para-ms'].entries())
    write({ jsonrpc: '2.0', id: 50 + id, method: 'tools/call', params: { name: 'say', arguments: {} }, [name]: {} })
  for (const [id, name] of ['Echo', 'echo\0', 'not-listed', '', undefined, {}, ['echo']].entries()) {
    send(30 + id, 'tools/call', { name, arguments: {} })
    const { result } = await answer(30 + id)
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).toMatch(/lists no tool of exactly this name|same name/)
  }
  write({ jsonrpc: '2.0', method: 'TOOLS/CALL', params: { name: 'echo', arguments: args } })
  send(20, 'tools/list', {})
  await answer(20)
  expect(stage.read('home/calls.log')).toBe('')
  expect(stderr().match(/an invalid message, which was not passed on/g)).toHaveLength(2)
  send(21, 'tools/call', { name: 'lists', arguments: { edits: [{ to: { newText: 'x' }, To: 1 }], other: [[]] } })
  expect(await answer(21)).toMatchObject({ result: { content: [{ text: 'called lists' }] } })
})

const NAMED = { title: { properties: { text: {} } }, type: {}, Accept: {}, '+1': {}, and: {}, PATH: {} }
const DATA = { Title: {}, TYPE: 1, accept: 2, '-1': 1, $and: [], Path: 'x', title: { Text: 1 } }

test.each([
  ['the columns of a page, as at Notion', { page: { properties: NAMED, additionalProperties: true } }, { page: DATA }],
  ['others of one type', { page: { properties: NAMED, additionalProperties: { type: 'string' } } }, { page: DATA }],
  [
    'patterns',
    { page: { properties: NAMED, patternProperties: { '.': {} }, additionalProperties: false } },
    { page: DATA }
  ],
  ['nothing is said', { pages: { items: { properties: NAMED } } }, { pages: [DATA] }],
  [
    'a type for others that is not that of this one',
    { data: {} },
    { data: { Value: 1 } },
    { properties: { value: {} } }
  ],
  ['the arguments themselves', NAMED, DATA, true],
  ['names without letters', { '*': {} }, { $: 1, '?': 2 }]
])('keys that the schema leaves open are data: %s', async (_, properties, data, additionalProperties?: unknown) => {
  const tool = { name: 'data', inputSchema: { type: 'object', properties, additionalProperties } }
  const { write, answer, initialize } = rawProxy(SCRIPTED_SERVER, SILENT_HOOK, { MCP_TOOLS: JSON.stringify([tool]) })
  await initialize()
  write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'data', arguments: data } })
  expect(await answer(1)).toMatchObject({ result: { content: [{ text: 'called data' }] } })
})

test('__proto__, from which a server might read all other keys, does not reach it', async () => {
  const { write, answer, initialize, stage, stderr } = rawProxy(SCRIPTED_SERVER)
  await initialize()
  const inherited = '"__proto__":{"name":"die","arguments":{"text":"SECRET"},"text":"SECRET"}'
  const send = (id: number, params: string, more = ''): void =>
    write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"say",${params}}${more}}`)
  send(1, `"arguments":{"text":"hi",${inherited}}`)
  send(2, inherited)
  for (const id of [1, 2])
    expect(await answer(id)).toMatchObject({ result: { content: [{ text: expect.stringContaining('__proto__') }] } })
  send(3, `"arguments":{"text":"hi"}`, `,${inherited}`)
  await eventually(() => stderr().includes('an invalid message'))
  expect(stage.read('home/calls.log')).toBe('')
})

test('a number that cannot be sent is judged as what is sent', async () => {
  const hooks = `hooks.on('PreToolUse', ({ toolInput }) => ({ decision: 'deny', reason: 'judged ' + toolInput.text }))`
  const { write, answer, initialize } = rawProxy(SCRIPTED_SERVER, hooks)
  await initialize()
  for (const [id, number] of ['-1e999', '9'.repeat(400)].entries()) {
    write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":${number}}}}`)
    expect(JSON.stringify(await answer(id))).toContain('judged null')
  }
})

test('a second request with the id of an open one cannot take its result', async () => {
  const { write, initialize, lines } = rawProxy(
    SCRIPTED_SERVER,
    `hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'hidden' }))`
  )
  await initialize()
  write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'say', arguments: { text: 'secret' } } })
  write({ jsonrpc: '2.0', id: 1, method: 'ping' })
  await eventually(() => lines.filter(({ id }) => id === 1).length === 2)
  expect(lines.filter(({ id }) => id === 1)).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining('id 1') }) }),
    expect.objectContaining({ result: { content: [{ type: 'text', text: 'hidden' }] } })
  ])
})

test('a request with the id of a cancelled one cannot take its result', async () => {
  const { write, answer, initialize, lines, stage } = rawProxy(
    SCRIPTED_SERVER,
    `hooks.on('PostToolUse', 'mcp__srv__late', () => ({ suppressOutput: true }))`
  )
  await initialize()
  const call = (id: number, name: string): void =>
    write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text: 'hi' } } })
  call(1, 'late')
  await eventually(() => stage.read('home/calls.log').includes('call late'))
  write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  call(1, 'say')
  expect(await answer(1)).toMatchObject({ error: { message: expect.stringContaining('id 1') } })
  call(2, 'say')
  await answer(2)
  expect(JSON.stringify(lines)).not.toContain('SECRET')
  // The server has answered it meanwhile.
  call(1, 'say')
  await eventually(() => lines.some(({ id, result }) => id === 1 && result !== undefined))
})

test('good requests of a list are answered, whatever else it holds', async () => {
  const { write, answer, initialize, stderr } = rawProxy(SCRIPTED_SERVER)
  await initialize()
  const request = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'say', arguments: { text: 'hi' } } }
  write([{ ...request, id: 1 }, [{ ...request, id: 2 }], 7, { ...request, id: 3 }])
  for (const id of [1, 3]) expect(await answer(id)).toMatchObject({ result: { content: [{ text: 'hi' }] } })
  expect(stderr()).toContain('the client: it printed a line that is not a message')
})

test('of a response, only the result or the error reaches the client', async () => {
  const { write, answer, initialize } = rawProxy(
    SCRIPTED_SERVER,
    `hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'hidden' }))
    hooks.on('PostToolUseFailure', ({ input }) => ({ additionalContext: 'seen: ' + input.error }))`
  )
  await initialize()
  const send = (id: number, name: string): void =>
    write({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } })
  send(1, 'beside')
  expect(await answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'hidden' }] } })
  send(2, 'rpc-error')
  expect(await answer(2)).toEqual({
    jsonrpc: '2.0',
    id: 2,
    error: { code: -32042, message: 'no such city\n\nseen: no such city', data: { city: 'X' } }
  })
})

test('a server cannot pass a result off as a question', async () => {
  const { write, answer, initialize } = rawProxy(
    SCRIPTED_SERVER,
    `hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'hidden' }))`
  )
  await initialize()
  write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'as-question', arguments: {} } })
  expect(await answer(1)).toMatchObject({ result: { content: [{ text: 'hidden' }] } })
})

test('a result that cannot be written as JSON is an error', async () => {
  const { write, answer, initialize } = rawProxy(SCRIPTED_SERVER)
  await initialize()
  write({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'deep', arguments: {} } })
  expect(await answer(1)).toMatchObject({ error: { message: expect.stringContaining('cannot be passed on') } })
})
