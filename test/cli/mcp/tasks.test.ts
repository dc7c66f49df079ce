/** Nothing of tasks passes the proxy, in either direction: hooks could not judge their results. */
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { eventually, HANG } from '../../support/waiting.ts'
import { rawProxy } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

const SERVER = [process.execPath, fileURLToPath(new URL('../../fixtures/mcp/task-server.ts', import.meta.url))]
const EXTENSION = 'io.modelcontextprotocol/tasks'
const CLIENT = { tasks: { requests: {} }, extensions: { [EXTENSION]: {}, mine: {} }, sampling: {} }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': CLIENT
}

type Message = Readonly<Record<string, unknown>> & { readonly id?: unknown; readonly method?: string }

function scene() {
  const proxy = rawProxy(SERVER, `hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 'hidden' }))`)
  const received = (): readonly Message[] =>
    proxy.stage
      .read('home/calls.log')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Message)
  const ask = async (id: unknown, method: string, params: object): Promise<Record<string, unknown>> => {
    proxy.write({ jsonrpc: '2.0', id, method, params })
    return proxy.answer(id)
  }
  return { ...proxy, received, ask }
}

test('neither side learns that the other has tasks', async () => {
  const { initialize, answer, ask, received } = scene()
  await initialize('2025-11-25', CLIENT)
  const others = { tools: {}, extensions: { other: {} } }
  expect((await answer('init'))['result']).toHaveProperty('capabilities', others)
  expect((await ask(1, 'server/discover', { _meta }))['result']).toHaveProperty('capabilities', others)
  await ask(2, 'tools/list', { _meta })
  await ask(3, 'tools/call', { name: 'new', arguments: {}, _meta })
  expect(received().map(({ method }) => method)).toEqual(
    expect.arrayContaining(['initialize', 'server/discover', 'tools/list', 'tools/call'])
  )
  expect(received()[0]).toHaveProperty('params.capabilities', { extensions: { mine: {} }, sampling: {} })
  expect(JSON.stringify(received())).toContain('mine')
  expect(JSON.stringify(received())).not.toContain('tasks":')
})

test.each(['old', 'new'])('a call that the server answers with a task (%s) is an error that says so', async name => {
  const { initialize, ask, lines, received, stderr } = scene()
  await initialize('2025-11-25', CLIENT)
  expect(await ask(1, 'tools/call', { name, arguments: {} })).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringMatching(/answered with a task.*effect is unknown/) }] }
  })
  const answers = (): readonly Message[] => received().filter(({ method }) => method === undefined)
  await eventually(() => answers().length === 2)
  for (const [at, id] of ['poll', 'sample'].entries())
    expect(answers()[at]).toMatchObject({ id, error: { message: expect.stringContaining('passes no tasks on') } })
  expect(JSON.stringify(lines)).not.toMatch(/SECRET|"method"/)
  for (const method of ['notifications/tasks', 'notifications/tasks/status', 'tasks/get', 'sampling/createMessage'])
    expect(stderr()).toContain(`${method} of the server was not passed on`)
})

test('requests and notifications of the client about tasks are refused with the reason', async () => {
  const { initialize, ask, write, received, stderr } = scene()
  await initialize('2025-11-25', CLIENT)
  const requests = [
    ['tools/call', { name: 'old', arguments: {}, task: {} }],
    ['tools/call', { name: 'old', arguments: {}, Task: {} }],
    ...['get', 'result', 'list', 'cancel', 'update', 'next'].map(each => [`tasks/${each}`, { taskId: '1' }] as const),
    ['Tasks_Get', { taskId: '1' }]
  ] as const
  write({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: { taskId: '1' } })
  for (const [id, [method, params]] of requests.entries())
    expect(await ask(id, method, params)).toMatchObject({
      error: { message: expect.stringContaining('call the tool without a task') }
    })
  expect(received().map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized'])
  expect(stderr()).toContain('notifications/tasks/status of the client was not passed on')
})
