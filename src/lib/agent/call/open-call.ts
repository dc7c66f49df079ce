import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import type { ToolResult } from '../../tools/tool.ts'
import type { CallAt } from './call.ts'
import type { Pending } from './pending.ts'

/** A call of the last answer, as far as the transcript shows that it had come. */
export interface OpenCall {
  readonly use: ToolUseBlock
  /** It has its result, and only waits for the others. */
  readonly result?: Pick<CallAt<'answered'>, 'result' | 'output' | 'uuid'>
  /** The tool has ended; whether hooks have seen that is not known. */
  readonly outcome?: ToolResult
  /** The tool had begun. */
  readonly started?: boolean
  /** What it ran with, or would. */
  readonly input?: unknown
  readonly pending?: Pending | undefined
  /** The subagent that worked for it. */
  readonly agentId?: string | undefined
}

/** The calls of an answer, in their order, of which some have no result yet. */
export type OpenBatch = readonly OpenCall[]

/** Whether one of them waits for a decision. */
export const isPending = (batch: OpenBatch | undefined): boolean =>
  batch?.some(({ result, pending }) => result === undefined && pending !== undefined) === true

/** The result of a call that had begun, and of which nothing else is known. */
export const UNKNOWN =
  '[Interrupted while running; it may have partly or fully completed. Check the result before retrying.]'

/** The output of a call whose result was never written down. */
export const LOST = '[The result of this call was not recorded.]'

/** The result of such a call: that of the tool where it is known, this text otherwise. */
export const lostResult = ({ use: { id }, outcome }: OpenCall, content = LOST): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: outcome?.content ?? content,
  ...((outcome === undefined || outcome.error !== undefined) && { is_error: true })
})
