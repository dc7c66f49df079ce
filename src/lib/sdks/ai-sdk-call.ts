import type { JSONValue, ModelMessage, Tool, ToolApprovalRequest, ToolExecutionOptions, ToolSet } from 'ai'
import { errorMessage } from '../errors.ts'
import type { Outcome } from '../hooks/dispatch/outcome.ts'
import { afterFailure, finishCall, passOnValues } from '../hooks/guard.ts'
import type { Fires, GuardedCall, GuardOptions } from '../hooks/guard.ts'
import { isObject } from '../util/plain.ts'

export type SdkTool = ToolSet[string]
export type ExecuteOptions = ToolExecutionOptions<never>

/** The question about this call that a person has approved, if the run was resumed with that answer. */
export function approvedRequest(messages: readonly ModelMessage[], id: string): ToolApprovalRequest | undefined {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return undefined
  const approved = last.content.flatMap(part =>
    part.type === 'tool-approval-response' && part.approved ? part.approvalId : []
  )
  if (approved.length === 0) return undefined
  return messages
    .flatMap(({ role, content }) => (role === 'assistant' && typeof content !== 'string' ? content : []))
    .find(
      part => part.type === 'tool-approval-request' && part.toolCallId === id && approved.includes(part.approvalId)
    ) as ToolApprovalRequest | undefined
}

/** The question for a person. It names the input, since the answer comes with a history that may have changed. */
export async function questionAbout(
  call: GuardedCall,
  { decision, by, reason, updatedInput }: Outcome
): Promise<string> {
  const asked =
    decision === 'ask' ? `${by} asks${reason === undefined ? '' : `: ${reason}`}` : 'the tool needs approval'
  const rewritten = updatedInput === undefined ? '' : `; it will run with ${JSON.stringify(updatedInput)}`
  const bytes = new TextEncoder().encode(JSON.stringify([call.tool_name, call.tool_input, updatedInput], sortKeys))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 6)
  return `${asked}${rewritten} [input ${Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')}]`
}

const sortKeys = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value

/** Whether the tool takes this input. The schema cannot say so if it does not take `own` either, which it has transformed. */
export async function fitsSchema(tool: SdkTool, input: unknown, own: unknown): Promise<boolean> {
  const { asSchema } = await import('ai')
  const { validate } = asSchema(tool.inputSchema)
  const isValid = async (value: unknown): Promise<boolean> => (await validate?.(value))?.success !== false
  return (await isValid(input)) || !(await isValid(own))
}

/** A call that may run with the input in `call`. `contexts` receives what hooks want the model to see. */
export interface PermittedCall {
  readonly hooks: Fires
  readonly call: GuardedCall
  readonly contexts: readonly string[]
  readonly options: GuardOptions<[], unknown>
}

/** Runs the tool with the input that was judged. A stream stays one: hooks see, and may replace, its last value. */
export function runPermitted(permitted: PermittedCall, tool: SdkTool, options: ExecuteOptions): unknown {
  const { hooks, call } = permitted
  const guarded = { hooks, toolName: call.tool_name, options: { ...permitted.options, signal: options.abortSignal } }
  let running: unknown
  try {
    running = tool.execute?.(call.tool_input, options)
  } catch (error) {
    running = Promise.reject(error)
  }
  return isObject(running) && Symbol.asyncIterator in running
    ? passOnValues(guarded, running as unknown as AsyncIterable<unknown>, call)
    : settle({ ...permitted, ...guarded }, running)
}

async function settle(guarded: PermittedCall & { toolName: string }, running: unknown): Promise<unknown> {
  const { hooks, call, contexts, options } = guarded
  let result: unknown
  try {
    result = await running
  } catch (error) {
    await afterFailure(hooks, call, errorMessage(error), options)
    // The model reads nothing of a failure but its message.
    throw contexts.length === 0 ? error : new Error([errorMessage(error), ...contexts].join('\n'), { cause: error })
  }
  return finishCall(guarded, result, call)
}

/** MCP tools return their errors. */
export function errorIn(result: unknown): string | undefined {
  if (!isObject(result) || result['isError'] !== true || !Array.isArray(result['content'])) return undefined
  return result['content'].map(part => (isObject(part) && part['type'] === 'text' ? part['text'] : '')).join('\n')
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>
type ToModelOutput = (result: { toolCallId: string; input: unknown; output: unknown }) => Promise<ModelOutput>

/** The tool's own output for the model, and after it what hooks want the model to see. */
export const withContext =
  (tool: SdkTool, contextOf: (toolCallId: string) => readonly string[] | undefined): ToModelOutput =>
  async result => {
    const output: ModelOutput = (await tool.toModelOutput?.(result)) ?? plainOutput(result.output)
    const text = contextOf(result.toolCallId)?.join('\n')
    if (text === undefined || output.type === 'error-json' || output.type === 'execution-denied') return output
    if (output.type === 'error-text') return { ...output, value: `${output.value}\n${text}` }
    if (output.type === 'content') return { ...output, value: [...output.value, { type: 'text', text }] }
    const own = output.type === 'text' ? output.value : JSON.stringify(output.value)
    return { type: 'content', value: [own, text].map(part => ({ type: 'text', text: part })) }
  }

/** As the SDK does it for a tool without `toModelOutput`. */
const plainOutput = (output: unknown): ModelOutput =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') as JSONValue }
