/** A model for Mastra that needs no network: it makes the given calls, then answers with text. */
import type { MastraModelConfig } from '@mastra/core/llm'

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly input: object
}

/** A model of the AI SDK, in the second version of that interface. */
type Model = Extract<
  MastraModelConfig,
  { specificationVersion: 'v2'; doGenerate: (request: never) => PromiseLike<{ content: unknown }> }
>
type Request = Parameters<Model['doStream']>[0]
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never
type Content = Awaited<ReturnType<Model['doGenerate']>>['content'][number]

const USAGE = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

export function scriptedModel(calls: readonly ScriptedCall[]): Model & { readonly requests: readonly Request[] } {
  const requests: Request[] = []
  const respond = (request: Request): Content[] => {
    requests.push(request)
    return requests.length === 1 ? calls.map(callPart) : [{ type: 'text', text: 'Done.' }]
  }
  const finishReason = (): 'tool-calls' | 'stop' => (requests.length === 1 ? 'tool-calls' : 'stop')
  return {
    requests,
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async request => {
      const content = respond(request)
      return { content, finishReason: finishReason(), usage: USAGE, warnings: [] }
    },
    doStream: async request => {
      const parts = respond(request).flatMap(streamParts)
      const finish: StreamPart = { type: 'finish', finishReason: finishReason(), usage: USAGE }
      return { stream: ReadableStream.from([...parts, finish]) as ReadableStream<StreamPart> }
    }
  }
}

const streamParts = (part: Content): StreamPart[] =>
  part.type === 'text'
    ? [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: part.text },
        { type: 'text-end', id: '1' }
      ]
    : [part as StreamPart]

const callPart = ({ id, name, input }: ScriptedCall): Content => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: JSON.stringify(input)
})
