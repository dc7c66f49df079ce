import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Message } from '../../src/hooks.ts'
import { ModelFailure, type StreamEvent } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { readScript } from '../../src/lib/model/script-file.ts'
import { askModel, asking, failureIn } from './model-kit.ts'

test('text, thoughts, calls, tokens; ids by count', async () => {
  const model = scriptedModel(
    [
      'Hello',
      {
        thinking: 'Hm',
        text: 'I read.',
        calls: [
          { name: 'Read', input: { file_path: '/a' } },
          { name: 'Read', input: { file_path: '/b' }, id: 'mine' }
        ],
        usage: { output_tokens: 3 }
      },
      request => ({
        text: `${request.messages.length} messages`,
        calls: [{ name: 'Bash', input: {} }],
        stop: 'max_tokens'
      }),
      async () => 'Later'
    ],
    { name: 'actor', price: { input: 1, output: 2, cacheWrite: 3, cacheRead: 4 } }
  )
  expect(model).toMatchObject({ name: 'actor', provider: 'script', price: { output: 2 } })
  expect(await askModel(model)).toMatchObject({
    content: [{ type: 'text', text: 'Hello' }],
    stop: 'end_turn',
    model: 'actor'
  })
  expect(await askModel(model)).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'I read.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } },
      { type: 'tool_use', id: 'mine' }
    ],
    stop: 'tool_use',
    usage: { input_tokens: 0, output_tokens: 3 }
  })
  expect(await askModel(model)).toMatchObject({
    content: [{ text: '1 messages' }, { id: 'toolu_2' }],
    stop: 'max_tokens'
  })
  expect(await askModel(model)).toMatchObject({ content: [{ text: 'Later' }] })

  const over = await failureIn(askModel(model))
  expect(over).toMatchObject({ retryable: false })
  expect(over.message).toContain('the script is over: it has 4 turns')
  expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1, 1])
})

test('S10: a script may be one object with turns and options, as in a file', async () => {
  const model = scriptedModel({ turns: ['once', 'again'], repeatLast: true, name: 'actor' })
  expect(model.name).toBe('actor')
  for (const text of ['once', 'again', 'again']) expect((await askModel(model)).content).toMatchObject([{ text }])
})

test('S10: without repeatLast a script in an object is over after its turns', async () => {
  const model = scriptedModel({ turns: ['once'] })
  await askModel(model)
  expect((await failureIn(askModel(model))).message).toContain('the script is over: it has one turn')
  expect(scriptedModel({ turns: [], name: 'a' }, { name: 'b' }).name).toBe('b')
})

test('S10: requests[i].messages are the messages that were sent, also when the conversation has grown since', async () => {
  const model = scriptedModel(['one', 'two'])
  const messages: Message[] = [{ role: 'user', content: 'first' }]
  await model.ask({ ...asking(), messages }, new AbortController().signal)
  messages.push({ role: 'assistant', content: [{ type: 'text', text: 'one' }] })
  await model.ask({ ...asking(), messages }, new AbortController().signal)
  expect(model.requests.map(request => request.messages.length)).toEqual([1, 2])
  expect(model.requests[0]?.messages).toEqual([{ role: 'user', content: 'first' }])
})

test('the last turn again and again', async () => {
  const model = scriptedModel(['once', 'again'], { repeatLast: true })
  for (const text of ['once', 'again', 'again', 'again'])
    expect((await askModel(model)).content).toMatchObject([{ text }])
})

test('failures', async () => {
  const model = scriptedModel([
    { fail: { status: 429, retryAfter: 50 } },
    { fail: { status: 400, message: 'bad' } },
    { fail: { why: 'overloaded' } },
    { fail: { status: 500, retryable: false } },
    { text: 'abc', cutAfter: 3 }
  ])
  expect(await failureIn(askModel(model))).toMatchObject({
    why: 'rate_limit',
    status: 429,
    retryable: true,
    retryAfter: 50
  })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'invalid_request', retryable: false, message: 'bad' })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'overloaded', retryable: true })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'server_error', retryable: false })
  const events: StreamEvent[] = []
  const cut = model.ask(asking(), new AbortController().signal, event => events.push(event))
  expect(await failureIn(cut)).toMatchObject({ why: 'server_error', retryable: true })
  expect(events.map(({ type }) => type)).toEqual(['message_start', 'content_block_start', 'content_block_delta'])
})

test.each([
  ['assert', () => assert.equal(1, 2, 'one is not two')],
  ['expect', () => expect(1, 'one is not two').toBe(2)],
  ['an error', () => Promise.reject(new Error('one is not two, fetch failed'))],
  [
    'an error of the system',
    () => {
      throw Object.assign(new Error('one is not two'), { code: 'ECONNRESET', status: 529 })
    }
  ]
])('what a turn throws is a mistake, and no one tries again: %s', async (_, mistake) => {
  const model = scriptedModel([
    'Hello',
    async () => {
      await mistake()
      return 'never'
    }
  ])
  await askModel(model)
  const failure = await failureIn(askModel(model))
  expect(failure).toMatchObject({ why: 'unknown', retryable: false, cause: expect.any(Error) })
  expect(failure.message).toMatch(/^turn 2 of the script threw: one is not two/)
})

test('a failure that a turn throws stays what it is', async () => {
  const busy = new ModelFailure('busy', { why: 'overloaded', retryable: true })
  const model = scriptedModel([() => Promise.reject(busy)])
  expect(await failureIn(askModel(model))).toBe(busy)
})

test('events as a provider would stream them', async () => {
  const model = scriptedModel([{ thinking: 'Hm', text: 'So', calls: [{ name: 'Bash', input: { command: 'ls' } }] }])
  const events: StreamEvent[] = []
  await model.ask(asking(), new AbortController().signal, event => events.push(event))
  expect(events.map(event => ('index' in event ? `${event.type} ${event.index}` : event.type))).toEqual([
    'message_start',
    'content_block_start 0',
    'content_block_delta 0',
    'content_block_delta 0',
    'content_block_stop 0',
    'content_block_start 1',
    'content_block_delta 1',
    'content_block_stop 1',
    'content_block_start 2',
    'content_block_delta 2',
    'content_block_stop 2',
    'message_delta',
    'message_stop'
  ])
})

test('a turn that never comes can be given up', async () => {
  const stop = new AbortController()
  const model = scriptedModel([() => new Promise(() => {}), 'not reached'])
  const answer = failureIn(model.ask(asking(), stop.signal))
  stop.abort()
  expect(await answer).toMatchObject({ retryable: false })
  expect(await failureIn(model.ask(asking(), stop.signal))).toMatchObject({ retryable: false })
  expect(model.requests).toHaveLength(1)
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carabiner-script-'))
})
afterAll(() => rm(folder, { recursive: true }))

const script = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

test('scripts in files, in JSON and in YAML', async () => {
  const json = await readScript(await script('a.json', '["one", { "calls": [{ "name": "Read", "input": {} }] }]'))
  expect((await askModel(json)).content).toMatchObject([{ text: 'one' }])
  expect((await askModel(json)).content).toMatchObject([{ type: 'tool_use', name: 'Read' }])
  const yaml = await readScript(
    await script('b.yaml', 'name: actor\nrepeatLast: true\nturns:\n  - text: hi\n    usage: { output_tokens: 4 }\n')
  )
  expect(yaml.name).toBe('actor')
  await askModel(yaml)
  expect(await askModel(yaml)).toMatchObject({ content: [{ text: 'hi' }], usage: { output_tokens: 4 } })
})

test.for([
  ['[1,', /:1:\d+: this is neither JSON nor YAML/],
  ['{}', /there are no turns; a script is a list/],
  ['- text: hi\n- txt: oops\n', /:2:\d+: there is no key "\[1\]\.txt" \(did you mean text\?\)/],
  ['turns:\n  - 3\n', /:2:5: "turns\[0\]" must be an object \{ thinking\?, text\?/],
  ['- calls:\n    - input: {}\n', /:2:7: "\[0\]\.calls\[0\]\.name" is missing/],
  ['- text: 5\n', /:1:9: "\[0\]\.text" must be a string, not 5/],
  ['- text: x\n  stop: never\n', /"\[0\]\.stop" must be "end_turn", .*, not "never"/],
  ['- fail: { status: no }\n', /fail\.status" must be a number/],
  ['turns: [a]\nname: 4\n', /:2:7: "name" must be a string/]
] as const)('what is wrong in %j is said, and where', async ([text, expected]) => {
  const file = await script('bad.yaml', text)
  const thrown: unknown = await readScript(file).catch((error: unknown) => error)
  expect(thrown).toMatchObject({ code: 'E_MODEL' })
  expect((thrown as Error).message).toMatch(expected)
  expect((thrown as Error).message).toContain(file)
})

test('a script that is not there', async () => {
  await expect(readScript(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'E_MODEL' })
})
