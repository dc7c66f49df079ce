import { randomUUID } from 'node:crypto'
import { wordsOf } from '../../errors.ts'
import type { Block, ToolResultBlock, ToolUseBlock } from '../../message.ts'
import { failed, type Tool, type ToolResult } from '../../tools/tool.ts'
import { dataWithoutCredentials } from '../../util/credentials.ts'
import { freezeDeep, type PlainObject } from '../../util/plain.ts'
import { within } from '../abort.ts'
import { judge, refusedByHook } from './judge.ts'
import { objectionsIn } from './objections.ts'
import type { OpenCall } from './open-batch.ts'
import { hooksOf, recordPending, type Pending } from './pending.ts'
import { permit, type Said } from './permit.ts'
import { shown } from './tool-result-view.ts'
import type { Session } from '../session/session.ts'

/** A call that has its result. */
export interface Answered {
  readonly use: ToolUseBlock
  /** What ran, or would have: the input with defaults and rewrites. */
  readonly input: unknown
  readonly result: ToolResultBlock
  /** What the tool gave back, for programs. */
  readonly output: unknown
  /** The line in which its result stands. */
  readonly uuid: string
  /** It waits for somebody to decide, and has no result that the model may see. */
  readonly pending?: Pending
}

/** A call that passed every gate: what is about to run. */
export interface Ready {
  readonly use: ToolUseBlock
  readonly tool: Tool
  readonly input: PlainObject
}

/**
 * The door: every call of every tool comes through here, and nothing else runs a tool. It always has an answer, and
 * rejects only where what happens can no longer be written down.
 */
export async function callTool(
  use: ToolUseBlock,
  session: Session,
  signal: AbortSignal,
  before?: OpenCall
): Promise<Answered> {
  const ready = mayBegin(session, signal)
    ? await prepare(use, session, signal, before)
    : session.isClosing && before?.pending !== undefined
      ? putAside(use, before.input as PlainObject, before.pending, session)
      : answerCall(use, use.input, INTERRUPTED, session)
  if ('result' in ready) return ready

  const { tool, input } = ready
  const hasEffects = tool.delegates === true || tool.readOnlyIsUnverified === true || !tool.readOnly(input)
  if (hasEffects) {
    session.record({ type: 'tool-intent', toolUseId: use.id, toolName: use.name, input })
    await session.saved()
  }

  const begun = performance.now()
  const result = dataWithoutCredentials(await run(ready, session, signal, before?.agentId))
  const duration_ms = Math.round(performance.now() - begun)

  if (result.undecided !== undefined)
    return putAside(use, input, { why: 'nested', agentId: result.undecided, hooks: hooksOf(session) }, session)
  if (hasEffects) {
    const { content, output, error } = result
    session.record({ type: 'tool-outcome', toolUseId: use.id, isError: error !== undefined, content, output, input })
    await session.saved()
  }
  return finishCall(ready, result, duration_ms, session, signal)
}

const INTERRUPTED = '[The call was interrupted before it began; nothing was done.]'

/** Nothing begins once the turn was given up, by whoever runs the agent or by a hook. */
const mayBegin = ({ stopped }: Session, { aborted }: AbortSignal): boolean => !aborted && stopped === undefined

const PUT_ASIDE = '[The call was put aside until somebody decides about it; nothing was done.]'

/** Schema, PreToolUse, schema of what hooks made of it, rules, mode, questions. */
async function prepare(
  use: ToolUseBlock,
  session: Session,
  signal: AbortSignal,
  open: OpenCall | undefined
): Promise<Ready | Answered> {
  const notRun = (input: unknown, why: string): Answered => answerCall(use, input, why, session)
  const tool = session.tool(use.name)
  if (tool === undefined) return notRun(use.input, unknownTool(use.name, session))
  const place = session.options.place
  const answered = wasJudged(open, tool, session) ? open : undefined
  const checked = await tool.check(answered === undefined ? use.input : answered.input, place)
  if ('problem' in checked) return notRun(use.input, `InputValidationError: ${checked.problem}`)
  if (answered !== undefined) return permitted(use, tool, checked.input, saidBefore(answered.pending!), session, signal)

  const judged = await judge(use, tool, checked.input, session, signal)
  const { before } = judged
  if (signal.aborted) return notRun(checked.input, INTERRUPTED)
  if (before.blocked) return notRun(use.input, refusedByHook(use, use.input, before, session))
  if (before.decision === 'defer') return putAside(use, checked.input, { why: 'deferred' }, session)
  if ('problem' in judged) return notRun(before.updatedInput, `a hook made the input invalid: ${judged.problem}`)
  return permitted(use, tool, judged.input, before, session, signal)
}

/** Rules, mode, questions. */
async function permitted(
  use: ToolUseBlock,
  tool: Tool,
  input: PlainObject,
  before: Said,
  session: Session,
  signal: AbortSignal
): Promise<Ready | Answered> {
  const may = await permit(use, tool, input, before, session, signal)
  if ('unanswered' in may) return putAside(use, input, may.unanswered, session)
  if (signal.aborted) return answerCall(use, input, INTERRUPTED, session)
  if ('refused' in may) return answerCall(use, input, may.refused, session)
  return { use, tool, input: freezeDeep(may.input) }
}

/**
 * Whether hooks have judged a call before we were ended, and are the same as then: they are not asked again. That a
 * person must decide stays as it is; what a log says is never a yes.
 */
const wasJudged = (open: OpenCall | undefined, tool: Tool, session: Session): boolean =>
  open?.pending?.hooks !== undefined &&
  open.pending.hooks === hooksOf(session) &&
  (open.pending.why === 'asked' || tool.delegates === true)

/** Whoever was to be asked is asked, whatever rules would allow by now. */
const saidBefore = ({ why, by = '', kind = 'default', reason }: Pending): Said =>
  why === 'asked' ? { decision: 'ask', by, reason, asked: { decision: 'ask', by, kind, reason } } : { by, reason }

/** Runs it. Whatever a tool does, something comes back. */
async function run(
  { use, tool, input }: Ready,
  session: Session,
  signal: AbortSignal,
  agentId: string | undefined
): Promise<ToolResult> {
  const begun = performance.now()
  session.toolUses++
  if (session.options.agent !== undefined) session.called.push(use.name)
  session.doing = `running ${tool.name}`
  try {
    const running = tool.run(input, {
      id: use.id,
      agentId,
      signal,
      session: session.options.place,
      progress: output =>
        session.say({
          type: 'tool_progress',
          tool_use_id: use.id,
          tool_name: tool.name,
          parent_tool_use_id: null,
          elapsed_time_seconds: (performance.now() - begun) / 1000,
          output
        }),
      fire: (event, given) => session.fireByName(event, given)
    })
    // What passes the door itself ends by itself, and in good order.
    return await (tool.delegates === true ? running : within(running, signal))
  } catch (error) {
    return failed(wordsOf(error))
  }
}

/** PostToolUse or PostToolUseFailure, never both. Hooks may change what is shown, not what was done. */
export async function finishCall(
  { use, tool, input }: Ready,
  result: ToolResult,
  duration_ms: number,
  session: Session,
  signal: AbortSignal
): Promise<Answered> {
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: use.id, mcp_server: tool.server }
  const { error } = result
  const options = { signal: session.afterwards }
  const fired =
    error === undefined
      ? session.fire('PostToolUse', { ...call, tool_response: result.output, duration_ms }, options)
      : session.fire('PostToolUseFailure', { ...call, error, is_interrupt: signal.aborted, duration_ms }, options)
  const after = fired instanceof Promise ? await fired : fired
  session.heed(after, use.name)
  // Mostly there is none, and nothing is made for it.
  for (const { by, reason } of after.decision === 'deny' ? objectionsIn(after) : [])
    session.note(`${after.event}:${use.name} hook blocking error: ${reason} (from ${by})`)
  const news = error === undefined ? await tool.settle?.(input, session.options.place) : undefined
  if (news !== undefined) session.note(news)
  const { content, output } = shown(after, use.name, result, session)
  return answer(use, input, content, output, error !== undefined, session)
}

function unknownTool(name: string, session: Session): string {
  return `No such tool: ${name}. There are: ${[...session.tools.keys()].join(', ')}`
}

/** An answer to a call that did not run. */
export const answerCall = (use: ToolUseBlock, input: unknown, why: string, session: Session): Answered =>
  answer(use, input, why, why, true, session)

/** Somebody has to decide first: the call stays open. */
function putAside(use: ToolUseBlock, input: PlainObject, pending: Pending, session: Session): Answered {
  const uuid = recordPending(use, input, pending, session)
  return { use, input, result: resultBlock(use, PUT_ASIDE, true), output: PUT_ASIDE, uuid, pending }
}

function answer(
  use: ToolUseBlock,
  input: unknown,
  content: string | readonly Block[],
  output: unknown,
  isError: boolean,
  session: Session
): Answered {
  const uuid = randomUUID()
  const result = resultBlock(use, content, isError)
  session.record({ type: 'user', message: { role: 'user', content: [result] }, toolUseResult: output }, uuid)
  return { use, input, result, output, uuid }
}

const resultBlock = (use: ToolUseBlock, content: string | readonly Block[], isError: boolean): ToolResultBlock =>
  isError
    ? { type: 'tool_result', tool_use_id: use.id, content, is_error: true }
    : { type: 'tool_result', tool_use_id: use.id, content }
