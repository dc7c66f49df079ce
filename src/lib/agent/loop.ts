import { randomUUID } from 'node:crypto'
import type { Block, ToolUseBlock } from '../message.ts'
import { failureOf } from '../model/failure.ts'
import type { Answer, ModelFailure } from '../model/model.ts'
import { isObject } from '../util/plain.ts'
import { askModel } from './ask-model.ts'
import type { Answered } from './call-tool.ts'
import { textOf } from './conversation.ts'
import type { TerminalReason } from './output.ts'
import type { Session } from './session.ts'
import { Ends } from './stop.ts'
import { runCalls } from './turn.ts'

/** How a run ended. */
export interface Ending {
  readonly reason: TerminalReason
  /** The last words; for an error, what went wrong. */
  readonly text: string
  readonly isError: boolean
  readonly stopReason: string | null
  readonly structured?: unknown
  readonly deferred?: ToolUseBlock
}

/** Model, calls, results, and again, until the model has nothing left to call and no hook sends it back. */
export async function runLoop(session: Session, signal: AbortSignal): Promise<Ending> {
  const ends = new Ends(session)
  for (;;) {
    const limit = limitReached(session, signal)
    if (limit !== undefined) return limit
    session.turns++
    const notes = session.conversation.deliverNotes()
    if (notes !== undefined) session.record({ type: 'attachment', attachment: { type: 'notes', content: notes } })
    const fired = session.fire('Iteration', { agent_id: session.agentId, iteration: session.turns })
    if (fired instanceof Promise) await fired

    let answer: Answer
    try {
      answer = await askModel(session, signal)
    } catch (error) {
      return unanswered(failureOf(error), session, signal)
    }
    const content = wholeContent(answer)
    const calls = content.filter(block => block.type === 'tool_use')
    takeAnswer(answer, content, calls.length > 0, session)

    if (calls.length > 0) {
      ends.progress()
      const over = await answerCalls(calls, session, signal)
      if (over !== undefined) return over
    } else if (answer.stop !== 'pause_turn') {
      const over = await ends.reached(answer, textOf(content))
      if (over !== undefined) return over
    }
  }
}

function limitReached({ turns, spending, options: { limits } }: Session, signal: AbortSignal): Ending | undefined {
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  if (turns >= limits.turns) return ended('max_turns', `Reached the maximum of ${limits.turns} turns.`, true)
  if (limits.dollars !== undefined && spending.dollars >= limits.dollars)
    return ended('budget_exhausted', `Spent $${spending.dollars.toFixed(4)} of a budget of $${limits.dollars}.`, true)
  return undefined
}

const INTERRUPTED = '[Request interrupted by user]'

export const ended = (
  reason: TerminalReason,
  text: string,
  isError: boolean,
  stopReason: string | null = null
): Ending => ({
  reason,
  text,
  isError,
  stopReason
})

/** A call that the token limit cut off in the middle of its input was never made. */
function wholeContent({ content, stop }: Answer): readonly Block[] {
  if (stop !== 'max_tokens') return content
  return content.filter(block => block.type !== 'tool_use' || isObject(block.input))
}

function takeAnswer(answer: Answer, content: readonly Block[], hasCalls: boolean, session: Session): void {
  const { id, model, stop, usage, ungated } = answer
  session.spending.add(answer, session.model.price)
  session.conversation.answer(content, hasCalls)
  const uuid = randomUUID()
  const rest = { id, type: 'message', role: 'assistant', model, stop_reason: stop, stop_sequence: null, usage } as const
  // Viewers know one line a block.
  for (const [index, block] of content.entries())
    session.record({ type: 'assistant', message: { ...rest, content: [block] } }, index === 0 ? uuid : randomUUID())
  session.say({ type: 'assistant', message: { ...rest, content }, parent_tool_use_id: null }, uuid)
  for (const { name, input } of ungated ?? []) {
    session.record({ type: 'system', subtype: 'ungated_tool', toolName: name, input })
    session.inform(`${name} was run by the model’s provider; no hook and no rule was asked`, 'warning', 'ungated_tool')
  }
}

/** Runs the calls, gives the model their results, and lets hooks look at the whole batch. */
async function answerCalls(
  calls: readonly ToolUseBlock[],
  session: Session,
  signal: AbortSignal
): Promise<Ending | undefined> {
  const answers = await runCalls(calls, session, signal)
  const deferred = answers.find(answer => answer.deferred === true)
  if (deferred !== undefined)
    return {
      ...ended('tool_deferred', '', false, 'tool_deferred'),
      deferred: { ...deferred.use, input: deferred.input }
    }
  session.conversation.close(answers.map(({ result }) => result))
  const blocked = signal.aborted ? undefined : await afterBatch(answers, session, signal)
  if (signal.aborted) return ended('aborted_tools', INTERRUPTED, true)
  if (blocked !== undefined) return ended('hook_stopped', blocked, false)
  return session.stopped === undefined ? undefined : ended('hook_stopped', session.stopped.reason ?? '', false)
}

async function afterBatch(
  answers: readonly Answered[],
  session: Session,
  signal: AbortSignal
): Promise<string | undefined> {
  const tool_calls = answers.map(({ use, input, result }) => ({
    tool_name: use.name,
    tool_input: input,
    tool_use_id: use.id,
    tool_response: result.content
  }))
  const fired = session.fire('PostToolBatch', { tool_calls }, { signal, messages: session.conversation.messages })
  const outcome = fired instanceof Promise ? await fired : fired
  session.heed(outcome)
  return outcome.blocked ? `${outcome.reason} [${outcome.by}]` : undefined
}

/** The provider gave no answer. What had come of it is kept as far as it can be read. */
async function unanswered(failure: ModelFailure, session: Session, signal: AbortSignal): Promise<Ending> {
  if (signal.aborted) {
    if (failure.partial !== '') session.conversation.answer([{ type: 'text', text: failure.partial }], false)
    session.tell({ role: 'user', content: INTERRUPTED }, { synthetic: true })
    return ended('aborted_streaming', INTERRUPTED, true)
  }
  const text = `API Error: ${failure.message}`
  session.heed(
    await session.fire('StopFailure', {
      error: failure.why,
      error_details: failure.message,
      last_assistant_message: text
    })
  )
  return ended('api_error', text, true)
}
