import type { JSONValue, ModelMessage, Tool, ToolApprovalRequest, ToolExecutionOptions, ToolSet } from 'ai'
import type { JudgedCall } from '../hooks/guard.ts'
import { isObject, same } from '../util/plain.ts'

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
export async function questionAbout({ before, outcome }: JudgedCall): Promise<string> {
  const { decision, by, reason, updatedInput } = outcome
  const asked =
    decision === 'ask' ? `${by} asks${reason === undefined ? '' : `: ${reason}`}` : 'the tool needs approval'
  const rewritten = updatedInput === undefined ? '' : `; it will run with ${JSON.stringify(updatedInput)}`
  const bytes = new TextEncoder().encode(JSON.stringify([before.tool_name, before.tool_input, updatedInput], sortKeys))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).subarray(0, 6)
  return `${asked}${rewritten} [input ${Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')}]`
}

const sortKeys = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value

/** Whether the schema takes this input as it is. If the schema changes it, hooks have judged something else. */
export async function fitsSchema(tool: SdkTool, input: unknown): Promise<boolean> {
  const { asSchema } = await import('ai')
  const checked = await asSchema(tool.inputSchema).validate?.(input)
  return checked === undefined || (checked.success && same(checked.value, input))
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
    const output = await ownOutput(tool, result).catch(() => plainOutput(result.output))
    const text = contextOf(result.toolCallId)?.join('\n')
    if (text === undefined || output.type === 'error-json' || output.type === 'execution-denied') return output
    if (output.type === 'error-text') return { ...output, value: `${output.value}\n${text}` }
    if (output.type === 'content') return { ...output, value: [...output.value, { type: 'text', text }] }
    const own = output.type === 'text' ? output.value : JSON.stringify(output.value)
    return { type: 'content', value: [own, text].map(part => ({ type: 'text', text: part })) }
  }

/** Rejects if the tool cannot show it, such as an output that a hook put in the place of the tool's own. */
const ownOutput = async (tool: SdkTool, result: Parameters<ToModelOutput>[0]): Promise<ModelOutput> =>
  (await tool.toModelOutput?.(result)) ?? plainOutput(result.output)

/** As the SDK does it for a tool without `toModelOutput`. */
const plainOutput = (output: unknown): ModelOutput =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') as JSONValue }
