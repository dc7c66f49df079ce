/** A stream is cut at every `step`th byte. Nothing of a cut answer is handed out, and asking again may help. */
import { expect, test } from 'vitest'
import type { Answer, Model, StreamEvent } from '../../src/index.ts'
import { anthropicBytes, type AnthropicReply } from '../support/anthropic-server.ts'
import { openaiBytes, type OpenAIReply } from '../support/openai-server.ts'
import { askModel, asking, chat, claude, failureIn } from './model-kit.ts'

const CALLS: AnthropicReply = {
  blocks: [
    { type: 'thinking', thinking: 'Größe zählt', signature: 'c2ln', pieces: 2 },
    { type: 'text', text: 'Now ☂', pieces: 2 },
    { type: 'tool_use', id: 'toolu_a', name: 'Bash', input: { command: 'rm -rf ./build' }, pieces: 2 },
    { type: 'tool_use', id: 'toolu_b', name: 'Bash', input: {}, pieces: 1 }
  ]
}
const WORDS: AnthropicReply = { blocks: [{ type: 'text', text: 'One, two, three.', pieces: 4 }] }
const CHAT_CALLS: OpenAIReply = {
  text: 'Now',
  calls: [
    { name: 'Bash', input: { command: 'rm -rf ./build' }, pieces: 2 },
    { name: 'Bash', input: {}, pieces: 1 }
  ]
}
const CHAT_WORDS: OpenAIReply = { text: 'One, two ☂' }

/** So many requests are under way at once. */
const LANES = 8

/** What comes of each cut, and how far its events went. */
async function cuts(model: Model, count: number): Promise<{ answers: Answer[]; refused: number; stopped: number }> {
  const answers: Answer[] = []
  let refused = 0
  let stopped = 0
  let next = 0
  const lane = async (): Promise<void> => {
    while (next++ < count) {
      const events: StreamEvent[] = []
      const asked = model.ask(asking(), new AbortController().signal, event => events.push(event))
      const answer = await asked.catch(() => undefined)
      if (answer !== undefined) answers.push(answer)
      else {
        const failure = await failureIn(asked)
        expect(failure).toMatchObject({ retryable: true, why: 'server_error' })
        refused++
      }
      if (events.some(({ type }) => type === 'message_stop')) stopped++
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return { answers, refused, stopped }
}

/** The same reply, cut at these bytes. */
const cutAtEach = <R extends object>(reply: R, places: readonly number[], cutBy: 'reset' | 'end') =>
  places.map(cutAt => ({ ...reply, cutAt, cutBy }))

const HANGS = { timeout: 300_000 }

export function cutStreamTests(step: number): void {
  const placesIn = ({ length }: { readonly length: number }): readonly number[] =>
    Array.from({ length }, (_, at) => at).filter(at => at % step === 0 || at === length - 1)

  // The answer is whole when its last event is, a blank line included: one byte less is a cut answer.
  test('calls of Anthropic, with the connection broken', HANGS, async () => {
    const places = placesIn(anthropicBytes(CALLS))
    const { model } = await claude(cutAtEach(CALLS, places, 'reset'))
    expect(await cuts(model, places.length)).toEqual({ answers: [], refused: places.length, stopped: 0 })
  })

  test('words of Anthropic, ended as if they were complete', HANGS, async () => {
    const places = placesIn(anthropicBytes(WORDS))
    const { model } = await claude(cutAtEach(WORDS, places, 'end'))
    expect(await cuts(model, places.length)).toEqual({ answers: [], refused: places.length, stopped: 0 })
  })

  test('words of chat completions, with the connection broken', HANGS, async () => {
    const places = placesIn(openaiBytes(CHAT_WORDS))
    const { model } = await chat(cutAtEach(CHAT_WORDS, places, 'reset'))
    expect(await cuts(model, places.length)).toEqual({ answers: [], refused: places.length, stopped: 0 })
  })

  test('calls of chat completions, ended as if they were complete', HANGS, async () => {
    const bytes = openaiBytes(CHAT_CALLS)
    // Such servers say why they stop before they tell what it cost: from there on the answer is whole.
    const complete = bytes.indexOf('\n\n', bytes.indexOf('"finish_reason":"')) + 2
    const places = placesIn(bytes)
    const { model } = await chat([CHAT_CALLS, ...cutAtEach(CHAT_CALLS, places, 'end')])
    const { content } = await askModel(model)
    const { answers, refused } = await cuts(model, places.length)
    expect(refused).toBe(places.filter(at => at < complete).length)
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of answers) expect(answer.content).toEqual(content)
  })
}
