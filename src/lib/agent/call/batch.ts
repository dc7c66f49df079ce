import type { ToolUseBlock } from '../../message.ts'
import { failed } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { Session } from '../session/session.ts'
import type { ClosedCall } from './call.ts'
import { answer, callTool, finish, NOT_BEGUN } from './call-tool.ts'
import { UNKNOWN, type OpenCall } from './open-call.ts'

/** Read-only calls run concurrently; a call with effects waits for all before it, and those after wait for it. */
export async function runCalls(
  uses: readonly ToolUseBlock[],
  session: Session,
  signal: AbortSignal
): Promise<readonly ClosedCall[]> {
  if (uses.length === 1) return [emitResult(await callTool(uses[0]!, session, signal), session)]
  const running: Promise<ClosedCall>[] = []
  for (const use of uses) {
    const isAlone = !(await onlyReads(use, session))
    if (isAlone) await Promise.all(running)
    running.push(callTool(use, session, signal))
    if (isAlone) await running.at(-1)
  }
  return (await Promise.all(running)).map(call => emitResult(call, session))
}

async function onlyReads(use: ToolUseBlock, session: Session): Promise<boolean> {
  const tool = session.tool(use.name)
  if (tool === undefined) return true
  const checked = await tool.check(use.input, session.options.place)
  return 'problem' in checked || tool.readOnly(checked.input)
}

/** The reader gets one message per result; the model gets them all in one. */
function emitResult(call: ClosedCall, session: Session): ClosedCall {
  if (call.stage === 'pending') return call
  const message = { role: 'user', content: [call.result] } as const
  session.reader.emit({ type: 'user', message, parent_tool_use_id: null, tool_use_result: call.output }, call.uuid)
  return call
}

const UNDECIDED = '[No decision was made about this call; nothing was done.]'
const ONLY_READ = '[Interrupted. The call was read-only; call it again if you still need the result.]'

/** A new prompt does not decide open calls: they get results as they are, and none is run. */
export async function answerOpen(session: Session, signal: AbortSignal): Promise<void> {
  await closeOpen(session, signal, call => answerAsIs(call, session))
}

/** A started call is never started again, an ended one is shown to hooks, and the others pass the door. */
export const continueOpen = (session: Session, signal: AbortSignal): Promise<readonly ClosedCall[]> =>
  closeOpen(session, signal, call =>
    call.started === true && call.agentId === undefined
      ? answerAsIs(call, session)
      : callTool(call.use, session, signal, call)
  )

async function closeOpen(
  session: Session,
  signal: AbortSignal,
  closeCall: (call: OpenCall) => ClosedCall | Promise<ClosedCall>
): Promise<readonly ClosedCall[]> {
  const batch = session.open ?? []
  session.open = undefined
  const calls: ClosedCall[] = []
  for (const call of batch) {
    const { use, result, outcome, input } = call
    const tool = session.tool(use.name)
    if (result === undefined && (call.started === true || outcome !== undefined))
      session.decisions?.continueCall(use.id)
    if (result !== undefined) calls.push({ stage: 'answered', use, input: input ?? use.input, ...result })
    else if (outcome === undefined || tool === undefined) calls.push(emitResult(await closeCall(call), session))
    else {
      const ran = { stage: 'ran', use, tool, input: input as PlainObject, result: outcome, duration_ms: 0 } as const
      calls.push(emitResult(await finish(ran, session, signal), session))
    }
  }
  if (calls.length > 0) closeBatch(calls, session)
  return calls
}

export function closeBatch(calls: readonly ClosedCall[], session: Session): void {
  const answered = calls.filter(call => call.stage === 'answered')
  if (answered.length < calls.length) session.open = calls.map(openCall)
  else {
    const results = answered.map(({ result }) => result)
    session.conversation.addResults(results, answered[0]!.uuid)
  }
}

function openCall(call: ClosedCall): OpenCall {
  const { use, input } = call
  if (call.stage === 'pending') return { use, input, pending: call.pending, agentId: call.pending.agentId }
  const { result, output, uuid } = call
  return { use, input, result: { result, output, uuid } }
}

function answerAsIs({ use, started, pending, agentId, input = use.input }: OpenCall, session: Session): ClosedCall {
  let why = pending === undefined ? NOT_BEGUN : UNDECIDED
  if (started === true) {
    const state = 'it may have partly or fully completed'
    session.reader.notice(`${use.name} was running when the session was interrupted; ${state}`, 'warning')
    why = agentId === undefined ? UNKNOWN : `${UNKNOWN}\n\nagentId: ${agentId}`
  } else if (pending === undefined) {
    const tool = session.tool(use.name)
    if (tool?.readOnlyIsUnverified !== true && tool?.readOnly(input as PlainObject) === true) why = ONLY_READ
  }
  return answer({ use, input }, failed(why), session)
}
