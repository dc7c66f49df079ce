/** `carabiner mcp`: the gate before real servers, for the official client. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { noSandbox } from '../../support/host.ts'
import { HANG } from '../../support/waiting.ts'
import { answering, connect, EVERYTHING, filesystemServer, proxied, proxyWords, SCRIPTED_SERVER } from './proxy-kit.ts'

vi.setConfig({ testTimeout: HANG })

const before = (body: string): string =>
  `hooks.on('PreToolUse', 'mcp__srv__.*', ({ toolInput, toolName }) => {${body}})`

/** A folder that the real filesystem server may write to. */
function folder(): { stage: CliStage; path(name: string): string; files(): readonly string[] } {
  const stage = cliStage()
  const path = (name: string): string => join(stage.project, name)
  return { stage, path, files: () => readdirSync(stage.project) }
}

describe('what a hook decides about a call of the real filesystem server', () => {
  test('without an objection it runs, and hooks see the name, the input and the server', async () => {
    const { stage, path } = folder()
    const hooks = `const fs = process.getBuiltinModule('fs')
      for (const event of ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'])
        hooks.on(event, ({ input }) => fs.appendFileSync('seen.jsonl', JSON.stringify(input) + '\\n'))`
    const { call } = await proxied(filesystemServer(stage.project), { stage, hooks, name: 'my files' })
    expect(await call('write_file', { path: path('a'), content: 'x' })).toMatchObject({ isError: false })
    expect(await call('read_text_file', { path: '/etc/passwd' })).toMatchObject({ isError: true })
    expect(readFileSync(path('a'), 'utf8')).toBe('x')
    const seen = readFileSync(path('seen.jsonl'), 'utf8').trim().split('\n')
    const events = seen.map(line => JSON.parse(line) as Record<string, unknown>)
    expect(events.map(({ hook_event_name, tool_name }) => [hook_event_name, tool_name])).toEqual([
      ['PreToolUse', 'mcp__my_files__write_file'],
      ['PostToolUse', 'mcp__my_files__write_file'],
      ['PreToolUse', 'mcp__my_files__read_text_file'],
      ['PostToolUseFailure', 'mcp__my_files__read_text_file']
    ])
    expect(events[0]).toMatchObject({
      tool_input: { path: path('a'), content: 'x' },
      mcp_server: { name: 'my files', source: 'dynamic' }
    })
    expect(events[1]).toMatchObject({
      tool_use_id: events[0]?.['tool_use_id'],
      tool_response: { content: [{ type: 'text' }], structuredContent: {} }
    })
    expect(events[3]).toMatchObject({ error: expect.stringContaining('Access denied') })
  })

  test('denied: it does not run, and the result says who refused and why', async () => {
    const { stage, path, files } = folder()
    const { call } = await proxied(filesystemServer(stage.project), {
      stage,
      hooks: before(`return toolName.endsWith('write_file') ? { decision: 'deny', reason: 'read only' } : undefined`)
    })
    const { text, isError } = await call('write_file', { path: path('a'), content: 'x' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^mcp__srv__write_file was refused by .*: read only/)
    expect(files()).not.toContain('a')
    expect((await call('list_directory', { path: stage.project })).isError).toBe(false)
  })

  test('rewritten: the server gets the new input only, and it is judged again', async () => {
    const { stage, path, files } = folder()
    const hooks = `${before(`return { updatedInput: { ...toolInput, path: toolInput.path.replace('x-a', 'x-b') } }`)}
      ${before(`return toolInput.path.endsWith('bb') ? { decision: 'deny', reason: 'no bb' } : undefined`)}`
    const { call } = await proxied(filesystemServer(stage.project), { stage, hooks })
    await call('write_file', { path: path('x-a'), content: 'x' })
    expect(files()).toEqual(expect.arrayContaining(['x-b']))
    expect((await call('write_file', { path: path('x-ab'), content: 'x' })).text).toContain('no bb')
    expect(files()).toEqual(['x-b'])
  })

  test.each([
    [true, ['a'], /Successfully/],
    [false, [], /the answer was no/],
    [undefined, [], /the question was dismissed/]
  ])('asked, and the answer is %s', async (allow, written, words) => {
    const { stage, path, files } = folder()
    const { asked, options } = answering(allow)
    const hooks = before(`return { decision: 'ask', reason: 'is it \\u200bsafe?' }`)
    const { call } = await proxied(filesystemServer(stage.project), { stage, hooks, ...options })
    const { text, isError } = await call('write_file', { path: path('a'), content: 'x' })
    expect([text, isError]).toEqual([expect.stringMatching(words), allow !== true])
    expect(files()).toEqual(written)
    expect(asked).toEqual([expect.stringMatching(/^Allow mcp__srv__write_file\?\nis it \\u200bsafe\?\n/)])
    expect(asked[0]).toContain(JSON.stringify(path('a')))
  })

  test('asked, and a yes without the box ticked is no', async () => {
    const { stage, path, files } = folder()
    const { call } = await proxied(filesystemServer(stage.project), {
      stage,
      hooks: before(`return { decision: 'ask' }`),
      capabilities: { elicitation: {} },
      prepare: client => client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
    })
    expect((await call('write_file', { path: path('a'), content: 'x' })).isError).toBe(true)
    expect(files()).toEqual([])
  })

  test('asked, and the client cannot ask: refused, and the refusal says what to do', async () => {
    const { stage, path, files } = folder()
    const hooks = before(`return { decision: 'ask', reason: 'is it safe?' }`)
    const { call } = await proxied(filesystemServer(stage.project), { stage, hooks })
    const { text, isError } = await call('write_file', { path: path('a'), content: 'x' })
    expect(isError).toBe(true)
    expect(text).toMatch(/is it safe\?.*does not support elicitation.*let the hook answer allow or deny/)
    expect(files()).toEqual([])
  })

  test('asked, and a PermissionRequest hook refuses: no one is asked', async () => {
    const { stage, path } = folder()
    const { asked, options } = answering(true)
    const hooks = `${before(`return { decision: 'ask' }`)}
      hooks.on('PermissionRequest', () => ({ decision: 'deny', reason: 'not at night' }))`
    const { call } = await proxied(filesystemServer(stage.project), { stage, hooks, ...options })
    expect((await call('write_file', { path: path('a'), content: 'x' })).text).toContain('not at night')
    expect(asked).toEqual([])
  })
})

describe('results', () => {
  test('a hook replaces one: the client gets nothing of the old one', async () => {
    const secret = `hooks.on('PostToolUse', 'mcp__srv__get-env', () => ({ updatedMCPToolOutput: 'no variables' }))`
    const { client } = await proxied(EVERYTHING, { hooks: secret, env: { TOKEN: 'abc123' } })
    const result = await client.callTool({ name: 'get-env', arguments: {} })
    expect(result).toEqual({ content: [{ type: 'text', text: 'no variables' }] })
  })

  test('a hook hides one that promises a structure: an error without it, which clients accept', async () => {
    const { stage, path } = folder()
    writeFileSync(path('a'), 'secret')
    const hooks = `hooks.on('PostToolUse', () => ({ suppressOutput: true }))`
    const { client } = await proxied(filesystemServer(stage.project), { stage, hooks })
    await client.listTools()
    const result = await client.callTool({ name: 'read_text_file', arguments: { path: path('a') } })
    expect(result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('hidden by a hook') }],
      isError: true
    })
  })

  test('a PostToolUse hook with onFailure: block that fails hides it', async () => {
    const hooks = `const broken = () => { throw new Error('down') }
      hooks.on('PostToolUse', broken, { name: 'redact', onFailure: 'block' })`
    const { call, stderr } = await proxied(EVERYTHING, { hooks })
    const { text } = await call('echo', { message: 'hi' })
    expect(text).toContain('hidden by a hook')
    expect(text).not.toContain('Echo: hi')
    expect(stderr().match(/the hook redact failed: down/g)).toHaveLength(1)
  })

  test('context and a wish to stop are added to it', async () => {
    const hooks = `hooks.on('PreToolUse', () => ({ additionalContext: 'echoes are public' }))
      hooks.on('PostToolUse', () => ({ continue: false, stopReason: 'enough' }))`
    const { call } = await proxied(EVERYTHING, { hooks })
    expect((await call('echo', { message: 'hi' })).text).toMatch(/^Echo: hi\nechoes are public\n.*stop here.*enough$/)
  })

  test('what a hook gives that cannot be shown hides it', async () => {
    const hooks = `hooks.on('PostToolUse', () => ({ updatedMCPToolOutput: 7 }))`
    const { call } = await proxied(EVERYTHING, { hooks })
    expect((await call('echo', { message: 'hi' })).text).toMatch(/^\[The output was hidden/)
  })
})

describe('permission rules', () => {
  test('deny and ask apply; what no rule decides is up to the client', async () => {
    const stage = cliStage()
    stage.user({ permissions: { deny: ['mcp__srv__get-env'], ask: ['mcp__srv__get-sum'] } })
    const { asked, options } = answering(true)
    const { call } = await proxied(EVERYTHING, { stage, ...options })
    expect(await call('get-env')).toMatchObject({ isError: true, text: expect.stringMatching(/settings\.json:\d+/) })
    expect(await call('get-sum', { a: 1, b: 2 })).toMatchObject({ isError: false })
    expect(asked).toEqual([expect.stringContaining('mcp__srv__get-sum')])
    expect(await call('echo', { message: 'hi' })).toEqual({ text: 'Echo: hi', isError: false })
  })

  test('in mode dontAsk only what a rule allows runs', async () => {
    const stage = cliStage()
    stage.user({ permissions: { allow: ['mcp__srv__echo'] } })
    const { call } = await proxied(EVERYTHING, { stage, flags: ['--permission-mode', 'dontAsk'] })
    expect((await call('echo', { message: 'hi' })).isError).toBe(false)
    expect((await call('get-env')).text).toContain('mode dontAsk')
  })

  test('in mode plan nothing runs', async () => {
    const { call } = await proxied(EVERYTHING, { flags: ['--permission-mode', 'plan'] })
    expect(await call('echo', { message: 'hi' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('plan')
    })
  })
})

describe('a gate that cannot answer is closed', () => {
  const COMMANDS = {
    'a command that crashes': { type: 'command', command: 'echo boom >&2; exit 1' },
    'a command that is killed': { type: 'command', command: 'kill -9 $$' },
    'a command that takes too long': { type: 'command', command: 'sleep 60', timeout: 1 },
    'a command that is not there': { type: 'command', command: '/nowhere/hook' },
    'a question to a model that is missing': { type: 'prompt', prompt: 'Is it safe? $ARGUMENTS' }
  }
  test.each(Object.entries(COMMANDS))('%s', async (_, hook) => {
    const stage = cliStage()
    stage.user({ hooks: { PreToolUse: [{ matcher: 'mcp__srv__echo', hooks: [hook] }] } })
    const log = stage.path('home/calls.log')
    const { call } = await proxied(SCRIPTED_SERVER, { stage, env: { MCP_LOG: log } })
    expect((await call('echo', { text: 'hi' })).isError).toBe(true)
    expect(existsSync(log)).toBe(false)
    expect(await call('say', { text: 'hi' })).toEqual({ text: 'hi', isError: false })
  })

  test.each([
    ['a module that does not load', { 'home/gate.mjs': `throw new Error('no gate')` }, ['--hooks', 'home/gate.mjs']],
    [
      'a restriction that does not parse',
      { 'home/.claude/settings.json': { permissions: { deny: ['mcp__srv('] } } },
      []
    ],
    [
      'a hook whose matcher is the name of a server',
      { 'home/gate.mjs': `export default hooks => hooks.on('PreToolUse', 'mcp__srv', () => ({ decision: 'deny' }))` },
      ['--hooks', 'home/gate.mjs']
    ],
    ['a settings file that does not parse', { 'home/.claude/settings.json': '{ "hooks": ' }, []],
    ['a module that is missing, in the compat profile', {}, ['--profile', 'compat', '--hooks', 'home/nowhere.mjs']]
  ])('%s: every call is an error, and all else works', async (_, files, words) => {
    const stage = cliStage()
    for (const [name, content] of Object.entries(files)) stage.write(name, content as object)
    const flags = words.map(word => (word.includes('/') ? stage.path(word) : word))
    const log = stage.path('home/calls.log')
    const { call, client } = await proxied(SCRIPTED_SERVER, { stage, flags, env: { MCP_LOG: log } })
    const { text, isError } = await call('echo', { text: 'hi' })
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/no call can be judged: (?:.*)(?:gate|settings|nowhere)/)
    ])
    expect(existsSync(log)).toBe(false)
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
  })

  test('a project that is not trusted: exit code 3, and the server is not started', async () => {
    const stage = cliStage()
    stage.settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } })
    const [, , ...words] = proxyWords(['--', 'touch', stage.path('home/started')], stage)
    const { code, stdout, stderr } = await stage.run(words)
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('carabiner hooks trust')
    expect(existsSync(stage.path('home/started'))).toBe(false)
  })

  test('a project that brings only its list of servers, of which the proxy is one, needs no trust', async () => {
    const stage = cliStage()
    stage.write('project/.mcp.json', { mcpServers: { srv: { command: 'carabiner', args: ['mcp', '--', 'x'] } } })
    const { call } = await proxied(SCRIPTED_SERVER, { stage })
    expect((await call('say', { text: 'hi' })).text).toBe('hi')
    stage.settings({ permissions: { allow: ['Bash'] } })
    const [, , ...words] = proxyWords(['--', ...SCRIPTED_SERVER], stage)
    expect(await stage.run(words)).toMatchObject({ code: 3, stderr: expect.stringContaining('allow  Bash') })
  })

  test('tools that have one name for hooks and rules: their calls are errors, and say why', async () => {
    const tools = ['a.b', 'a_b'].map(name => ({ name, inputSchema: { type: 'object' } }))
    const stage = cliStage()
    const log = stage.path('home/calls.log')
    const { call } = await proxied(SCRIPTED_SERVER, { stage, env: { MCP_TOOLS: JSON.stringify(tools), MCP_LOG: log } })
    for (const name of ['a.b', 'a_b', 'a b'])
      expect(await call(name)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/cannot tell a.* apart: .* mcp__srv__a_b/)
      })
    expect(existsSync(log)).toBe(false)
    expect(await call('say', { text: 'hi' })).toEqual({ text: 'hi', isError: false })
  })

  test('input that is not an object', async () => {
    const { client } = await proxied(SCRIPTED_SERVER)
    const result = await client.request({
      method: 'tools/call',
      params: { name: 'echo', arguments: ['x'] as unknown as Record<string, unknown> }
    })
    expect(result).toMatchObject({ isError: true })
  })
})

describe('the command', () => {
  test.each([
    [['mcp'], /name one server/],
    [['mcp', '--http', 'http://x/', '--', 'y'], /name one server/],
    [['mcp', '--http', 'ftp://x/'], /^carabiner: --http takes an address .* not ftp:\/\/x\//],
    [['mcp', '--http', 'nourl'], /^carabiner: --http takes an address .* not nourl/],
    [['mcp', '--http', 'http://x/', '--header', 'Token'], /Name: value/],
    [['mcp', '--header', 'A: b', '--', 'y'], /--header needs --http/],
    [['mcp', '--name', '!!', '--', 'y'], /--name/],
    [['mcp', '--permission-mode', 'yolo', '--', 'y'], /mode/]
  ])('%j is a mistake', async (words, message) => {
    const { code, stderr } = await cliStage().run(words)
    expect([code === 64 || code === 4, stderr]).toEqual([true, expect.stringMatching(message)])
  })

  test.each([
    [['npx', '-y', '@modelcontextprotocol/server-filesystem@1.2.3', '.'], 'server-filesystem'],
    [['python3', '-m', 'mcp_server_git'], 'mcp_server_git'],
    [['uvx', 'tickets'], 'tickets'],
    [['./bin/files.mjs', '--read'], 'files']
  ])('%j has the name %s', async (words, name) => {
    const stage = cliStage()
    const { stderr } = await stage.run(['mcp', '--', ...words], { env: { PATH: '/nowhere' } })
    expect(stderr).toContain(`mcp__${name}__TOOL`)
  })

  test('the help names all permission modes', async () => {
    const { stdout } = await cliStage().run(['mcp', '--help'])
    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
      expect(stdout).toContain(mode)
  })

  test('a client that ends its input ends the proxy, with exit code 0', async () => {
    const stage = cliStage()
    const [, , ...words] = proxyWords(['--', ...SCRIPTED_SERVER], stage)
    expect(await stage.run(words)).toMatchObject({ code: 0, stdout: '' })
  })

  test('what hooks print goes to standard error, and never between the messages', async () => {
    const hooks = `process.stdout.write('loaded'); ${before(`console.log('seen'); process.stdout.write('half a line')`)}`
    const { call, stderr } = await proxied(SCRIPTED_SERVER, { hooks })
    expect(await call('echo', { text: 'hi' })).toEqual({ text: 'echo: hi', isError: false })
    expect(stderr()).toMatch(/loaded[^]*seen\nhalf a line/)
  })

  test('two clients have a proxy each, and hooks of their own', async () => {
    const stage = cliStage()
    const hooks = before(`return toolInput.message === process.env.NO ? { decision: 'deny', reason: 'no' } : undefined`)
    const [one, two] = await Promise.all(['a', 'b'].map(no => proxied(EVERYTHING, { stage, hooks, env: { NO: no } })))
    const calls = ['a', 'b'].flatMap(message => [one, two].map(each => each?.call('echo', { message })))
    expect((await Promise.all(calls)).map(result => result?.isError)).toEqual([true, false, false, true])
  })

  test('the server gets the variables of its client, and its messages for people are passed on', async () => {
    const { call, stderr } = await proxied(EVERYTHING, { env: { GITHUB_TOKEN: 'abc' } })
    expect((await call('get-env')).text).toContain('"GITHUB_TOKEN": "abc"')
    expect(stderr()).toContain('Starting default (STDIO) server')
  })

  test.skipIf(noSandbox !== undefined)('with a sandbox in the settings, the server is confined', async () => {
    const { stage, path } = folder()
    const flags = ['--settings', '{ "sandbox": { "enabled": true } }']
    const { call } = await proxied(filesystemServer('/'), { stage, flags })
    expect(await call('write_file', { path: path('a'), content: 'x' })).toMatchObject({ isError: false })
    expect(await call('write_file', { path: stage.path('home/b'), content: 'x' })).toMatchObject({ isError: true })
    expect([existsSync(path('a')), existsSync(stage.path('home/b'))]).toEqual([true, false])
  })

  test('a server at a URL gets the headers, with variables', async () => {
    const seen: unknown[] = []
    const server = createServer((request, answer) => {
      seen.push(request.headers.authorization)
      answer.writeHead(401).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const stage = cliStage()
    const words = proxyWords(['--http', url, '--header', 'Authorization: Bearer ${TOKEN}'], stage)
    await expect(connect(words, { stage, env: { TOKEN: 'a:b c' } })).rejects.toThrow()
    expect(new Set(seen)).toEqual(new Set(['Bearer a:b c']))
  })

  test('a client that has no proxy gets the same', async () => {
    const { call } = await connect(EVERYTHING)
    expect(await call('echo', { message: 'hi' })).toEqual({ text: 'Echo: hi', isError: false })
  })
})
