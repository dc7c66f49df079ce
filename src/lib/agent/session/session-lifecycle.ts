import { errorMessage } from '../../errors.ts'
import type { AgentResult } from '../../hooks/events/fields.ts'
import type { Block } from '../../message.ts'
import type { PlainObject } from '../../util/plain.ts'
import { lingering, pause } from '../abort.ts'
import { messageText } from './conversation.ts'
import { ended, INTERRUPTED, type Ending } from './ending.ts'
import type { Instructions } from '../instructions/instructions.ts'
import { announceInstructions } from '../instructions/nested.ts'
import { afterCalls, runLoop } from '../loop.ts'
import { reasonForModel } from '../call/objections.ts'
import { answerOpen, continueOpen } from '../call/batch.ts'
import type { ResultMessage } from '../output/agent-messages.ts'
import { resultMessage, sinceNow } from '../output/result-message.ts'
import type { Session } from './session.ts'
import { skillText } from '../instructions/skills.ts'
import { answerMessage } from './transcript-entries.ts'
import { announceModel, cacheFacts, type ModelRequested } from '../switch-model.ts'
import { FileWatch } from '../watch-files.ts'
import { randomUuid } from '../../transcript/log.ts'

export interface Beginning {
  readonly source: 'startup' | 'clear' | 'resume' | 'fork'
  readonly setup: 'init' | 'maintenance' | undefined
  readonly instructions: readonly Instructions[]
  /** The time of the model's last answer, in milliseconds, for a resumed session. */
  readonly answered?: number | undefined
  /** For a session that is resumed with another model. */
  readonly switched?: ModelRequested | undefined
}

/** How long ago the last answer was, and what it costs to send the conversation again. */
function pauseOf(session: Session): PlainObject {
  const { seconds, isWarm, cost } = cacheFacts(session, session.model)
  if (seconds === undefined || session.tokens === 0) return {}
  return {
    seconds_since_last_response: seconds,
    context_tokens: session.tokens,
    prompt_cache_likely_expired: !isWarm,
    ...cost
  }
}

/** Setup, SessionStart, instruction files. Returns why it may not start, or the first prompt of a hook. */
export async function beginSession(
  session: Session,
  { source, setup, instructions, answered, switched }: Beginning,
  signal: AbortSignal
): Promise<{ readonly blocked?: Ending; readonly prompt?: string }> {
  if (setup !== undefined) await session.hooks.run('Setup', { trigger: setup }, { signal })
  session.asked = answered === undefined ? undefined : answered - performance.timeOrigin
  const about = { source, ...pauseOf(session), model: session.model.name }
  const outcome = await session.hooks.run('SessionStart', about, { signal })
  if (signal.aborted) return {}
  if (outcome.blocked || outcome.continue === false) {
    const why = outcome.blocked ? `${outcome.reason} [${outcome.by}]` : (outcome.stopReason ?? 'a hook ended it')
    return { blocked: ended('start_blocked', `The session was not started: ${why}`, true) }
  }
  if (session.watch === undefined) {
    session.watch = new FileWatch(session)
    session.watch.follow(outcome)
  }
  if (switched !== undefined) await announceModel(session, switched, signal)
  await announceInstructions(instructions, session, signal)
  const prompt = outcome.fields.initialUserMessage
  return typeof prompt === 'string' ? { prompt } : {}
}

/** Whether there is anything to resume: hooks may not have seen the end after a last answer. */
export const canResume = ({ open, conversation: { messages, notes } }: Session): boolean =>
  open !== undefined || notes.length > 0 || messages.length > 0

/** Resumes the session: with calls that have no results, or with the model. */
export async function resumeRun(session: Session, signal: AbortSignal): Promise<Ending> {
  if (session.open !== undefined) {
    emitOpenAnswer(session)
    const over = await afterCalls(await continueOpen(session, signal), session, signal)
    if (over !== undefined) return over
  }
  return runAgent('', session, signal)
}

/** The reader has not seen the answer whose calls are resumed. */
function emitOpenAnswer(session: Session): void {
  const answer = session.conversation.messages.findLast(({ role }) => role === 'assistant')
  if (answer === undefined || typeof answer.content === 'string') return
  const uuid = session.conversation.idOf(answer)
  const { content } = answer
  const message = answerMessage({ id: `msg_${uuid}`, model: session.model.name, stop_reason: 'tool_use', content })
  session.reader.emit({ type: 'assistant', message, parent_tool_use_id: null }, uuid)
}

export async function toResult(
  session: Session,
  signal: AbortSignal,
  work: () => Promise<Ending>,
  since = sinceNow(session)
): Promise<ResultMessage> {
  session.stopped = undefined
  const late = lingering(signal)
  session.afterwards = late.signal
  const endTurn = session.options.skills?.turn()
  try {
    const ending = await work()
    session.saveState()
    session.doing = 'waiting for a prompt'
    await session.reader.display?.pending
    await session.transcript.flush()
    return resultMessage(ending, session, since)
  } finally {
    late.end()
    endTurn?.()
  }
}

export async function runPrompt(
  given: string | readonly Block[],
  session: Session,
  signal: AbortSignal
): Promise<Ending> {
  await answerOpen(session, signal)
  session.withheld = 0
  const promptId = randomUuid()
  session.promptId = promptId
  const prompt = messageText(given)
  const outcome = await session.hooks.run('UserPromptSubmit', { prompt }, { signal })
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  if (outcome.blocked)
    return ended(
      'prompt_blocked',
      `UserPromptSubmit operation blocked by hook:\n${outcome.reason} [${outcome.by}]`,
      false
    )
  const content = withText(given, outcome.updatedPrompt)
  const expanded = typeof content === 'string' ? await expandSkill(content, session, signal) : undefined
  if (signal.aborted) return ended('aborted_streaming', INTERRUPTED, true)
  if (expanded !== undefined && 'refused' in expanded) return ended('prompt_blocked', expanded.refused, false)
  session.conversation.add(
    { role: 'user', content: expanded?.text ?? content },
    { entry: { promptId, permissionMode: session.permissions.mode } }
  )
  if (outcome.continue === false) return ended('hook_stopped', outcome.stopReason ?? '', false)

  return runAgent(prompt, session, signal)
}

/** The text of the skill in a prompt such as `/review src`, unless hooks refuse it. Undefined for other prompts. */
async function expandSkill(
  prompt: string,
  session: Session,
  signal: AbortSignal
): Promise<{ readonly text: string } | { readonly refused: string } | undefined> {
  const { skills } = session.options
  const [, name, args = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? []
  const skill = name === undefined ? undefined : skills?.all.get(name)
  if (skills === undefined || skill === undefined) return undefined
  const command = { command_name: skill.name, command_args: args.trim(), command_source: skill.source }
  const input = { expansion_type: 'slash_command', ...command, prompt } as const
  const outcome = await session.hooks.run('UserPromptExpansion', input, { signal })
  if (outcome.blocked) return { refused: `/${skill.name} was refused: ${reasonForModel(outcome)} [${outcome.by}]` }
  try {
    skills.activate(skill.name)
  } catch (error) {
    return { refused: `/${skill.name} cannot be used: ${errorMessage(error)}` }
  }
  return { text: skillText(skill, args.trim(), session.id) }
}

export async function runTask(task: string, session: Session, signal: AbortSignal): Promise<Ending> {
  await answerOpen(session, signal)
  session.withheld = 0
  session.conversation.add({ role: 'user', content: task })
  return runAgent(task, session, signal)
}

async function runAgent(task: string, session: Session, signal: AbortSignal): Promise<Ending> {
  const start = await session.hooks.run('AgentStart', { agent_id: session.agentId, task }, { signal })
  if (start.blocked)
    return ended('start_blocked', `The agent was not started: ${reasonForModel(start)} [${start.by}]`, true)
  return runToEnd(session, signal)
}

export function countRun(session: Session): () => Pick<AgentResult, 'tool_uses' | 'iterations' | 'usage'> {
  const { toolUses, turns, spending } = session
  const before = spending.usage
  return () => ({
    tool_uses: session.toolUses - toolUses,
    iterations: session.turns - turns,
    usage: {
      input_tokens: spending.usage.input_tokens - before.input_tokens,
      output_tokens: spending.usage.output_tokens - before.output_tokens
    }
  })
}

async function runToEnd(session: Session, signal: AbortSignal): Promise<Ending> {
  const { agentId: agent_id } = session
  const counts = countRun(session)
  let text = ''
  try {
    const ending = await runLoop(session, signal)
    text = ending.text
    return ending
  } catch (error) {
    text = errorMessage(error)
    throw error
  } finally {
    const result = { id: agent_id, content: text, ...counts() }
    await session.hooks.run('AgentStop', { agent_id, result }, { signal: session.afterwards })
  }
}

function withText(given: string | readonly Block[], text: string | undefined): string | readonly Block[] {
  if (text === undefined || typeof given === 'string') return text ?? given
  return [{ type: 'text', text }, ...given.filter(({ type }) => type !== 'text')]
}

/** A new conversation in the same session. Returns why it may not start. */
export async function clearSession(session: Session, signal: AbortSignal): Promise<Ending | undefined> {
  await session.hooks.run('SessionEnd', { reason: 'clear' })
  session.saveState()
  session.clear()
  session.transcript.append({
    type: 'system',
    subtype: 'clear',
    state: { memory: session.state.memory, model: session.model.name }
  })
  const { blocked } = await beginSession(session, { source: 'clear', setup: undefined, instructions: [] }, signal)
  return blocked
}

/** How long background work of hooks may delay the end of a session, in milliseconds. */
const DRAIN = 5000

/** Background work ends before the session does, so that its end is reported first. */
async function endTasks({ options }: Session): Promise<void> {
  const running = [...options.place.background.values()].filter(({ status }) => status === 'running')
  for (const task of running) task.end()
  await Promise.all(running.map(({ done }) => done))
}

/** SessionEnd, fired exactly once. The transcript is released when all work has ended. */
export async function endSession(session: Session, reason: string, endWork: () => Promise<void>): Promise<void> {
  const { hooks, clock, log } = session.options
  const drained = new AbortController()
  const metadata = hooks.metadata(session.id)
  try {
    await endTasks(session)
    await session.hooks.run('SessionEnd', { reason })
    session.saveState(metadata)
    await session.watch?.close()
    await Promise.race([hooks.drain(), pause(DRAIN, clock, drained.signal)])
  } finally {
    drained.abort()
    session.conversation.isClosed = true
    try {
      await endWork()
    } finally {
      await log.close()
    }
  }
}
