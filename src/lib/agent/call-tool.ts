import { wordsOf } from '../errors.ts'
import type { Outcome } from '../hooks/outcome.ts'
import type { Block, ToolResultBlock, ToolUseBlock } from '../message.ts'
import type { Checked, Tool, ToolResult } from '../tools/tool.ts'
import { freezeDeep, type PlainObject } from '../util/plain.ts'
import { within } from './abort.ts'
import { permit } from './permit.ts'
import { shown } from './shown.ts'
import type { Session } from './session.ts'

/** A call that has its result. */
export interface Answered {
  readonly use: ToolUseBlock
  /** What ran, or would have: the input with defaults and rewrites. */
  readonly input: unknown
  readonly result: ToolResultBlock
  /** What the tool gave back, for programs. */
  readonly output: unknown
  /** It waits for somebody to decide, and has no result that the model may see. */
  readonly deferred?: boolean
}

/** A call that passed every gate: what is about to run. */
interface Ready {
  readonly use: ToolUseBlock
  readonly tool: Tool
  readonly input: PlainObject
}

/**
 * The door: every call of every tool comes through here, and nothing else runs a tool. It always has an answer, and
 * rejects only where what happens can no longer be written down.
 */
export async function callTool(use: ToolUseBlock, session: Session, signal: AbortSignal): Promise<Answered> {
  const ready = mayBegin(session, signal) ? await prepare(use, session, signal) : failed(use, use.input, INTERRUPTED)
  if ('result' in ready) return ready

  const { tool, input } = ready
  if (!tool.readOnly(input)) session.record({ type: 'tool-intent', toolUseId: use.id, toolName: use.name, input })

  const begun = performance.now()
  const result = await run(ready, session, signal)
  const duration_ms = Math.round(performance.now() - begun)

  const { content, error } = result
  session.record({ type: 'tool-outcome', toolUseId: use.id, isError: error !== undefined, content })

  return finish(ready, result, duration_ms, session, signal)
}

const INTERRUPTED = '[The call was interrupted before it began; nothing was done.]'

/** Nothing begins once the turn was given up, by whoever runs the agent or by a hook. */
const mayBegin = ({ stopped }: Session, { aborted }: AbortSignal): boolean => !aborted && stopped === undefined

const DEFERRED = '[The call was put aside until somebody decides about it; nothing was done.]'

/** Schema, PreToolUse, schema of what hooks made of it, rules, mode, questions. */
async function prepare(use: ToolUseBlock, session: Session, signal: AbortSignal): Promise<Ready | Answered> {
  const tool = session.tool(use.name)
  if (tool === undefined) return failed(use, use.input, unknownTool(use.name, session))
  const place = session.options.place
  const checked = await tool.check(use.input, place)
  if ('problem' in checked) return failed(use, use.input, `InputValidationError: ${checked.problem}`)

  const call = { tool_name: tool.name, tool_input: checked.input, tool_use_id: use.id, mcp_server: tool.server }
  const fired = session.fire('PreToolUse', call, {
    signal,
    messages: session.conversation.messages,
    accept: draft => problemIn(tool.check(draft, place))
  })
  const before = fired instanceof Promise ? await fired : fired
  if (signal.aborted) return failed(use, checked.input, INTERRUPTED)
  session.heed(before, use.name)
  if (before.blocked) return refusedByHook(use, before, session)
  if (before.decision === 'defer') return { ...failed(use, checked.input, DEFERRED), deferred: true }

  const judged = before.updatedInput === undefined ? checked : await tool.check(before.updatedInput, place)
  if ('problem' in judged) return failed(use, before.updatedInput, `a hook made the input invalid: ${judged.problem}`)
  const permitted = await permit(use, tool, judged.input, before, session, signal)
  if (signal.aborted) return failed(use, judged.input, INTERRUPTED)
  if ('refused' in permitted) return failed(use, judged.input, permitted.refused)
  return { use, tool, input: freezeDeep(permitted.input) }
}

/** A check that takes its time is made again when all hooks have answered. */
const problemIn = (checked: Checked | Promise<Checked>): string | true =>
  checked instanceof Promise || !('problem' in checked) ? true : checked.problem

/** Runs it. Whatever a tool does, something comes back. */
async function run({ use, tool, input }: Ready, session: Session, signal: AbortSignal): Promise<ToolResult> {
  const begun = performance.now()
  session.toolUses++
  try {
    const running = tool.run(input, {
      id: use.id,
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
    return await within(running, signal)
  } catch (error) {
    const words = wordsOf(error)
    return { content: words, output: words, error: words }
  }
}

/** PostToolUse or PostToolUseFailure, never both. Hooks may change what is shown, not what was done. */
async function finish(
  { use, tool, input }: Ready,
  result: ToolResult,
  duration_ms: number,
  session: Session,
  signal: AbortSignal
): Promise<Answered> {
  const call = { tool_name: tool.name, tool_input: input, tool_use_id: use.id, mcp_server: tool.server }
  const { error } = result
  const options = { signal: session.afterwards, messages: session.conversation.messages }
  const fired =
    error === undefined
      ? session.fire('PostToolUse', { ...call, tool_response: result.output, duration_ms }, options)
      : session.fire('PostToolUseFailure', { ...call, error, is_interrupt: signal.aborted, duration_ms }, options)
  const after = fired instanceof Promise ? await fired : fired
  session.heed(after, use.name)
  if (after.decision === 'deny')
    session.conversation.note(`${after.event}:${use.name} hook blocking error: ${after.reason} (from ${after.by})`)
  const news = error === undefined ? await tool.settle?.(input, session.options.place) : undefined
  if (news !== undefined) session.conversation.note(news)
  const { content, output } = shown(after, use.name, result, session)
  return answer(use, input, content, output, error !== undefined)
}

function refusedByHook(use: ToolUseBlock, { reason, by }: Outcome, session: Session): Answered {
  session.deny(use, use.input as PlainObject, 'hook', by ?? '', reason ?? '')
  return failed(use, use.input, `PreToolUse:${use.name} hook error: [${by}]: ${reason}`)
}

function unknownTool(name: string, session: Session): string {
  return `No such tool: ${name}. There are: ${[...session.tools.keys()].join(', ')}`
}

/** An answer to a call that did not run. */
const failed = (use: ToolUseBlock, input: unknown, why: string): Answered => answer(use, input, why, why, true)

function answer(
  use: ToolUseBlock,
  input: unknown,
  content: string | readonly Block[],
  output: unknown,
  isError: boolean
): Answered {
  const result: ToolResultBlock = isError
    ? { type: 'tool_result', tool_use_id: use.id, content, is_error: true }
    : { type: 'tool_result', tool_use_id: use.id, content }
  return { use, input, result, output }
}
