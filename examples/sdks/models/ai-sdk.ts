/** A model for the AI SDK that needs no network: it makes these calls, one turn after the other, and then says `Done.` */
import { simulateReadableStream } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

type Answer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>
type Stream = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream']
type Content = Answer['content'][number]
type StreamPart = Stream extends ReadableStream<infer Part> ? Part : never

export interface ScriptedCall {
  readonly name: string
  readonly input: unknown
  readonly id?: string
  readonly providerExecuted?: boolean
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

export function scriptedModel(...turns: readonly (readonly ScriptedCall[])[]): MockLanguageModelV4 {
  let turn = 0
  let call = 0
  const next = (): {
    content: Content[]
    finishReason: { unified: 'stop' | 'tool-calls'; raw: undefined }
  } => {
    const calls = turns[turn++] ?? []
    const content = calls.map(({ name, input, id, providerExecuted = false }): Content => ({
      type: 'tool-call',
      toolCallId: id ?? `call-${++call}`,
      toolName: name,
      input: JSON.stringify(input),
      ...(providerExecuted && { providerExecuted, dynamic: true })
    }))
    return {
      content: calls.length === 0 ? [{ type: 'text', text: 'Done.' }] : content,
      finishReason: { unified: calls.length === 0 ? 'stop' : 'tool-calls', raw: undefined }
    }
  }
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(), usage, warnings: [] }),
    doStream: async () => {
      const { content, finishReason } = next()
      const parts = content.flatMap((part): StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' }
            ]
          : [part as StreamPart]
      )
      const chunks: StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason, usage }
      ]
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    }
  })
}
