import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import { failed, type ToolResult } from '../../tools/tool.ts'
import type { PlainObject } from '../../util/plain.ts'
import { answer, type CallAt, type ClosedCall } from './call.ts'
import { callTool, finish, INTERRUPTED } from './call-tool.ts'
import type { Pending } from './pending.ts'
import type { Session } from '../session/session.ts'
import { tellResult } from './turn.ts'

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

/** The calls of an answer that has not got all its results, in their order. */
export type OpenBatch = readonly OpenCall[]

/** Whether somebody has to decide about one of them. */
export const isPending = (batch: OpenBatch | undefined): boolean =>
  batch?.some(({ result, pending }) => result === undefined && pending !== undefined) === true

const UNDECIDED = '[Nobody has decided about this call; nothing was done.]'
const ONLY_READ = '[The call was interrupted. It could change nothing; call again if you need to know.]'
/** The result of a call that had begun, and of which nothing else is known. */
export const UNKNOWN =
  '[The run was interrupted while this call was at work: whether it has done anything, or all of it, is not known. Look before you rely on it, and before you do it again.]'

/** A new prompt is no decision about open calls: they are answered as they are, and none is run. */
export async function answerOpen(session: Session, signal: AbortSignal): Promise<void> {
  await closeOpen(session, signal, call => answerAsIs(call, session))
}

/**
 * Resumes open calls: what had begun is never begun again, what had ended is shown to hooks, and the rest passes the door.
 * Gives the calls, some of which may be open still.
 */
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
    if (result !== undefined) calls.push({ stage: 'answered', use, input: input ?? use.input, ...result })
    else if (outcome === undefined || tool === undefined) calls.push(tellResult(await closeCall(call), session))
    else {
      const ran = { stage: 'ran', use, tool, input: input as PlainObject, result: outcome, duration_ms: 0 } as const
      calls.push(tellResult(await finish(ran, session, signal), session))
    }
  }
  if (calls.length > 0) closeBatch(calls, session)
  return calls
}

/** Gives the model the results, unless someone has yet to decide about one of the calls. */
export function closeBatch(calls: readonly ClosedCall[], session: Session): void {
  const answered = calls.filter(call => call.stage === 'answered')
  if (answered.length < calls.length) session.open = calls.map(openCall)
  else
    session.conversation.addResults(
      answered.map(({ result }) => result),
      answered[0]!.uuid
    )
}

/** What is left open of a call in a batch in which someone has yet to decide. */
function openCall(call: ClosedCall): OpenCall {
  const { use, input } = call
  if (call.stage === 'pending') return { use, input, pending: call.pending, agentId: call.pending.agentId }
  const { result, output, uuid } = call
  return { use, input, result: { result, output, uuid } }
}

/** Answers a call that has no result, and will get none. */
function answerAsIs({ use, started, pending, agentId, input = use.input }: OpenCall, session: Session): ClosedCall {
  let why = pending === undefined ? INTERRUPTED : UNDECIDED
  if (started === true) {
    session.reader.notice(
      `${use.name} was at work when the session was interrupted: what it did is not known`,
      'warning'
    )
    why = agentId === undefined ? UNKNOWN : `${UNKNOWN}\n\nagentId: ${agentId}`
  } else if (pending === undefined) {
    const tool = session.tool(use.name)
    if (tool?.readOnlyIsUnverified !== true && tool?.readOnly(input as PlainObject) === true) why = ONLY_READ
  }
  return answer({ use, input }, failed(why), session)
}

/** The output of a call whose result was never written down. */
export const LOST = '[What came of this call was not written down.]'

/** The result of such a call: that of the tool where it is known, this text otherwise. */
export const lostResult = ({ use: { id }, outcome }: OpenCall, content = LOST): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: outcome?.content ?? content,
  ...((outcome === undefined || outcome.error !== undefined) && { is_error: true })
})
