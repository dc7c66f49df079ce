import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { ToolUseBlock } from '../../message.ts'
import type { Checked, Tool } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import { reasonForModel } from './objections.ts'
import type { Session } from '../session/session.ts'

/** What PreToolUse hooks said of a call, and the input that they left; where that is no input of the tool, why not. */
export type Judged = { readonly before: Outcome } & Checked

/** Shows a call to PreToolUse hooks: every input that may run has been here, whoever made it. */
export async function judge(
  use: ToolUseBlock,
  tool: Tool,
  input: PlainObject,
  session: Session,
  signal: AbortSignal
): Promise<Judged> {
  const { place } = session.options
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: use.id, mcp_server: tool.server }
  const fired = session.fire('PreToolUse', call, {
    signal,
    accept: draft => problemIn(tool.check(draft, place))
  })
  const before = fired instanceof Promise ? await fired : fired
  if (signal.aborted) return { before, input }
  session.heed(before, use.name)
  if (before.blocked || before.updatedInput === undefined) return { before, input }
  return { before, ...(await tool.check(before.updatedInput, place)) }
}

/** A check that takes its time is made again when all hooks have answered. */
const problemIn = (checked: Checked | Promise<Checked>): string | true =>
  checked instanceof Promise || !('problem' in checked) ? true : checked.problem

/** What the model is told of a call that hooks refused. Readers are told as well. */
export function refusedByHook(use: ToolUseBlock, input: unknown, before: Outcome, session: Session): string {
  const { reason, by } = before
  session.deny(use, input as PlainObject, { kind: 'hook', by: by ?? '', reason: reason ?? '' })
  return `PreToolUse:${use.name} hook error: [${by}]: ${reasonForModel(before)}`
}
