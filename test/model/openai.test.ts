import { expect, test } from 'vitest'
import type { Message } from '../../src/hooks.ts'
import type { StreamEvent } from '../../src/index.ts'
import { askModel, asking, chat, TOOLS } from './model-kit.ts'

test('through chat completions: reasoning, words, calls whose pieces are mixed, cached tokens', async () => {
  const { model, server } = await chat([
    {
      reasoning: 'Hm, two files.',
      text: 'Both, then.',
      calls: [
        { id: 'call_a', name: 'Read', input: { file_path: '/a' } },
        { id: 'call_b', name: 'Read', input: { file_path: '/b' } }
      ],
      usage: { prompt_tokens: 100, completion_tokens: 9, cached_tokens: 60 }
    },
    { text: 'Done.' }
  ])
  const messages: Message[] = [{ role: 'user', content: 'Look' }]
  const request = asking({ messages, tools: TOOLS, effort: 'high', maxTokens: 99 })
  const events: StreamEvent[] = []
  const answer = await model.ask(request, new AbortController().signal, event => events.push(event))
  expect(answer).toEqual({
    id: 'chatcmpl-1',
    model: 'gpt-test',
    content: [
      { type: 'thinking', thinking: 'Hm, two files.' },
      { type: 'text', text: 'Both, then.' },
      { type: 'tool_use', id: 'call_a', name: 'Read', input: { file_path: '/a' } },
      { type: 'tool_use', id: 'call_b', name: 'Read', input: { file_path: '/b' } }
    ],
    stop: 'tool_use',
    usage: { input_tokens: 40, output_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 60 }
  })
  const starts = events.flatMap(event => (event.type === 'content_block_start' ? [event.index] : []))
  const stops = events.flatMap(event => (event.type === 'content_block_stop' ? [event.index] : []))
  expect(starts).toEqual([0, 1, 2, 3])
  expect(new Set(stops)).toEqual(new Set(starts))

  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } } as const
  messages.push({ role: 'assistant', content: answer.content })
  messages.push({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'a picture' }, image] },
      { type: 'tool_result', tool_use_id: 'call_b', content: 'text' }
    ]
  })
  expect((await askModel(model, request)).content).toEqual([{ type: 'text', text: 'Done.' }])
  const [first, second] = server.requests.map(({ body }) => body)
  expect(first).toMatchObject({ reasoning_effort: 'high', max_tokens: 99, stream_options: { include_usage: true } })
  expect(second!.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user'])
  expect(second!.messages.slice(3)).toMatchObject([
    { tool_call_id: 'call_a', content: 'a picture' },
    { tool_call_id: 'call_b', content: 'text' },
    { content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] }
  ])
})

test('a schema for the answer is sent as one, and not a strict one', async () => {
  const { model, server } = await chat([{ text: '{"n":1}' }])
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } } }
  const answer = await askModel(model, asking({ outputSchema }))
  expect(answer.content).toEqual([{ type: 'text', text: '{"n":1}' }])
  expect(server.requests[0]!.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { schema: outputSchema, strict: false }
  })
})

test('notes between calls and results do not come between them', async () => {
  const { model, server } = await chat([{ text: 'ok' }])
  await askModel(
    model,
    asking({
      messages: [
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
        { role: 'system', content: 'note' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
        { role: 'user', content: 'and now' }
      ]
    })
  )
  const roles = server.requests[0]!.body.messages.map(({ role }) => role)
  expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
})
