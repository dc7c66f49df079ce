import type { ToolUseBlock } from '../../message.ts'
import type { ClosedCall } from './call.ts'
import { callTool } from './call-tool.ts'
import type { Session } from '../session/session.ts'

/**
 * Runs the calls of one answer. Calls that only read run side by side, the others one after the other, and nothing that
 * was called later begins before something that was called earlier and has effects. The results come in call order.
 */
export async function runCalls(
  uses: readonly ToolUseBlock[],
  session: Session,
  signal: AbortSignal
): Promise<readonly ClosedCall[]> {
  if (uses.length === 1) return [tellResult(await callTool(uses[0]!, session, signal), session)]
  const answers: Promise<ClosedCall>[] = []
  for (const use of uses) {
    const alone = !(await onlyReads(use, session))
    if (alone) await Promise.all(answers)
    const answer = callTool(use, session, signal)
    answers.push(answer)
    if (alone) await answer
  }
  return (await Promise.all(answers)).map(answer => tellResult(answer, session))
}

async function onlyReads(use: ToolUseBlock, session: Session): Promise<boolean> {
  const tool = session.tool(use.name)
  if (tool === undefined) return true
  const checked = await tool.check(use.input, session.options.place)
  return 'problem' in checked || tool.readOnly(checked.input)
}

/** Readers get one message a result; the model gets them all in one. */
export function tellResult(answer: ClosedCall, session: Session): ClosedCall {
  if (answer.stage === 'pending') return answer
  const { result, output, uuid } = answer
  const message = { role: 'user', content: [result] } as const
  session.reader.emit({ type: 'user', message, parent_tool_use_id: null, tool_use_result: output }, uuid)
  return answer
}
