/** A credential from any source reaches no output: not the stream, the disk, hooks, or child processes. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { query, type AgentMessage, type QueryOptions } from '../../src/index.ts'
import { commandHook, httpHook, HookEnvironment } from '../../src/external.ts'
import { HookRegistry } from '../../src/hooks.ts'
import { modelFor } from '../../src/lib/model/providers.ts'
import { cliStage, type CliStage } from '../support/cli-stage.ts'
import { openaiServer, type OpenAIScript, type OpenAIServer } from '../support/openai-server.ts'
import { serve } from '../hooks/kinds/http/http-support.ts'
import { SCRIPTED } from '../tools/mcp/mcp-kit.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: 2 * HANG })

/** A value that cannot be guessed or occur by chance. */
const secret = (): string => `${randomUUID()}~${randomUUID()}`.replaceAll('-', 'q')
const randomName = (): string => `V${randomUUID().replaceAll('-', '_').toUpperCase()}`

async function provider(...replies: readonly OpenAIScript[]): Promise<OpenAIServer> {
  const server = await openaiServer(...replies)
  onTestFinished(() => server.close())
  return server
}

/** Every file below a folder, as text. */
const filesIn = (folder: string): readonly [string, string][] =>
  readdirSync(folder, { recursive: true })
    .map(name => join(folder, String(name)))
    .filter(path => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map(path => [path, readFileSync(path, 'latin1')])

const naming = (key: string, files: readonly [string, string][]): readonly string[] =>
  files.filter(([, text]) => text.includes(key)).map(([path]) => path)

/** Hooks of the user that write down what they are given, and their environment. */
const keepsAll = (here: CliStage): object => {
  const command = `cat >> ${here.path('home/payloads')}; env >> ${here.path('home/hook-env')}`
  const events = [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'Stop',
    'SessionEnd'
  ]
  return { hooks: Object.fromEntries(events.map(event => [event, [{ hooks: [{ type: 'command', command }] }]])) }
}

/** A model that does all it can to get the key shown. */
const leaks = (here: CliStage, key: string): readonly OpenAIScript[] => [
  {
    text: 'I look around.',
    calls: [
      { id: 'a1', name: 'Bash', input: { command: `env > ${here.path('home/bash-env')}; env; cat notes.txt` } },
      { id: 'a2', name: 'Read', input: { file_path: 'notes.txt' } },
      { id: 'a3', name: 'Grep', input: { pattern: 'key', path: '.', output_mode: 'content' } },
      { id: 'a4', name: 'Bash', input: { command: 'cat notes.txt >&2; exit 3' } },
      { id: 'a5', name: 'mcp__scripted__echo', input: { text: 'x' } },
      { id: 'a6', name: 'Bash', input: { command: `yes "$(cat notes.txt)" | head -n 2000` } }
    ]
  },
  { text: `It is ${key}, I was told.` }
]

async function run(
  here: CliStage,
  options: QueryOptions
): Promise<{ messages: readonly AgentMessage[]; stderr: string }> {
  const messages: AgentMessage[] = []
  let stderr = ''
  const settings = { cwd: here.project, allowedTools: ['Bash', 'mcp__scripted'], permissionMode: 'default' as const }
  const running = query({
    prompt: 'Go',
    options: { ...settings, includeHookEvents: true, stderr: text => (stderr += `${text}\n`), ...options }
  })
  for await (const message of running) messages.push(message)
  return { messages, stderr }
}

test('B6: a key under a random name, given to a provider by option, is in no sink', async () => {
  const here = cliStage()
  const [key, name] = [secret(), randomName()]
  here.user(keepsAll(here))
  here.write('project/notes.txt', `the key is ${key}\n`)
  const server = await provider(...leaks(here, key))
  const model = createOpenAICompatible({ name: 'own', baseURL: server.url, apiKey: key })('gpt-test')
  const mcp = {
    command: '/bin/sh',
    args: ['-c', `env > ${here.path('home/mcp-env')}; exec "$@"`, 'sh', process.execPath, SCRIPTED]
  }
  const { messages, stderr } = await run(here, {
    model,
    env: { ...here.env, [name]: key, ALSO: `Bearer ${key}` },
    mcpServers: { scripted: mcp }
  })
  // It was used, and what should have shown it has run.
  expect(server.requests).toHaveLength(2)
  expect(server.requests[0]!.headers['authorization']).toBe(`Bearer ${key}`)
  expect(messages.find(({ type }) => type === 'result')).toMatchObject({
    type: 'result',
    is_error: false,
    result: 'It is [a credential], I was told.'
  })
  expect(here.read('home/payloads')).toContain('the key is [a credential]')
  const sinks: readonly [string, string][] = [
    ...messages.map((message): [string, string] => [`message ${message.type}`, JSON.stringify(message)]),
    ['stderr', stderr],
    ...server.requests.map((request, at): [string, string] => [`request ${at}`, JSON.stringify(request.body)]),
    ...filesIn(here.home)
  ]
  expect(naming(key, sinks)).toEqual([])
  for (const env of ['bash-env', 'hook-env', 'mcp-env']) {
    expect(here.read(`home/${env}`)).toContain('HOME=')
    expect(here.read(`home/${env}`)).not.toContain(name)
  }
})

test('B6: OPENAI_COMPATIBLE_API_KEY is a credential: in no environment, no output, no file, no export', async () => {
  const here = cliStage()
  const key = secret()
  here.user(keepsAll(here))
  here.write('project/notes.txt', `the key is ${key}\n`)
  const server = await provider(...leaks(here, key))
  const env = { OPENAI_COMPATIBLE_API_KEY: key }
  const id = randomUUID()
  const words = ['run', '-p', 'Go', '--model', `${server.url}#gpt-test`, '--allowedTools', 'Bash', '--session-id', id]
  const ran = await here.run([...words, '--output-format', 'stream-json', '--verbose'], { env })
  expect([ran.code, server.requests.length]).toEqual([0, 2])
  const others = await Promise.all(
    [
      ['sessions', 'show', id],
      ['sessions', 'show', id, '--json'],
      ['sessions', 'export', id, '--format', 'jsonl'],
      ['sessions', 'export', id, '--format', 'json']
    ].map(command => here.run(command, { env }))
  )
  for (const { code, stdout } of others) expect([code, stdout.includes('I look around.')]).toEqual([0, true])
  const sinks: readonly [string, string][] = [
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
    ...others.map(({ stdout, stderr }, at): [string, string] => [`sessions ${at}`, stdout + stderr]),
    ...filesIn(here.home)
  ]
  expect(naming(key, sinks)).toEqual([])
  expect(here.read('home/bash-env')).not.toContain('OPENAI_COMPATIBLE')
})

test('B6: what a provider says of a key, and how a run fails, does not show it', async () => {
  const here = cliStage()
  const key = secret()
  const server = await provider({ fail: { status: 401, message: `no such key: ${key}` } })
  const words = ['run', '-p', 'Go', '--model', `${server.url}#gpt-test`]
  const { stdout, stderr, code } = await here.run(words, { env: { OPENAI_COMPATIBLE_API_KEY: key } })
  expect([code, stderr.includes('no such key')]).toEqual([1, true])
  expect(naming(key, [['stdout', stdout], ['stderr', stderr], ...filesIn(here.home)])).toEqual([])
})

test('B6: keys of a provider whose package is named are kept from children, and others are not', async () => {
  const env = { ACME_API_KEY: secret(), ACME_REGION: 'eu', OTHER_API_KEY: secret(), PATH: process.env['PATH'] ?? '' }
  await modelFor('acme/large', { env }).catch(() => undefined)
  expect(new HookEnvironment({ env }).inherited()).toEqual({
    ACME_REGION: 'eu',
    OTHER_API_KEY: env.OTHER_API_KEY,
    PATH: env.PATH
  })
})

test('B6: tokens of servers and of hooks that are servers are masked as well', async () => {
  const here = cliStage()
  const [mcp, hook] = [secret(), secret()]
  const { url } = await serve('{}')
  here.user({
    hooks: { SessionStart: [{ hooks: [{ type: 'http', url, headers: { Authorization: `Bearer ${hook}` } }] }] }
  })
  here.write('project/notes.txt', `${mcp} and ${hook}\n`)
  const server = await provider({ calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] }, { text: 'Done.' })
  const { messages } = await run(here, {
    model: createOpenAICompatible({ name: 'own', baseURL: server.url })('gpt-test'),
    env: here.env,
    mcpServers: { scripted: { command: process.execPath, args: [SCRIPTED], env: { SERVER_TOKEN: mcp } } }
  })
  expect(JSON.stringify(messages)).toContain('[a credential] and [a credential]')
  const sinks = [['messages', JSON.stringify(messages)] as [string, string], ...filesIn(here.path('home/.carabiner'))]
  expect([...naming(mcp, sinks), ...naming(hook, sinks)]).toEqual([])
})

test('B6: a credential is handed to the hook for which the user names it, and never to one of a project', async () => {
  const env = { OPENAI_API_KEY: secret(), PATH: process.env['PATH'] ?? '' }
  const place = new HookEnvironment({ env })
  const sent = async (ofProject: boolean): Promise<unknown> => {
    const { url, asked } = await serve('{}')
    const hooks = new HookRegistry()
    const headers = { 'x-key': '<$OPENAI_API_KEY>' }
    const spec = { events: 'Stop' as const, url, headers, allowedEnvVars: ['OPENAI_API_KEY'], ofProject }
    hooks.register(httpHook(spec, place))
    await hooks.fire('Stop', { stop_hook_active: false })
    return asked[0]!.headers['x-key']
  }
  expect(await sent(false)).toBe(`<${env.OPENAI_API_KEY}>`)
  expect(await sent(true)).toBe('<>')
})

test('B6: a command hook gets a credential only where it was given one', async () => {
  const here = cliStage()
  const env = { OPENAI_COMPATIBLE_API_KEY: secret(), PATH: process.env['PATH'] ?? '' }
  const file = here.path('home/seen')
  writeFileSync(file, '')
  const hooks = new HookRegistry()
  const command = `echo "[$OPENAI_COMPATIBLE_API_KEY]" >> ${file}`
  hooks.register(commandHook({ name: 'one', events: 'Stop', command }, new HookEnvironment({ env })))
  await hooks.fire('Stop', { stop_hook_active: false })
  hooks.remove('one')
  hooks.register(
    commandHook({ events: 'Stop', command, env: { OPENAI_COMPATIBLE_API_KEY: 'given' } }, new HookEnvironment({ env }))
  )
  await hooks.fire('Stop', { stop_hook_active: false })
  expect(readFileSync(file, 'utf8')).toBe('[]\n[given]\n')
})

test.each([
  String.raw`tr '\0' '\n' < /proc/$PPID/environ`,
  'cat /proc/self/../1/environ',
  'strings /proc/*/environ',
  'cat /proc/$PPID/env*',
  'cat /proc/$PPID/*',
  `cat /proc/$PPID/env''iron`,
  'cd /proc/1 && cat environ',
  'ps e',
  'ps auxe | grep KEY',
  'ps -p $PPID ewww',
  'ps -E',
  'dd if=/proc/$PPID/mem bs=1',
  `python3 -c "print(open('/proc/1/environ').read())"`
])('B6: %s is not run under a rule that allows every command', async command => {
  const here = cliStage()
  const server = await provider({ calls: [{ name: 'Bash', input: { command } }] }, { text: 'Done.' })
  const { messages } = await run(here, {
    model: createOpenAICompatible({ name: 'own', baseURL: server.url })('gpt-test'),
    env: here.env
  })
  expect(JSON.stringify(messages)).toContain('names the environment or the memory of a process')
})

test('B6: a credential with quotes around it is hidden without them, too', async () => {
  const { holdCredential, isWithheld, maskCredentials } = await import('../../src/lib/util/credentials.ts')
  holdCredential(' "quoted-key-of-a-test" ')
  expect(maskCredentials('the key: quoted-key-of-a-test')).toBe('the key: [a credential]')
  expect(isWithheld('quoted-key-of-a-test')).toBe(true)
})

test.each(['cat e', 'cat pr/self/environ', 'cat < pr/1/environ'])(
  'B6: %s through a link of the project is not run either',
  async command => {
    const here = cliStage()
    symlinkSync('/proc/self/environ', here.path('project/e'))
    symlinkSync('/proc', here.path('project/pr'))
    const server = await provider({ calls: [{ name: 'Bash', input: { command } }] }, { text: 'Done.' })
    const { messages } = await run(here, {
      model: createOpenAICompatible({ name: 'own', baseURL: server.url })('gpt-test'),
      env: here.env
    })
    expect(JSON.stringify(messages)).toContain('names the environment or the memory of a process')
  }
)

test.each([
  'ps aux',
  'ps -ef',
  'ps -u me',
  'cat /proc/meminfo',
  'ls /proc/1',
  'cat /proc/[0-9]*/status',
  'echo environ',
  'env'
])('B6: %s is not taken for it', async command => {
  const { environmentNamed } = await import('../../src/lib/permissions/named-paths.ts')
  expect(environmentNamed({ kind: 'command', command })).toBeUndefined()
})
