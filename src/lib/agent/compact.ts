import type { Message } from '../message.ts'
import type { ModelFailure } from '../model/model.ts'
import { hears, judgeAnswer, judgeRequest, shownFailure } from './model-gate.ts'
import { messageText } from './session/conversation.ts'
import { objectionLines } from './call/objections.ts'
import type { Session } from './session/session.ts'
import { answerMessage } from './session/transcript-entries.ts'
import { randomUuid } from '../transcript/log.ts'

/** The share of the model's window at which the conversation is compacted. */
const FULL = 0.8
/** In tokens, if the options name none. */
const USUAL_WINDOW = 200_000
const KEPT = 6

export interface Compaction {
  readonly trigger: 'manual' | 'auto'
  /** The model accepts no more: hooks cannot prevent it. */
  readonly forced?: boolean | undefined
  readonly instructions?: string | undefined
}

export const isFull = ({ tokens, options }: Session): boolean =>
  tokens >= FULL * (options.limits.window ?? USUAL_WINDOW) && options.limits.window !== 0

export const isTooLong = ({ why, message }: ModelFailure): boolean =>
  why === 'invalid_request' && /too long|too many tokens|context (?:length|window)|maximum context/i.test(message)

/**
 * Replaces all but the last messages by a summary. Calls stay with their results. If the model gives no summary, the
 * old messages are dropped, and a text says so. Returns whether it was done.
 */
export async function compact(session: Session, compaction: Compaction, signal: AbortSignal): Promise<boolean> {
  const { trigger, forced = false, instructions } = compaction
  const { conversation } = session
  if (session.open !== undefined) {
    session.reader.notice('the conversation was not compacted: calls in it have no results yet', 'notice')
    return false
  }
  const isShort = (): boolean => conversation.messages.length <= KEPT && trigger === 'auto' && !forced
  const nothingToDo = (): false => {
    if (trigger === 'manual') session.reader.notice('there is nothing to compact yet', 'notice')
    return false
  }
  if (isShort() || cutIn(conversation.messages) === 0) return nothingToDo()
  const input = { trigger, custom_instructions: instructions ?? null }
  const before = await session.hooks.run('PreCompact', input, { signal })
  if (signal.aborted || (before.blocked && !forced)) {
    if (before.blocked)
      session.reader.notice(`the conversation was not compacted: ${before.reason} [${before.by}]`, 'notice')
    return false
  }
  // Hooks may have removed enough.
  const cut = isShort() ? 0 : cutIn(conversation.messages)
  if (cut === 0) return nothingToDo()
  const [last] = conversation.messages.slice(cut - 1)
  const { tokens } = session
  const summary = await summaryOf(session, instructions, signal)
  if (signal.aborted || (summary === null && !forced)) return false
  const text = summary ?? DROPPED
  const uuid = randomUuid()
  const about = { trigger, pre_tokens: tokens }
  const message: Message = { role: 'user', content: `${HEAD}\n\n${text}` }
  const head = { uuid: `${uuid}:summary`, message }
  session.saveState()
  // Hooks may change messages while the model writes: everything after the last one it saw is kept.
  const place = conversation.messages.findIndex(each => each === last)
  const kept = [head, ...conversation.shorten(place < 0 ? cutIn(conversation.messages) : place + 1, head)]
  const boundary = { content: text, kept, state: session.state, compactMetadata: about }
  session.transcript.append({ type: 'system', subtype: 'compact_boundary', ...boundary }, uuid)
  session.tokens = 0
  session.reader.emit({ type: 'system', subtype: 'compact_boundary', compact_metadata: about }, uuid)
  await session.hooks.run('SessionStart', { source: 'compact', model: session.model.name }, { signal })
  await session.hooks.run('PostCompact', { trigger, compact_summary: text }, { signal })
  return true
}

const HEAD = 'This conversation continues from an earlier part that no longer fit. Summary of that part:'
const DROPPED = '(There is no summary. Look again at whatever you need to know.)'

/** Starts at an answer, so that no call is separated from its result. */
function cutIn(messages: readonly Message[]): number {
  const first = Math.max(1, messages.length - KEPT)
  const cut = messages.slice(first).findIndex(({ role }) => role === 'assistant')
  if (cut >= 0) return first + cut
  return messages.length > KEPT ? messages.length : 0
}

const TASK = `Write a summary of this conversation, from which you will continue without seeing it again: what the user asked for, in \
their own words where they matter; what was done, with the names of files, functions and commands; what was decided, and \
why; what failed; what is still to be done, and the very next step. Leave out nothing that you would have to ask for again. \
Answer with the summary alone.`

/** Null: hooks refuse the request, or the summary. */
async function summaryOf(
  session: Session,
  instructions: string | undefined,
  signal: AbortSignal
): Promise<string | undefined | null> {
  const { system, conversation, spending, reader } = session
  const content = instructions === undefined ? TASK : `${TASK}\n\nThe user adds: ${instructions}`
  const messages: Message[] = [...conversation.messages, { role: 'user', content }]
  try {
    const step = await judgeRequest({ system, messages, tools: [] }, 'compaction', session, signal)
    if ('reason' in step) {
      reader.notice(`the conversation could not be summarised: ${step.text}`, 'warning')
      return null
    }
    const { model, request, append } = step
    const answer = await model.ask({ ...request, messages: [...messages, ...append] }, signal)
    spending.add(answer, model.price)
    // Programs that add up usage look at answers. This one has no content: its text is in the boundary.
    const { id, stop: stop_reason, usage } = answer
    const message = { ...answerMessage({ id, model: answer.model, stop_reason, usage, content: [] }) }
    const uuid = randomUuid()
    session.transcript.append({ type: 'assistant', requestId: `req_${uuid}`, message }, uuid)
    const about = { model: model.name, purpose: 'compaction', attempt: 1 } as const
    const judged = hears(session, 'PostModelResponse') ? await judgeAnswer(answer, about, session, signal) : answer
    if ('blocked' in judged) {
      reader.notice(`the conversation could not be summarised: ${objectionLines(judged).join('; ')}`, 'warning')
      return null
    }
    const text = messageText(judged.content).trim()
    return text === '' ? undefined : text
  } catch (error) {
    reader.notice(`the conversation could not be summarised: ${shownFailure(error, session).message}`, 'warning')
    return undefined
  }
}
