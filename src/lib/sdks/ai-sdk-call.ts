import type { JSONValue, ModelMessage, Tool, ToolApprovalRequest, ToolExecutionOptions, ToolSet } from 'ai'
import { HIDDEN_OUTPUT, type JudgedCall } from '../hooks/guard.ts'
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

/**
 * The question for a person. It ends with a digest of the call and of why it is asked, since the answer comes with a
 * history that may have changed. Who asks may be the line of a file, and is not part of it.
 */
export async function questionAbout({ before, outcome }: JudgedCall): Promise<string> {
  const { decision, by, reason, updatedInput } = outcome
  const isAsked = decision === 'ask'
  const asked = isAsked ? `${by} asks${reason === undefined ? '' : `: ${reason}`}` : 'the tool needs approval'
  const rewritten = updatedInput === undefined ? '' : `; it will run with ${JSON.stringify(updatedInput)}`
  const subject = JSON.stringify(
    [before.tool_name, before.tool_input, updatedInput, isAsked, isAsked && reason],
    sortKeys
  )
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subject))
  const hex = Array.from(new Uint8Array(digest, 0, 6), byte => byte.toString(16).padStart(2, '0')).join('')
  return `${asked}${rewritten} [input ${hex}]`
}

/** Equal for questions about the same call for the same reason. */
export const digestIn = (question = ''): string => question.slice(question.lastIndexOf('['))

const sortKeys = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value

/** Whether the schema takes this input as it is. If the schema changes it, hooks have judged something else. */
export async function fitsSchema(tool: SdkTool, input: unknown): Promise<boolean> {
  const { asSchema } = await import('ai')
  const checked = await asSchema(tool.inputSchema).validate?.(input)
  return checked === undefined || (checked.success && same(checked.value, input))
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>
type ToModelOutput = (result: { toolCallId: string; input: unknown; output: unknown }) => Promise<ModelOutput>

/** What the gate knows about a call after it. */
export interface CallNotes {
  readonly contextOf: (toolCallId: string) => readonly string[] | undefined
  /** Whether a hook put something in the place of the tool's own output. */
  readonly isReplaced: (toolCallId: string) => boolean
}

/** The output for the model, and after it what hooks want the model to see. */
export const withContext =
  (tool: SdkTool, { contextOf, isReplaced }: CallNotes): ToModelOutput =>
  async result => {
    const output = await modelOutputOf(tool, result, isReplaced(result.toolCallId))
    const text = contextOf(result.toolCallId)?.join('\n')
    if (text === undefined || output.type === 'error-json' || output.type === 'execution-denied') return output
    if (output.type === 'error-text') return { ...output, value: `${output.value}\n${text}` }
    if (output.type === 'content') return { ...output, value: [...output.value, { type: 'text', text }] }
    const first = output.type === 'text' ? output.value : JSON.stringify(output.value)
    return { type: 'content', value: [first, text].map(part => ({ type: 'text', text: part })) }
  }

/** As the tool shows it. It may not be able to show what a hook put in the place of its output: that is shown as it is. */
async function modelOutputOf(
  tool: SdkTool,
  result: Parameters<ToModelOutput>[0],
  isReplaced: boolean
): Promise<ModelOutput> {
  if (tool.toModelOutput === undefined) return plainOutput(result.output)
  const shown = (async () => tool.toModelOutput?.(result) as ModelOutput)()
  // This process may be another one than that in which it was hidden.
  if (!isReplaced && result.output !== HIDDEN_OUTPUT) return shown
  return (await shown.catch(() => undefined)) ?? plainOutput(result.output)
}

/** As the SDK does it for a tool without `toModelOutput`. */
const plainOutput = (output: unknown): ModelOutput =>
  typeof output === 'string'
    ? { type: 'text', value: output }
    : { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') as JSONValue }
