import { expect, test } from 'vitest'
import type { StreamEvent } from '../../src/index.ts'
import type { Message } from '../../src/hooks.ts'
import { askModel, asking, claude, TOOLS } from './model-kit.ts'

const THOUGHT = { type: 'thinking', thinking: 'Let me see what there is', signature: 'c2lnbmVk' } as const
const HIDDEN = { type: 'redacted_thinking', data: 'b3BhcXVl' } as const

test('thoughts, words and calls side by side arrive whole, with tokens by where they came from', async () => {
  const { model, server } = await claude([
    {
      blocks: [
        THOUGHT,
        HIDDEN,
        { type: 'text', text: 'I will read both.' },
        { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a', limit: 3 }, pieces: 7 },
        { type: 'tool_use', id: 'toolu_b', name: 'Read', input: {} }
      ],
      usage: { input_tokens: 5, output_tokens: 40, cache_creation_input_tokens: 300, cache_read_input_tokens: 2000 },
      id: 'msg_42',
      model: 'claude-sonnet-4-5-20250929'
    }
  ])
  const answer = await askModel(model, asking({ tools: TOOLS }))
  expect(answer).toEqual({
    id: 'msg_42',
    model: 'claude-sonnet-4-5-20250929',
    content: [
      THOUGHT,
      HIDDEN,
      { type: 'text', text: 'I will read both.' },
      { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a', limit: 3 } },
      { type: 'tool_use', id: 'toolu_b', name: 'Read', input: {} }
    ],
    stop: 'tool_use',
    usage: { input_tokens: 5, output_tokens: 40, cache_creation_input_tokens: 300, cache_read_input_tokens: 2000 }
  })
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]!.headers['x-api-key']).toBeDefined()
})

test('what is sent back is what came: thoughts with their signature, calls, results, notes', async () => {
  const { model, server } = await claude([
    { blocks: [THOUGHT, HIDDEN, { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a' } }] },
    { blocks: [{ type: 'text', text: 'Done.' }] }
  ])
  const messages: Message[] = [{ role: 'user', content: 'Look' }]
  const request = asking({ messages, tools: TOOLS })
  const answer = await askModel(model, request)
  messages.push({ role: 'assistant', content: answer.content })
  messages.push({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_a', content: 'no such file', is_error: true }]
  })
  messages.push({ role: 'system', content: 'A hook has a note.' })
  await askModel(model, request)

  const cached = { cache_control: { type: 'ephemeral' } }
  expect(server.requests[1]!.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Look' }] },
    {
      role: 'assistant',
      content: [THOUGHT, HIDDEN, { type: 'tool_use', id: 'toolu_a', name: 'Read', input: { file_path: '/a' } }]
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_a', content: 'no such file', is_error: true },
        { type: 'text', text: '<system-reminder>\nA hook has a note.\n</system-reminder>', ...cached }
      ]
    }
  ])
})

test('the ends of tools, instructions and conversation are marked for the cache, and older marks are gone', async () => {
  const { model, server } = await claude([{ blocks: [{ type: 'text', text: 'One' }] }, { blocks: [] }])
  const messages: Message[] = [{ role: 'user', content: 'First' }]
  const request = asking({ messages, tools: TOOLS })
  const { content } = await askModel(model, request)
  messages.push({ role: 'assistant', content }, { role: 'user', content: 'Second' })
  await askModel(model, request)

  const cached = { cache_control: { type: 'ephemeral' } }
  const [first, second] = server.requests.map(({ body }) => body)
  expect(first!.system).toEqual([{ type: 'text', text: 'Be brief.', ...cached }])
  expect(first!.tools?.map(tool => tool['cache_control'])).toEqual([undefined, cached.cache_control])
  expect(first!.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'First', ...cached }] }])
  expect(second!.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'First' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'One' }] },
    { role: 'user', content: [{ type: 'text', text: 'Second', ...cached }] }
  ])
})

test('pictures, alone and in results of tools', async () => {
  const { model, server } = await claude([{ blocks: [] }])
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } } as const
  const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} }) as const
  await askModel(
    model,
    asking({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'See' }, image] },
        { role: 'assistant', content: [call('a'), call('b')] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'it:' }, image] },
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'no:' }, image], is_error: true }
          ]
        }
      ]
    })
  )
  const [first, , third] = server.requests[0]!.body.messages
  expect(first!.content).toEqual([{ type: 'text', text: 'See' }, image])
  expect(third!.content).toEqual([
    { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'it:' }, image] },
    { type: 'tool_result', tool_use_id: 'b', content: 'no:', is_error: true },
    { ...image, cache_control: { type: 'ephemeral' } }
  ])
})

test('events have the shapes and the indexes of the wire', async () => {
  const { model } = await claude([
    {
      blocks: [
        THOUGHT,
        { type: 'text', text: 'abc' },
        { type: 'tool_use', id: 'toolu_a', name: 'Bash', json: '{"a":1}' }
      ],
      usage: { input_tokens: 7, cache_read_input_tokens: 9 }
    }
  ])
  const events: StreamEvent[] = []
  const answer = await model.ask(asking(), new AbortController().signal, event => events.push(event))
  expect(events[0]).toEqual({
    type: 'message_start',
    message: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 7, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 9 }
    }
  })
  expect(events.slice(6, 11)).toEqual([
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'a' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'b' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'c' } }
  ])
  expect(events.slice(11)).toEqual([
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'toolu_a', name: 'Bash', input: {} }
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '":1' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: answer.usage },
    { type: 'message_stop' }
  ])
})

test('thinking, effort, tokens, a schema for the answer', async () => {
  const { model, server } = await claude([{ blocks: [] }, { blocks: [] }], undefined, 'claude-opus-4-6')
  const outputSchema = {
    type: 'object',
    properties: { n: { type: 'number' } },
    required: ['n'],
    additionalProperties: false
  }
  await askModel(model, asking({ maxTokens: 4000, thinking: 2000, effort: 'low', outputSchema }))
  await askModel(model, asking({ thinking: 0 }))
  const [first, second] = server.requests.map(({ body }) => body)
  expect(first!.thinking).toEqual({ type: 'enabled', budget_tokens: 2000 })
  expect(first!.max_tokens).toBeGreaterThanOrEqual(4000)
  expect(first!.output_config).toMatchObject({ effort: 'low', format: { type: 'json_schema' } })
  expect(second!.thinking).toEqual({ type: 'disabled' })
})

test('tools of the provider are off unless they are named, and what it ran is recorded, not handed out', async () => {
  const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'cats' } } as const
  const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [] }
  const reply = { blocks: [search, { type: 'other', block: found }, { type: 'text', text: 'Cats.' }] } as const
  const { model, server } = await claude([reply, reply])
  await askModel(model)
  const answer = await askModel(model, asking({ tools: TOOLS, serverTools: ['web_search'] }))
  expect(server.requests[0]!.body.tools).toBeUndefined()
  expect(server.requests[1]!.body.tools?.map(tool => tool['name'])).toEqual(['Read', 'Bash', 'web_search'])
  expect(answer.content).toEqual([{ type: 'text', text: 'Cats.' }])
  expect(answer.ungated).toEqual([{ name: 'web_search', input: { query: 'cats' } }])
  await expect(askModel(model, asking({ serverTools: ['nope'] }))).rejects.toThrow(/web_search/)
})
