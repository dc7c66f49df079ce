import type { Block } from '../message.ts'
import { failureOf } from '../model/failure.ts'
import type { Answer, ModelFailure } from '../model/model.ts'
import { eventsOf } from '../model/stream-events.ts'
import { isObject } from '../util/plain.ts'
import { askModel, type Asked } from './ask-model.ts'
import type { AssistantMessage } from './output/agent-messages.ts'
import type { ClosedCall } from './call/call.ts'
import { messageText } from './session/conversation.ts'
import { compact, isFull, isTooLong } from './compact.ts'
import { ended, INTERRUPTED, type Ending } from './session/ending.ts'
import type { Session } from './session/session.ts'
import { hears, passAnswer, shownFailure } from './model-gate.ts'
import { addUsage } from './spending.ts'
import { answerMessage } from './session/transcript-entries.ts'
import { objectionLines } from './call/objections.ts'
import { Ends } from './stop.ts'
import { closeBatch, runCalls } from './call/batch.ts'

/** Model, calls, results, and again, until the model calls nothing more and no hook sends it back. */
export async function runLoop(session: Session, signal: AbortSignal): Promise<Ending> {
  const ends = new Ends(session, signal)
  const said = session.conversation.notes.length === 0 ? session.conversation.messages.at(-1) : undefined
  // It was interrupted after its last answer: whether hooks have seen the end is not known.
  if (said?.role === 'assistant' && session.unended !== 'pause_turn') {
    const over = await ends.reached({ stop: session.unended ?? 'end_turn' }, messageText(said.content))
    if (over !== undefined) return over
  }
  for (let iteration = 1; ; iteration++) {
    const before = isOver(session, signal) ?? limitReached(session, iteration)
    if (before !== undefined) return before
    const fired = session.hooks.run('Iteration', { agent_id: session.agentId, iteration }, { signal })
    if (fired instanceof Promise) await fired
    const meanwhile = isOver(session, signal)
    if (meanwhile !== undefined) return meanwhile
    session.turns++
    session.unended = undefined
    if (isFull(session)) await compact(session, { trigger: 'auto' }, signal)
    deliverNotes(session)

    let asked: Asked | Ending
    try {
      asked = await askModel(session, signal)
    } catch (error) {
      const failure = failureOf(error)
      if (isTooLong(failure) && (await compact(session, { trigger: 'auto', forced: true }, signal))) continue
      return unanswered(shownFailure(failure, session), session, signal)
    }
    if ('reason' in asked) return asked
    const whole = countAnswer(asked, session)
    const answer = hears(session, 'PostModelResponse') ? await passAnswer(whole, asked.model, session, signal) : whole
    if (answer === undefined) continue
    if ('reason' in answer) return answer
    if (asked.isHeld) emitHeld(answer, session)
    const content = takeAnswer(answer, session)
    // A person reads the text before being asked about the calls.
    const displayed = session.reader.display?.pending
    if (displayed !== undefined) await displayed
    const calls = content.filter(block => block.type === 'tool_use')

    if (calls.length > 0) {
      ends.inARow = 0
      const closed = await runCalls(calls, session, signal)
      closeBatch(closed, session)
      const over = await afterCalls(closed, session, signal)
      if (over !== undefined) return over
    } else if (answer.stop !== 'pause_turn') {
      const over = await ends.reached(answer, messageText(content))
      if (over !== undefined) return over
    }
  }
}

function deliverNotes(session: Session): void {
  const news = session.notifications.take()
  if (news !== undefined) session.conversation.addContext(news)
  session.conversation.deliverContext()
}

function isOver({ stopped }: Session, signal: AbortSignal): Ending | undefined {
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  return stopped === undefined ? undefined : ended('hook_stopped', stopped.reason ?? '', false)
}

function limitReached({ spending, options: { limits } }: Session, iteration: number): Ending | undefined {
  if (iteration > limits.turns) return ended('max_turns', `Reached the maximum of ${limits.turns} turns.`, true)
  if (limits.dollars !== undefined && spending.dollars >= limits.dollars)
    return ended('budget_exhausted', `Spent $${spending.dollars.toFixed(4)} of a budget of $${limits.dollars}.`, true)
  return undefined
}

/** Returns the answer without what was cut off. */
function countAnswer({ answer, model }: Asked, session: Session): Answer {
  const { usage, changed, ungated } = answer
  session.spending.add(answer, model.price)
  session.used = addUsage(session.used, usage)
  session.tokens =
    usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens + usage.output_tokens
  // A call whose input was cut off by the token limit was never made.
  const isWhole = (block: Block): boolean => block.type !== 'tool_use' || isObject(block.input)
  for (const text of changed ?? []) session.reader.warnOnce(text)
  for (const { name } of ungated ?? []) {
    const text = `${name} was run by the model’s provider; hooks and permission rules did not apply`
    session.reader.notice(text, 'warning', 'ungated_tool')
  }
  return answer.stop === 'max_tokens' ? { ...answer, content: answer.content.filter(isWhole) } : answer
}

function emitHeld(answer: Answer, { reader }: Session): void {
  for (const event of eventsOf(answer)) reader.emit({ type: 'stream_event', event, parent_tool_use_id: null })
}

/** Returns the content of the answer as the conversation holds it. */
function takeAnswer({ id, model, content, stop, usage, ungated }: Answer, session: Session): readonly Block[] {
  const message: AssistantMessage['message'] = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: stop,
    usage,
    stop_sequence: null
  }
  const { offered, model: own } = session
  // Providers may call the session's model by another name, and hooks may have asked another one.
  const isUsual = own.name === model && offered === undefined
  const about = isUsual ? undefined : { sessionModel: own.name, ...(offered && { offered }) }
  const kept = session.conversation.addAnswer(message, about)
  for (const { name, input } of ungated ?? [])
    session.transcript.append({ type: 'system', subtype: 'ungated_tool', toolName: name, input })
  return kept
}

/** All calls have been answered, or wait for a decision: should the turn end? */
export async function afterCalls(
  calls: readonly ClosedCall[],
  session: Session,
  signal: AbortSignal
): Promise<Ending | undefined> {
  session.saveState()
  if (signal.aborted) return ended('aborted_tools', INTERRUPTED, true)
  const answered = calls.filter(call => call.stage === 'answered')
  if (answered.length < calls.length) {
    const deferred = calls.flatMap(({ stage, use, input }) => (stage === 'pending' ? [{ ...use, input }] : []))
    return { ...ended('tool_deferred', '', false, 'tool_deferred'), deferred }
  }
  const tool_calls = answered.map(({ use, input, result }) => ({
    tool_name: use.name,
    tool_input: input,
    tool_use_id: use.id,
    tool_response: result.content
  }))
  const fired = session.hooks.run('PostToolBatch', { tool_calls }, { signal })
  const outcome = fired instanceof Promise ? await fired : fired
  if (signal.aborted) return ended('aborted_tools', INTERRUPTED, true)
  if (outcome.blocked) return ended('hook_stopped', objectionLines(outcome).join('\n'), false)
  const { stopped } = session
  if (stopped?.interrupts === true) return ended('aborted_tools', stopped.reason ?? INTERRUPTED, true)
  return stopped === undefined ? undefined : ended('hook_stopped', stopped.reason ?? '', false)
}

/** The provider gave no answer. Partial text is kept. */
async function unanswered(failure: ModelFailure, session: Session, signal: AbortSignal): Promise<Ending> {
  const { conversation, reader } = session
  if (signal.aborted) {
    const partial = [{ type: 'text', text: failure.partial }] as const
    // No hook has judged it.
    const isKept = failure.partial !== '' && !hears(session, 'PostModelResponse', true)
    if (isKept) conversation.addAnswer(answerMessage({ model: session.model.name, content: partial }))
    conversation.add({ role: 'user', content: INTERRUPTED }, { synthetic: true })
    return ended('aborted_streaming', INTERRUPTED, true)
  }
  const { why: error, message: error_details } = failure
  const text = `API Error: ${error_details}`
  const options = { signal: session.afterwards }
  await session.hooks.run('StopFailure', { error, error_details, last_assistant_message: text }, options)
  // Readers find the failure where they expect the answer. The model does not see it.
  const message = answerMessage({ model: '<synthetic>', content: [{ type: 'text', text }] })
  reader.emit({ type: 'assistant', message, parent_tool_use_id: null, error })
  return { ...ended('api_error', text, true), failure }
}
