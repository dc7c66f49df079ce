/** A fake model for the real tool loop of the AI SDK: it makes these calls, turn by turn, and then says `done`. */
import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, isStepCount, simulateReadableStream, streamText, type ModelMessage } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

export interface ModelCall {
  readonly tool: string
  readonly input: unknown
  readonly id?: string
  readonly providerExecuted?: boolean
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}

export function fakeModel(...turns: readonly (readonly ModelCall[])[]): MockLanguageModelV4 {
  let turn = 0
  let call = 0
  const next = (): {
    content: LanguageModelV4Content[]
    finishReason: { unified: 'stop' | 'tool-calls'; raw: undefined }
  } => {
    const calls = turns[turn++] ?? []
    const content = calls.map(({ tool, input, id, providerExecuted = false }): LanguageModelV4Content => ({
      type: 'tool-call',
      toolCallId: id ?? `call-${++call}`,
      toolName: tool,
      input: JSON.stringify(input),
      ...(providerExecuted && { providerExecuted, dynamic: true })
    }))
    return {
      content: calls.length === 0 ? [{ type: 'text', text: 'done' }] : content,
      finishReason: { unified: calls.length === 0 ? 'stop' : 'tool-calls', raw: undefined }
    }
  }
  return new MockLanguageModelV4({
    doGenerate: async () => ({ ...next(), usage, warnings: [] }),
    doStream: async () => {
      const { content, finishReason } = next()
      const parts = content.flatMap((part): LanguageModelV4StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start', id: 't' },
              { type: 'text-delta', id: 't', delta: part.text },
              { type: 'text-end', id: 't' }
            ]
          : [part as LanguageModelV4StreamPart]
      )
      const chunks: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...parts,
        { type: 'finish', finishReason, usage }
      ]
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) }
    }
  })
}

/** What came of a run: what the model was sent last, all parts of a stream, and the messages to resume with. */
export interface FakeRun {
  readonly modelSaw: string
  readonly parts: readonly { readonly type: string }[]
  readonly messages: ModelMessage[]
  readonly steps: number
}

export type Way = 'generateText' | 'streamText'
export const WAYS: readonly Way[] = ['generateText', 'streamText']

/** Guarded tools of any type, or others. */
export interface LoopTools {
  readonly tools: object
  readonly toolApproval?: unknown
  readonly isStopped?: unknown
}

/** Runs the loop of the SDK in one of its two ways. */
export async function runLoop(
  way: Way,
  model: MockLanguageModelV4,
  guarded: LoopTools,
  messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
): Promise<FakeRun> {
  const { tools, toolApproval, isStopped } = guarded
  const options = {
    model,
    tools,
    toolApproval,
    messages,
    stopWhen: [isStepCount(5), ...(isStopped === undefined ? [] : [isStopped])]
  } as unknown as Parameters<typeof generateText>[0]
  const parts: { type: string }[] = []
  const errors: unknown[] = []
  const run =
    way === 'generateText'
      ? await generateText(options)
      : streamText({ ...options, onError: ({ error }) => void errors.push(error) } as Parameters<typeof streamText>[0])
  if ('stream' in run) for await (const part of run.stream) parts.push(part)
  if (errors.length > 0) throw errors[0]
  const calls = way === 'generateText' ? model.doGenerateCalls : model.doStreamCalls
  return {
    modelSaw: JSON.stringify(calls.at(-1)?.prompt),
    parts,
    messages: [...messages, ...(await run.responseMessages)],
    steps: (await run.steps).length
  }
}

/** The history with a person's answer to every question that is open in it. */
export function answered(messages: readonly ModelMessage[], approved: boolean): ModelMessage[] {
  const requests = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string'
      ? content.filter(part => part.type === 'tool-approval-request' && part.isAutomatic !== true)
      : []
  )
  const content = requests.map(part => ({
    type: 'tool-approval-response' as const,
    approvalId: 'approvalId' in part ? part.approvalId : '',
    approved
  }))
  return [...messages, { role: 'tool', content }]
}
