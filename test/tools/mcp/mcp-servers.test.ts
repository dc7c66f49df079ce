/** Tools of servers outside this process: two real ones, over stdio and over streamable HTTP. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createSdkMcpServer, type QueryOptions } from '../../../src/index.ts'
import {
  ask,
  callTurn,
  informed,
  inputsOf,
  ofType,
  ownTool,
  project,
  registry,
  resultsIn
} from '../../support/agent-kit.ts'
import {
  askServers,
  everything,
  everythingAt,
  filesystem,
  freePort,
  logged,
  numbered,
  scripted,
  statuses
} from './mcp-kit.ts'
import { isAlive } from '../../support/process-table.ts'
import { eventually } from '../../support/waiting.ts'

// M3, FM35
test('tools of a server are there under its name, are called, and hooks know whose they are', async () => {
  const { results, events, names, ...asked } = await askServers(
    [
      callTurn('mcp__every__echo', { message: 'hello' }),
      callTurn('mcp__every__get-sum', { a: 2, b: 40 }),
      callTurn('mcp__every__get-structured-content', { location: 'Chicago' })
    ],
    { every: everything }
  )
  expect(statuses(asked as never)).toEqual({ every: 'connected' })
  expect(results.map(({ text, isError }) => [text, isError])).toEqual([
    ['Echo: hello', false],
    ['The sum of 2 and 40 is 42.', false],
    [expect.stringContaining('"temperature"'), false]
  ])
  const server = { name: 'every', source: 'dynamic' }
  expect(inputsOf({ events }, 'PreToolUse')).toMatchObject([1, 2, 3].map(() => ({ mcp_server: server })))
  expect(inputsOf({ events }, 'PostToolUse')).toMatchObject([
    { tool_name: 'mcp__every__echo', tool_response: [{ type: 'text', text: 'Echo: hello' }], mcp_server: server },
    {},
    { tool_response: { content: [{ type: 'text' }], structuredContent: { conditions: expect.any(String) } } }
  ])
  expect(names).not.toContain('PostToolUseFailure')
})

test('pictures are shown, resources are text, what is wrong is an error', async () => {
  const { sent, results, events } = await askServers(
    [
      callTurn('mcp__every__get-tiny-image'),
      callTurn('mcp__every__get-resource-reference', { resourceType: 'Text', resourceId: 7 }),
      callTurn('mcp__every__get-resource-links', { count: 1 }),
      callTurn('mcp__every__get-sum', { a: 'two' })
    ],
    { every: everything }
  )
  const image = sent[1]!
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .find(block => block.type === 'tool_result')
  expect(image?.content).toContainEqual(
    expect.objectContaining({ type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) })
  )
  expect(results[1]!.text).toContain('[resource demo://resource/dynamic/text/7]\nResource 7: This is a plaintext')
  expect(results[2]!.text).toMatch(/\[link to the resource demo:\/\/resource\/\S+ \(.+\): .+\]/)
  expect(results[3]).toMatchObject({ isError: true, text: expect.stringContaining('expected number') })
  expect(inputsOf({ events }, 'PostToolUseFailure')).toMatchObject([{ tool_name: 'mcp__every__get-sum' }])
})

test('a server of files works in the folders that it was given, and in no others', async () => {
  const place = project({ 'notes.txt': 'one\ntwo\n' })
  const { results } = await askServers(
    [
      callTurn('mcp__files__read_text_file', { path: place.path('notes.txt') }),
      callTurn('mcp__files__write_file', { path: place.path('new.txt'), content: 'written' }),
      callTurn('mcp__files__read_text_file', { path: `${place.home}/other.txt` })
    ],
    { files: filesystem(place.cwd) },
    { in: place }
  )
  expect(results[0]).toMatchObject({ text: expect.stringContaining('one\ntwo'), isError: false })
  expect(readFileSync(place.path('new.txt'), 'utf8')).toBe('written')
  expect(results[2]).toMatchObject({ isError: true })
})

test('a server over streamable HTTP; dies in a call; is there again', async () => {
  const port = await freePort()
  const first = await everythingAt(port)
  let again: Promise<unknown> | undefined
  const { results, events } = await askServers(
    [
      callTurn('mcp__web__echo', { message: 'over the wire' }),
      callTurn('mcp__web__trigger-elicitation-request'),
      callTurn('mcp__web__trigger-long-running-operation', { duration: 600, steps: 6000 }),
      callTurn('mcp__web__echo', { message: 'back' })
    ],
    { web: { type: 'http', url: first.url } },
    {
      onElicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
      hooks: registry(hooks =>
        hooks.on('PostToolUseFailure', async () => {
          again = everythingAt(port)
          await again
        })
      ),
      each: message => void (message.type === 'tool_progress' && first.kill())
    }
  )
  expect(again).toBeDefined()
  expect(results.map(({ isError }) => isError)).toEqual([false, false, true, false])
  expect(results[1]!.text).toContain('Name: Ada')
  expect(results[2]!.text).toMatch(/the connection to the server web was lost during the call: .*not repeated/)
  expect(results[3]!.text).toBe('Echo: back')
  expect(inputsOf({ events }, 'PostToolUseFailure')).toHaveLength(1)
})

// F147
test('a hook replaces what a tool of a server gave back', async () => {
  const { server, place } = logged()
  const { results } = await askServers(
    [callTurn('mcp__own__echo', { text: 'secret' }), callTurn('mcp__own__count')],
    { own: server },
    {
      in: place,
      hooks: registry(hooks =>
        hooks.on('PostToolUse', ({ input }) => ({
          updatedMCPToolOutput:
            input.tool_name === 'mcp__own__echo' ? 'hidden' : { content: [{ type: 'text', text: 'four' }] }
        }))
      )
    }
  )
  expect(results.map(({ text }) => text)).toEqual(['hidden', 'four'])
})

test('what a server says of its own tools is not taken for granted: someone is asked, and told', async () => {
  const { server, place } = logged()
  const asked: unknown[] = []
  const { results } = await askServers(
    [callTurn('mcp__own__echo', { text: 'a' }), callTurn('mcp__own__die')],
    { own: server },
    {
      in: place,
      allowedTools: [],
      canUseTool: async (name, _, { decisionReason }) => {
        asked.push([name, decisionReason])
        return name === 'mcp__own__echo' ? { behavior: 'allow' } : { behavior: 'deny', message: 'no' }
      }
    }
  )
  expect(asked).toEqual([
    ['mcp__own__echo', 'nothing allows it'],
    ['mcp__own__die', 'nothing allows it; its server marks it as destructive']
  ])
  expect(results.map(({ isError }) => isError)).toEqual([false, true])
})

// FM57
test('a server that cannot be started, or ends at once, is failed and says why; others go on', async () => {
  const { server, place } = logged()
  const asked = await askServers(
    [callTurn('mcp__good__echo', { text: 'still' }), callTurn('mcp__gone__echo')],
    {
      gone: { command: 'there-is-no-such-program' },
      ends: scripted('/dev/null', 'die-at-once'),
      nobody: { type: 'http', url: `http://127.0.0.1:${await freePort()}/mcp` },
      good: server
    },
    { in: place }
  )
  expect(statuses(asked)).toEqual({ gone: 'failed', ends: 'failed', nobody: 'failed', good: 'connected' })
  expect(informed(asked).toSorted()).toEqual([
    expect.stringMatching(/the server ends: it has ended \(exit code 3\); its last output: I cannot\\u001b\[31m work/),
    expect.stringMatching(/the server gone: it could not be started: .*ENOENT/),
    expect.stringMatching(/the server nobody: http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/)
  ])
  expect(asked.results[0]!.text).toBe('echo: still')
  expect(asked.results[1]!.text).toContain('No such tool')
})

test('progress is told, and a tool that fails is an error', async () => {
  const asked = await askServers(
    [callTurn('mcp__every__trigger-long-running-operation', { duration: 0.2, steps: 2 })],
    {
      every: everything
    }
  )
  expect(asked.results[0]!.text).toContain('completed')
  expect(ofType(asked, 'tool_progress').map(({ output }) => output)).toContain('1 of 2')
  const { server, place } = logged()
  const { results, events } = await askServers([callTurn('mcp__own__fail')], { own: server }, { in: place })
  expect(results).toMatchObject([{ text: 'it is broken', isError: true }])
  expect(inputsOf({ events }, 'PostToolUseFailure')).toMatchObject([{ error: 'it is broken' }])
})

test('nothing is left when the session is over', async () => {
  const place = project()
  const file = `${place.home}/pid`
  await askServers(
    [callTurn('mcp__every__echo', { message: 'x' })],
    { every: numbered(everything, file) },
    { in: place }
  )
  expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
})

test('a call that is given up is cancelled, and the server lives on', async () => {
  const { server, place, lines } = logged()
  const prompts = ['wait', 'go on'].map(content => ({ type: 'user', message: { role: 'user', content } }) as const)
  const asked = await ask([callTurn('mcp__own__wait'), callTurn('mcp__own__echo', { text: 'here' }), 'Done.'], {
    in: place,
    mcpServers: { own: server },
    allowedTools: ['mcp__own'],
    prompt: (async function* () {
      yield* prompts
    })(),
    steer: running =>
      void eventually(() => lines().some(line => line.startsWith('call wait'))).then(() => running.interrupt())
  })
  expect(lines()).toEqual(['call wait {}', 'cancelled', 'call echo {"text":"here"}'])
  expect(resultsIn(asked.sent.at(-1)!).at(-1)!.text).toBe('echo: here')
  expect(ofType(asked, 'result').map(({ is_error }) => is_error)).toEqual([true, false])
})

test.each<[string, NonNullable<QueryOptions['mcpServers']>, string]>([
  ['an unknown kind', { a: { type: 'sse', url: 'http://x/' } as never }, 'mcpServers.a.type cannot be "sse"'],
  ['no program', { a: { command: '' } }, 'mcpServers.a.command cannot be ""'],
  ['arguments that are no list', { a: { command: 'x', args: 'y' as never } }, 'mcpServers.a.args cannot be "y"'],
  ['a key that nobody reads', { a: { command: 'x', cmd: 1 } as never }, 'a key of mcpServers.a cannot be "cmd"'],
  ['an address of another kind', { a: { type: 'http', url: 'file:///x' } }, 'mcpServers.a.url cannot be "file:///x"'],
  ['names that are the same', { 'a b': { command: 'x' }, a_b: { command: 'x' } }, 'a server cannot be "a_b"'],
  ['a name without letters', { __: { command: 'x' } }, 'a server cannot be "__"']
])('%s is a mistake that is named', async (_, mcpServers, words) => {
  const { result } = await ask(['Done.'], { mcpServers })
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining(words) })
})

// M3, R8
test('a server cannot pass for another, nor a tool for one of ours', async () => {
  const { place } = logged()
  const tools = ['Bash', 'mcp__other__x', 'a.b', 'a_b', 'x'.repeat(140)].map(name => ({
    name,
    description: 'x',
    inputSchema: { type: 'object' }
  }))
  const server = { ...scripted('/dev/null'), env: { MCP_TOOLS: JSON.stringify(tools) } }
  const own = createSdkMcpServer({ name: 'a__b', tools: [ownTool('say', () => 'said')] })
  const asked = await ask(
    [callTurn('mcp__my_server__Bash', { command: 'touch hit' }), callTurn('mcp__a_b__say'), 'Done.'],
    {
      in: place,
      mcpServers: { 'my server': server, a__b: own },
      allowedTools: ['mcp__my_server', 'mcp__a_b']
    }
  )
  const [init] = asked.messages
  const names = init?.type === 'system' && init.subtype === 'init' ? init.tools : []
  expect(names).toEqual(expect.arrayContaining(['Bash', 'mcp__my_server__Bash', 'mcp__my_server__mcp__other__x']))
  expect(names.filter(name => name.endsWith('a_b'))).toEqual([])
  const why = 'hooks and rules cannot tell a.b and a_b apart: both are mcp__my_server__a_b'
  expect(informed(asked)).toEqual([
    `the tool a.b of the server my server is left out: ${why}`,
    `the tool a_b of the server my server is left out: ${why}`,
    expect.stringContaining('is left out: its name is too long')
  ])
  expect(resultsIn(asked.sent.at(-1)!).map(({ text }) => text)).toEqual(['called Bash', 'said'])
  expect(place.has('hit')).toBe(false)
})

// FM33
test('that a tool changes nothing is only what its server says: it is begun once, and not in plan mode', async () => {
  const place = project({ 'notes.txt': 'one' })
  const read = callTurn('mcp__files__read_text_file', { path: place.path('notes.txt') })
  const files = { files: filesystem(place.cwd) }
  const sessionId = '11111111-1111-4111-8111-111111111111'
  const run = await askServers([read], files, { in: place, persistSession: true, sessionId })
  expect(run.results).toMatchObject([{ isError: false }])
  const folder = `${place.home}/.carabiner/projects/${place.cwd.replaceAll(/[^A-Za-z0-9]/g, '-')}`
  const log = readFileSync(`${folder}/${sessionId}.jsonl`, 'utf8')
  expect(log).toContain('"type":"tool-intent"')
  const plan = await askServers([read], files, { in: place, permissionMode: 'plan' })
  expect(plan.results).toMatchObject([{ isError: true, text: expect.stringContaining('plan mode') }])
})
