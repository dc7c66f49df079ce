import { expect, onTestFinished, test, vi } from 'vitest'
import { ended, cliStage } from '../support/cli-stage.ts'
import { openaiServer } from '../support/openai-server.ts'
import { agent, callReply, streamLines, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const REPLIES = () => [callReply(['Read', { file_path: 'notes.txt' }]), textReply('Buy milk.')]

test('text is the answer alone', async () => {
  const { ask, write, server } = await agent(REPLIES())
  write('project/notes.txt', 'milk\n')
  expect(await ask(['What is in notes.txt?'])).toEqual({ code: 0, signal: null, stdout: 'Buy milk.\n', stderr: '' })
  expect(server.requests[0]?.headers['x-api-key']).toBe('key-of-a-test')
  expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('milk')
})

test('json is the result, with usage and cost', async () => {
  const { ask, write } = await agent(REPLIES())
  write('project/notes.txt', 'milk\n')
  const ran = await ask(['What is in notes.txt?', '--output-format', 'json', '--model', 'claude-sonnet-4-5'])
  const result = JSON.parse(ran.stdout) as Record<string, unknown>
  expect(ran.code).toBe(0)
  expect(result).toMatchObject({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Buy milk.',
    num_turns: 2,
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    usage: { input_tokens: 20, output_tokens: 40 },
    permission_denials: [],
    session_id: expect.stringMatching(/^[\da-f-]{36}$/),
    uuid: expect.stringMatching(/^[\da-f-]{36}$/)
  })
  expect(result['total_cost_usd']).toBeGreaterThan(0)
})

test('stream-json is every message, each with an id, all of one session', async () => {
  const { ask, write } = await agent(REPLIES())
  write('project/notes.txt', 'milk\n')
  const lines = streamLines(
    await ask(['What is in notes.txt?', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'])
  )
  const whole = lines.filter(({ type }) => type !== 'stream_event')
  expect(whole.map(({ type, subtype }) => subtype ?? type)).toEqual([
    'init',
    'assistant',
    'user',
    'assistant',
    'success'
  ])
  expect(new Set(lines.map(line => line['session_id'])).size).toBe(1)
  expect(new Set(lines.map(line => line['uuid'])).size).toBe(lines.length)
  expect(whole[0]).toMatchObject({ tools: expect.arrayContaining(['Read', 'Bash']), permissionMode: 'default' })
  expect(whole[2]).toMatchObject({ tool_use_result: { type: 'text', file: { content: 'milk\n' } } })
  const deltas = lines.flatMap(({ event }) => (event as { delta?: { text?: string } } | undefined)?.delta?.text ?? [])
  expect(deltas.join('')).toBe('Buy milk.')
})

test('a server that speaks chat completions is named by its address, and needs no key', async () => {
  const server = await openaiServer(
    { calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
    { text: 'Buy milk.' }
  )
  onTestFinished(() => server.close())
  const { start, write } = cliStage()
  write('project/notes.txt', 'milk\n')
  const child = start([
    'run',
    '-p',
    'What is in notes.txt?',
    '--model',
    `${server.url}#small`,
    '--output-format',
    'json'
  ])
  const ran = await ended(child)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ran.stdout)).toMatchObject({ result: 'Buy milk.', num_turns: 2 })
  expect(server.requests.map(({ body }) => body.model)).toEqual(['small', 'small'])
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: expect.stringContaining('milk')
  })
})

test('a prompt may come from standard input, or both from there and as an argument', async () => {
  const { ask, server } = await agent([textReply('one'), textReply('two')])
  expect((await ask([], 'Just this\n')).stdout).toBe('one\n')
  expect((await ask(['Review this'], 'diff --git\n')).stdout).toBe('two\n')
  const prompts = server.requests.map(({ body }) => JSON.stringify(body.messages[0]))
  expect(prompts[0]).toContain('Just this')
  expect(prompts[1]).toContain('Review this')
  expect(prompts[1]).toContain('diff --git')
})

test('an answer with a schema is data, and is asked for again until it fits', async () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
  const { ask, server } = await agent([textReply('{"n":"one"}'), textReply('{"n":1}'), textReply('{"n":2}')])
  const first = await ask(['Give me a number', '--json-schema', JSON.stringify(schema), '--output-format', 'json'])
  expect(JSON.parse(first.stdout)).toMatchObject({ subtype: 'success', structured_output: { n: 1 }, num_turns: 2 })
  expect(JSON.stringify(server.requests[0]?.body)).toContain('"n"')
  const second = await ask(['Give me a number', '--json-schema', JSON.stringify(schema)])
  expect(JSON.parse(second.stdout)).toEqual({ n: 2 })
})

test('so many turns, and no more', async () => {
  const again = callReply(['Glob', { pattern: '*' }])
  const { ask, server } = await agent([again, again, again])
  const ran = await ask(['Look', '--max-turns', '2', '--output-format', 'json'])
  expect(ran.code).toBe(1)
  expect(JSON.parse(ran.stdout)).toMatchObject({
    subtype: 'error_max_turns',
    is_error: true,
    num_turns: 2,
    terminal_reason: 'max_turns'
  })
  expect(server.requests).toHaveLength(2)
})

test('rules of allowedTools are divided by commas and blanks, but not within parentheses', async () => {
  const { ask, read } = await agent([
    callReply(['Bash', { command: 'echo a, b' }], ['Write', { file_path: 'new.txt', content: 'new' }]),
    callReply(['Bash', { command: 'touch no.txt' }]),
    textReply('done')
  ])
  const flags = ['--allowedTools', 'Bash(echo a, b),Write Read', '--output-format', 'stream-json']
  const ran = await ask(['Go', ...flags])
  const results = streamLines(ran)
    .filter(({ type }) => type === 'user')
    .map(line => JSON.stringify(line['message']))
  expect(results[0]).toContain('a, b')
  expect(read('project/new.txt')).toBe('new')
  expect(results[2]).toContain('no one was available to approve it')
  expect(streamLines(ran).at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] })
  expect(() => read('project/no.txt')).toThrow()
})
