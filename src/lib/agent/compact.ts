import { randomUUID } from 'node:crypto'
import type { Message } from '../message.ts'
import { failureOf } from '../model/failure.ts'
import type { Answer, ModelFailure } from '../model/model.ts'
import { messageText } from './session/conversation.ts'
import type { Session } from './session/session.ts'
import { answerMessage } from './session/transcript-entries.ts'

/** The part of a model's window from which on the conversation is compacted. */
const FULL = 0.8
/** In tokens, where the options name none. */
const USUAL_WINDOW = 200_000
/** How many of the last messages are kept. */
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
 * Puts a summary in place of all but the last messages. Calls stay with their results. Where the model gives no summary,
 * the old messages are dropped, and the model is told so. Gives whether it was done.
 */
export async function compact(session: Session, compaction: Compaction, signal: AbortSignal): Promise<boolean> {
  const { trigger, forced = false, instructions } = compaction
  const { conversation } = session
  if (session.open !== undefined) {
    session.reader.notice('the conversation was not compacted: calls in it have no results yet', 'notice')
    return false
  }
  const isShort = (): boolean => conversation.messages.length <= KEPT && trigger === 'auto' && !forced
  if (isShort() || cutIn(conversation.messages) === 0) return false
  const before = await session.hooks.run(
    'PreCompact',
    { trigger, custom_instructions: instructions ?? null },
    { signal }
  )
  if (signal.aborted || (before.blocked && !forced)) {
    if (before.blocked)
      session.reader.notice(`the conversation was not compacted: ${before.reason} [${before.by}]`, 'notice')
    return false
  }
  // Hooks may have taken out what was too much.
  const cut = isShort() ? 0 : cutIn(conversation.messages)
  if (cut === 0) return false
  const last = conversation.messages[cut - 1]!
  const tokens = session.tokens
  const summary = await summaryOf(session, instructions, signal)
  if (signal.aborted) return false
  const text = summary ?? DROPPED
  const uuid = randomUUID()
  const about = { trigger, pre_tokens: tokens }
  const message: Message = { role: 'user', content: `${HEAD}\n\n${text}` }
  const head = { uuid: `${uuid}:summary`, message }
  session.saveState()
  const kept = conversation.shorten(placeBehind(last, conversation.messages), head)
  session.transcript.append(
    {
      type: 'system',
      subtype: 'compact_boundary',
      content: text,
      kept: [head, ...kept],
      state: session.state,
      compactMetadata: about
    },
    uuid
  )
  session.tokens = 0
  session.reader.emit({ type: 'system', subtype: 'compact_boundary', compact_metadata: about }, uuid)
  await session.hooks.run('SessionStart', { source: 'compact', model: session.model.name }, { signal })
  await session.hooks.run('PostCompact', { trigger, compact_summary: text }, { signal })
  return true
}

const HEAD = 'This conversation goes on from an earlier part that did not fit any more. What was before, in short:'
const DROPPED = '(There is no summary. Look again at whatever you need to know.)'

/** Starts at an answer, so that no call is separated from its result. */
function cutIn(messages: readonly Message[]): number {
  for (let at = Math.max(1, messages.length - KEPT); at < messages.length; at++)
    if (messages[at]!.role === 'assistant') return at
  return messages.length > KEPT ? messages.length : 0
}

/** Hooks may change messages while the model writes: what follows the last one it saw is kept. */
function placeBehind(last: Message, messages: readonly Message[]): number {
  const place = messages.indexOf(last)
  return place < 0 ? cutIn(messages) : place + 1
}

const TASK = `Write a summary of this conversation, from which you will go on without seeing it again: what the user asked for, in \
their own words where they matter; what was done, with the names of files, functions and commands; what was decided, and \
why; what failed; what is still to be done, and the very next step. Leave out nothing that you would have to ask for again. \
Answer with the summary alone.`

async function summaryOf(
  session: Session,
  instructions: string | undefined,
  signal: AbortSignal
): Promise<string | undefined> {
  const { model, system, conversation, spending } = session
  const content = instructions === undefined ? TASK : `${TASK}\n\nThe user adds: ${instructions}`
  const messages: Message[] = [...conversation.messages, { role: 'user', content }]
  try {
    const answer = await model.ask({ system, messages, tools: [] }, signal)
    spending.add(answer, model.price)
    recordUsage(answer, session)
    const text = messageText(answer.content).trim()
    return text === '' ? undefined : text
  } catch (error) {
    session.reader.notice(`the conversation could not be summarised: ${failureOf(error).message}`, 'warning')
    return undefined
  }
}

/** Programs that sum up usage look at answers. This one has no content: its text is in the boundary. */
function recordUsage({ id, model, stop, usage }: Answer, session: Session): void {
  const uuid = randomUUID()
  const message = answerMessage({ id, model, stop_reason: stop, usage, content: [] })
  session.transcript.append({ type: 'assistant', requestId: `req_${uuid}`, message: { ...message } }, uuid)
}
