import type { Block, ToolResultBlock, ToolUseBlock } from '../../message.ts'
import type { PlainObject } from '../../util/plain.ts'
import { answerCall, callTool, finishCall, type Answered } from './call-tool.ts'
import type { Pending } from './pending.ts'
import type { Session } from '../session/session.ts'
import { tellResult } from './turn.ts'

/** A call of the last answer, as far as it had come. */
export interface OpenCall {
  readonly use: ToolUseBlock
  /** It has its result, and only waits for the others. */
  readonly result?: { readonly result: ToolResultBlock; readonly output: unknown; readonly uuid: string }
  /** The tool has ended; whether hooks have seen that is not known. */
  readonly outcome?: {
    readonly content: string | readonly Block[]
    readonly output: unknown
    readonly isError: boolean
  }
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
const NOT_BEGUN = '[The call was interrupted before it began; nothing was done.]'
const ONLY_READ = '[The call was interrupted. It could change nothing; call again if you need to know.]'
/** The result of a call that had begun, and of which nothing else is known. */
export const UNKNOWN =
  '[The run was interrupted while this call was at work: whether it has done anything, or all of it, is not known. Look before you rely on it, and before you do it again.]'

/** Who asks something else has not decided: what was left open is answered as it is, and nothing is run. */
export async function answerOpen(session: Session, signal: AbortSignal): Promise<void> {
  await close(session, signal, call =>
    answerCall(call.use, call.input ?? call.use.input, wordsFor(call, session), session)
  )
}

/**
 * Goes on with what was left open: what had begun is never begun again, what had ended is told to hooks, and the rest
 * passes the door. Gives the answers, some of which may be open still.
 */
export async function continueOpen(session: Session, signal: AbortSignal): Promise<readonly Answered[]> {
  return close(session, signal, call => {
    if (call.started === true && call.agentId === undefined)
      return answerCall(call.use, call.input, wordsFor(call, session), session)
    return callTool(call.use, session, signal, call)
  })
}

async function close(
  session: Session,
  signal: AbortSignal,
  rest: (call: OpenCall) => Answered | Promise<Answered>
): Promise<readonly Answered[]> {
  const batch = session.open ?? []
  session.open = undefined
  const answers: Answered[] = []
  for (const call of batch) {
    const answer = await answerOf(call, session, signal, rest)
    answers.push(call.result === undefined ? tellResult(answer, session) : answer)
  }
  if (answers.length > 0) closeBatch(answers, session)
  return answers
}

/** Gives the model the results, unless somebody has yet to decide about one of the calls. */
export function closeBatch(answers: readonly Answered[], session: Session): void {
  const results = answers.map(({ result }) => result)
  if (answers.some(({ pending }) => pending !== undefined)) session.open = openIn(answers)
  else session.conversation.close(results, answers[0]!.uuid)
}

function answerOf(
  call: OpenCall,
  session: Session,
  signal: AbortSignal,
  rest: (call: OpenCall) => Answered | Promise<Answered>
): Answered | Promise<Answered> {
  const { use, result, outcome, input } = call
  if (result !== undefined) return { use, input: input ?? use.input, ...result }
  const tool = session.tool(use.name)
  if (outcome === undefined || tool === undefined) return rest(call)
  const { content, output, isError } = outcome
  const known = { content, output, ...(isError && { error: typeof content === 'string' ? content : UNKNOWN }) }
  return finishCall({ use, tool, input: input as PlainObject }, known, 0, session, signal)
}

/** What the model is told of a call that has no result, and will get none. */
function wordsFor({ use, started, pending, agentId, input }: OpenCall, session: Session): string {
  if (started === true) {
    session.inform(`${use.name} was at work when the session was interrupted: what it did is not known`, 'warning')
    return agentId === undefined ? UNKNOWN : `${UNKNOWN}\n\nagentId: ${agentId}`
  }
  if (pending !== undefined) return UNDECIDED
  const tool = session.tool(use.name)
  const onlyRead = tool?.readOnlyIsUnverified !== true && tool?.readOnly((input ?? use.input) as PlainObject) === true
  return onlyRead ? ONLY_READ : NOT_BEGUN
}

/** What is left open of a batch in which somebody has yet to decide. */
const openIn = (answers: readonly Answered[]): OpenBatch =>
  answers.map(({ use, input, result, output, uuid, pending }) =>
    pending === undefined
      ? { use, input, result: { result, output, uuid } }
      : { use, input, pending, ...(pending.agentId !== undefined && { agentId: pending.agentId }) }
  )

/** The output of a call of which nobody wrote down what came of it. */
export const LOST = '[What came of this call was not written down.]'

/** Its result. */
export const lost = ({ use: { id }, outcome }: OpenCall): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: outcome?.content ?? LOST,
  ...(outcome?.isError !== false && { is_error: true })
})
