/** The real tool loop of the AI SDK, in both of its ways, with a fake model. */
import { generateText, isStepCount, streamText, type ModelMessage } from 'ai'
import type { MockLanguageModelV4 } from 'ai/test'

/** What came of a run: what the model was sent last, all parts of a stream, and the messages to resume with. */
export interface FakeRun {
  readonly modelSaw: string
  readonly parts: readonly { readonly type: string }[]
  readonly messages: ModelMessage[]
  readonly steps: number
  /** The inputs that a person is asked about. */
  readonly questions: readonly unknown[]
}

export type CallWay = 'generateText' | 'streamText'
export const CALL_WAYS: readonly CallWay[] = ['generateText', 'streamText']

/** Guarded tools of any type, or others. */
export interface LoopTools {
  readonly tools: object
  readonly toolApproval?: unknown
  readonly isStopped?: unknown
  readonly experimental_toolCallers?: object
}

/** Runs the loop of the SDK in one of its two ways. */
export async function runLoop(
  way: CallWay,
  model: MockLanguageModelV4,
  guarded: LoopTools,
  messages: ModelMessage[] = [{ role: 'user', content: 'go' }]
): Promise<FakeRun> {
  const { tools, toolApproval, isStopped, experimental_toolCallers } = guarded
  const options = {
    model,
    tools,
    toolApproval,
    experimental_toolCallers,
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
  const steps = await run.steps
  const calls = way === 'generateText' ? model.doGenerateCalls : model.doStreamCalls
  return {
    modelSaw: JSON.stringify(calls.at(-1)?.prompt),
    parts,
    messages: [...messages, ...(await run.responseMessages)],
    steps: steps.length,
    questions: steps.flatMap(step =>
      step.content.flatMap(part =>
        part.type === 'tool-approval-request' && part.isAutomatic !== true ? [part.toolCall.input] : []
      )
    )
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
