import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { expect, test } from 'vitest'
import type { Message } from '../../src/hooks.ts'
import { fromLanguageModel } from '../../src/lib/model/ai-sdk.ts'
import { askModel, asking, failureIn } from './model-kit.ts'

const USAGE = {
  inputTokens: { total: 30, noCache: undefined, cacheRead: 10, cacheWrite: undefined },
  outputTokens: { total: 4, text: undefined, reasoning: undefined }
}

const finish = (unified: 'stop' | 'tool-calls' | 'interrupted' | 'other'): LanguageModelV4StreamPart => ({
  type: 'finish',
  usage: USAGE,
  finishReason: { unified, raw: undefined }
})

/** A custom model: it emits these parts, and ignores signals. */
function ownModel(
  ...answers: readonly LanguageModelV4StreamPart[][]
): LanguageModelV4 & { calls: LanguageModelV4CallOptions[] } {
  const calls: LanguageModelV4CallOptions[] = []
  return {
    specificationVersion: 'v4',
    provider: 'own.thing',
    modelId: 'own-1',
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('not asked for')),
    doStream(options) {
      const parts = answers[calls.push(options) - 1]
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts ?? []) controller.enqueue(part)
          if (parts !== undefined) controller.close()
        }
      })
      return Promise.resolve({ stream })
    }
  }
}

test('any model of the AI SDK: calls that come whole, things that have no place, what it wants back', async () => {
  const own = ownModel(
    [
      { type: 'stream-start', warnings: [] },
      { type: 'text-delta', id: '1', delta: 'Here' },
      { type: 'text-end', id: '1' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' },
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'Read',
        input: '{"file_path":"/a"}',
        providerMetadata: { own: { thoughtSignature: 'sig' } }
      },
      finish('stop')
    ],
    [{ type: 'text-start', id: '1' }, { type: 'text-end', id: '1' }, finish('other')]
  )
  const model = fromLanguageModel(own, { price: { input: 1, output: 1, cacheWrite: 1, cacheRead: 1 } })
  expect(model).toMatchObject({ name: 'own-1', provider: 'own', price: { input: 1 } })
  const messages: Message[] = [{ role: 'user', content: 'Go' }]
  const answer = await askModel(model, asking({ messages }))
  expect(answer).toMatchObject({
    model: 'own-1',
    content: [
      { type: 'text', text: 'Here' },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/a' } }
    ],
    stop: 'tool_use',
    usage: { input_tokens: 20, output_tokens: 4, cache_read_input_tokens: 10 },
    leftOut: ['file']
  })
  expect(answer.id).toMatch(/^msg_/)

  messages.push({ role: 'assistant', content: answer.content })
  expect(await askModel(model, asking({ messages }))).toMatchObject({ content: [], stop: 'end_turn' })
  expect(own.calls[1]!.prompt[2]).toMatchObject({
    role: 'assistant',
    content: [{ type: 'text' }, { type: 'tool-call', providerOptions: { own: { thoughtSignature: 'sig' } } }]
  })
})

// FM53
test('no end, half an end, and a block that stays open', async () => {
  const call: LanguageModelV4StreamPart[] = [
    { type: 'tool-input-start', id: 'c', toolName: 'Bash' },
    { type: 'tool-input-delta', id: 'c', delta: '{"command":"ls"}' },
    { type: 'tool-input-end', id: 'c' }
  ]
  const model = fromLanguageModel(
    ownModel(
      [],
      call,
      [...call, finish('tool-calls')],
      [{ type: 'text-start', id: '1' }, finish('stop')],
      [{ type: 'text-start', id: '1' }, { type: 'text-end', id: '1' }, finish('interrupted')]
    )
  )
  for (let n = 0; n < 5; n++)
    expect(await failureIn(askModel(model))).toMatchObject({ retryable: true, why: 'server_error' })
})

test('a model that does not stop when it is told to is not waited for', async () => {
  const stop = new AbortController()
  const own = ownModel()
  const answer = failureIn(fromLanguageModel(own).ask(asking(), stop.signal))
  stop.abort()
  expect(await answer).toMatchObject({ retryable: false })
  expect(own.calls[0]!.abortSignal?.aborted).toBe(true)
})
