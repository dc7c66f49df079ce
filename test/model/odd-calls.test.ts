// FM55: each call of a model, in any form, is emitted once, with a unique id, and can be answered.
import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import type { Message, ToolUseBlock } from '../../src/hooks.ts'
import type { Answer } from '../../src/index.ts'
import { askModel, asking, chat, claude } from './model-kit.ts'

const callsOf = ({ content }: Answer): readonly ToolUseBlock[] => content.filter(block => block.type === 'tool_use')

const inputOf = (json: string): unknown => {
  const value: unknown = JSON.parse(json === '' ? '{}' : json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object')
  return value
}

test('an input that is no JSON object stays the text that it was, and goes back as an object', async () => {
  const odd = ['{"a":', 'nonsense', '[1]', '"text"', '42', 'null', '{"a":1}{"b":2}', '{"__proto__":{"x":1}}']
  const { model, server } = await claude([
    { blocks: odd.map((json, at) => ({ type: 'tool_use', id: `toolu_${at}`, name: 'Bash', json })) },
    { blocks: [] }
  ])
  const answer = await askModel(model)
  expect(callsOf(answer).map(({ input }) => input)).toEqual(odd)
  const messages: Message[] = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: answer.content },
    {
      role: 'user',
      content: callsOf(answer).map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: 'no',
        is_error: true
      }))
    }
  ]
  await askModel(model, asking({ messages }))
  const sent = server.requests[1]!.body.messages[1]!.content
  expect(sent.map(block => block['input'])).toEqual(odd.map(text => ({ invalid_input: text })))
})

test('a call that was cut for want of room is never a call without arguments', async () => {
  const { model } = await claude([
    { blocks: [{ type: 'tool_use', name: 'Clear', json: '' }], stop: 'max_tokens' },
    { blocks: [{ type: 'tool_use', name: 'Clear', json: '' }] },
    { blocks: [{ type: 'tool_use', name: 'Write', json: '{"file_path":"/a","content":"half' }], stop: 'max_tokens' }
  ])
  const cut = await askModel(model)
  expect(cut.stop).toBe('max_tokens')
  expect(callsOf(cut)[0]!.input).toBe('')
  expect(callsOf(await askModel(model))[0]!.input).toEqual({})
  expect(typeof callsOf(await askModel(model))[0]!.input).toBe('string')
})

test('equal ids are made different, in one answer and from one answer to the next', async () => {
  const twice = {
    blocks: [1, 2, 3].map(n => ({ type: 'tool_use', id: 'toolu_x', name: 'Bash', input: { n } }) as const)
  }
  const { model } = await claude([twice, twice])
  const messages: Message[] = [{ role: 'user', content: 'Go' }]
  const first = await askModel(model, asking({ messages }))
  expect(callsOf(first).map(({ id, input }) => [id, input])).toEqual([
    ['toolu_x', { n: 1 }],
    ['toolu_x_2', { n: 2 }],
    ['toolu_x_3', { n: 3 }]
  ])
  messages.push({ role: 'assistant', content: first.content })
  const second = await askModel(model, asking({ messages }))
  expect(callsOf(second).map(({ id }) => id)).toEqual(['toolu_x_4', 'toolu_x_5', 'toolu_x_6'])
})

test('a hundred calls side by side', async () => {
  const calls = Array.from({ length: 100 }, (_, n) => ({ id: `call_${n % 50}`, name: 'Read', input: { n } }))
  const { model } = await chat([{ calls }])
  const got = callsOf(await askModel(model))
  expect(got.map(({ input }) => input)).toEqual(calls.map(({ input }) => input))
  expect(new Set(got.map(({ id }) => id)).size).toBe(100)
})

test('any text as input, in any pieces', async () => {
  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc.object({ withBigInt: false, maxDepth: 2 }).map(it => JSON.stringify(it))
  )
  const call = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    name: fc.constantFrom('Read', 'Bash'),
    json,
    pieces: fc.nat(5)
  })
  const { model, server } = await claude([])
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async calls => {
      server.reply({ blocks: calls.map(one => ({ type: 'tool_use', ...one, pieces: one.pieces + 1 })) })
      const got = callsOf(await askModel(model))
      expect(new Set(got.map(({ id }) => id)).size).toBe(calls.length)
      for (const [at, { name, input }] of got.entries()) {
        expect(name).toBe(calls[at]!.name)
        if (typeof input === 'string') expect(input).toBe(calls[at]!.json)
        else expect(input).toEqual(inputOf(calls[at]!.json.trim()))
      }
    }),
    { numRuns: 200 }
  )
})
