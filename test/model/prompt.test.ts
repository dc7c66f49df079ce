import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import type { Block, Message } from '../../src/hooks.ts'
import { converter, promptOf } from '../../src/lib/model/prompt.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const words = fc.constantFrom('', ' ', 'hello', 'more words')
const text = words.map((said): Block => ({ type: 'text', text: said }))
const image = fc.constant<Block>({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } })
const block: fc.Arbitrary<Block> = fc.oneof(
  text,
  image,
  fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: fc.constantFrom('s', undefined) }),
  fc.record({ type: fc.constant('redacted_thinking' as const), data: fc.constant('xx') }),
  fc.record({
    type: fc.constant('tool_use' as const),
    id,
    name: fc.constantFrom('Read', 'Bash'),
    input: fc.oneof(fc.object({ maxDepth: 1 }), fc.string())
  }),
  fc.record({
    type: fc.constant('tool_result' as const),
    tool_use_id: id,
    content: fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 3 })),
    is_error: fc.boolean()
  })
)
const message: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const),
  content: fc.oneof(words, fc.array(block, { maxLength: 4 }))
})

/** What may happen to a conversation between two calls. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.array(message, { maxLength: 3 }).map(more => (all: Message[]) => void all.push(...more)) },
  fc.nat().map(at => (all: Message[]) => void all.splice(at % (all.length + 1), 1)),
  fc.tuple(fc.nat(), message).map(
    ([at, one]) =>
      (all: Message[]) =>
        void all.splice(at % (all.length + 1), 0, one)
  ),
  fc.constant((all: Message[]) => void all.splice(0, Math.floor(all.length / 2)))
)

test('a conversation that was converted step by step is the same as one converted at once', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 12 }), (imagesApart, steps) => {
      const convert = converter(imagesApart)
      const messages: Message[] = []
      const calls: { seen: string; prompt: unknown }[] = []
      for (const change of steps) {
        change(messages)
        const prompt = promptOf('Be brief.', convert(messages))
        expect(prompt).toEqual(promptOf('Be brief.', converter(imagesApart)([...messages])))
        calls.push({ seen: JSON.stringify(prompt), prompt })
      }
      // What one call was given does not change because of a later one.
      for (const { seen, prompt } of calls) expect(JSON.stringify(prompt)).toBe(seen)
    })
  )
})

test('turns alternate, and results stand right after calls', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), messages => {
      const roles = converter(false)(messages).prompt.map(({ role }) => role)
      for (const [at, role] of roles.entries()) {
        if (role !== 'assistant') expect(roles[at - 1]).not.toBe(role)
        if (role === 'tool') expect(roles[at - 1]).not.toBe('user')
      }
    })
  )
})

test('only what is new is converted', () => {
  const convert = converter(false)
  const messages: Message[] = [{ role: 'user', content: 'one' }]
  let reads = 0
  const watched = (role: Message['role'], content: string): Message => ({
    role,
    get content() {
      reads++
      return content
    }
  })
  messages.push(watched('assistant', 'two'), watched('user', 'three'))
  convert(messages)
  const before = convert(messages).prompt[0]
  expect(reads).toBe(2)
  messages.push(watched('assistant', 'four'), watched('user', 'five'))
  const { prompt } = convert(messages)
  expect(reads).toBe(4)
  expect(prompt).toHaveLength(5)
  expect(prompt[0]).toBe(before)
})
