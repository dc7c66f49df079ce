import { errorMessage } from '../../errors.ts'
import type { ToolResultBlock, ToolUseBlock } from '../../message.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import { FILE_USERS } from '../../tool-table.ts'
import { failed, type Checked, type ToolResult } from '../../tools/tool.ts'
import { maskSecretsInData } from '../../util/masked-data.ts'
import { after } from '../../util/attempt.ts'
import { freezeDeep, same, type PlainObject } from '../../util/plain.ts'
import { within } from '../abort.ts'
import type { Session } from '../session/session.ts'
import {
  refused,
  toolEvent,
  type CallAt,
  type CallSubject,
  type ClosedCall,
  type Judgement,
  type StagedCall
} from './call.ts'
import { objectionsIn, reasonForModel } from './objections.ts'
import { hooksFingerprint, pendingEntry, type OpenCall, type Pending } from './open-call.ts'
import { permit } from './permit.ts'
import { visibleResult } from './tool-result-view.ts'
import { randomUuid } from '../../transcript/log.ts'

/** The door: nothing else runs a tool. It always gives a result, and rejects only if it cannot be recorded. */
export async function callTool(
  use: ToolUseBlock,
  session: Session,
  signal: AbortSignal,
  open?: OpenCall
): Promise<ClosedCall> {
  let call: StagedCall = propose(use, session, signal, open)
  // Most steps are done at once, and an await costs as much as they do.
  while (call.stage === 'proposed') {
    const checking = call.tool.check(call.input, session.options.place)
    const checked = checkedCall(call, checking instanceof Promise ? await checking : checking)
    const judging = checked.stage === 'checked' ? judge(checked, session, signal) : checked
    const judged = judging instanceof Promise ? await judging : judging
    const permitted = judged.stage === 'judged' ? permit(judged, session, signal) : judged
    call = permitted instanceof Promise ? await permitted : permitted
  }
  if (call.stage === 'allowed') call = signal.aborted ? refused(call, NOT_BEGUN) : await run(call, session, signal)
  if (call.stage === 'ran') {
    const finished = finish(call, session, signal)
    return finished instanceof Promise ? await finished : finished
  }
  if (call.stage === 'refused') return answer(call, failed(signal.aborted ? NOT_BEGUN : call.why), session)
  if (call.stage === 'pending') session.transcript.append(pendingEntry(call, call.pending, session))
  return call
}

export const NOT_BEGUN = '[Interrupted before the call started; nothing was done.]'

/** Nothing starts once the turn was aborted, by the caller of the agent or by a hook. */
function propose(
  use: ToolUseBlock,
  session: Session,
  { aborted }: AbortSignal,
  open: OpenCall | undefined
): CallAt<'proposed' | 'refused' | 'pending'> {
  const { input } = use
  const pending = open?.pending
  if (aborted || session.stopped !== undefined)
    return session.isClosing && pending !== undefined
      ? { stage: 'pending', use, input: open?.input, pending }
      : refused({ use, input }, NOT_BEGUN)
  const tool = session.tool(use.name)
  if (tool === undefined) {
    const names = session.offered ?? [...session.tools.keys()]
    return refused({ use, input }, `No such tool: ${use.name}. There are: ${names.join(', ')}`)
  }
  const call = { stage: 'proposed', use, tool, input, agentId: open?.agentId } as const
  const isAnswered = pending?.hooks !== undefined && (pending.why === 'asked' || tool.delegates === true)
  if (!isAnswered || pending.hooks !== hooksFingerprint(session.options.hooks)) return call
  return { ...call, input: open?.input, earlier: earlierJudgement(pending) }
}

/** Hooks that judged the call before an interruption are not asked again. A transcript never counts as a yes. */
function earlierJudgement({ why, by = '', kind = 'default', reason }: Pending): Judgement {
  if (why !== 'asked') return { hook: undefined }
  return { hook: { decision: 'ask', by, reason }, question: { decision: 'ask', by, kind, reason } }
}

/** Whether the input is valid for the tool. From here on it has its defaults. */
function checkedCall(call: CallAt<'proposed'>, checked: Checked): CallAt<'checked' | 'judged' | 'refused'> {
  const { use, tool, agentId, consent, earlier } = call
  if ('problem' in checked) {
    const what = consent === undefined ? 'InputValidationError' : 'the input that came with the permission is not valid'
    return refused({ use, input: use.input }, `${what}: ${checked.problem}`)
  }
  const { input } = checked
  if (earlier === undefined) return { stage: 'checked', use, tool, input, agentId, consent }
  return { stage: 'judged', use, tool, input, agentId, consent, ...earlier }
}

/** Asks PreToolUse hooks. Every input that may run passes here, whether the model, a hook or a person wrote it. */
function judge(call: CallAt<'checked'>, session: Session, signal: AbortSignal): Judged | Promise<Judged> {
  const { tool } = call
  const { place } = session.options
  const fired = session.hooks.run('PreToolUse', toolEvent(call), {
    signal,
    report: session.decisions?.wants('PreToolUse'),
    accept: draft => problemIn(tool.check(draft, place))
  })
  return after(fired, before => judgedBy(before, call, session, signal))
}

type Judged = CallAt<'judged' | 'refused' | 'pending'>

function judgedBy(
  before: Outcome,
  call: CallAt<'checked'>,
  session: Session,
  signal: AbortSignal
): Judged | Promise<Judged> {
  const { use, tool, input, consent } = call
  session.decisions?.hear(use.id, before)
  if (signal.aborted) return refused(call, NOT_BEGUN)
  const { blocked, decision, by = '', reason, updatedInput } = before
  if (blocked) return refusedBy(before, call, session)
  if (decision === 'defer') session.decisions?.rule(use.id, { decision, kind: 'hook', by, reason })
  if (decision === 'defer') return { stage: 'pending', use, input, pending: { why: 'deferred' } }
  const checking = updatedInput === undefined ? call : tool.check(updatedInput, session.options.place)
  return after<Checked, Judged>(checking, checked => {
    if ('problem' in checked)
      return refused({ use, input: updatedInput }, `a hook made the input invalid: ${checked.problem}`)
    const isChanged = consent !== undefined && !same(checked.input, input)
    const hook = decision === 'allow' || decision === 'ask' ? { decision, by, reason } : undefined
    const left = isChanged ? { questions: consent.questions } : consent
    return { ...call, stage: 'judged', input: checked.input, hook, consent: left }
  })
}

async function refusedBy(
  before: Outcome,
  { use, tool, input, consent }: CallAt<'checked'>,
  session: Session
): Promise<CallAt<'refused'>> {
  const { by = '', reason = '' } = before
  const seen = consent === undefined ? use.input : input
  // Hook messages are delivered in a microtask; those of the hook that refused come first.
  await Promise.resolve()
  session.deny(use, seen as PlainObject, { kind: 'hook', by, reason })
  session.decisions?.rule(use.id, { decision: 'deny', kind: 'hook', by: `hook ${by}`, reason })
  return refused({ use, input: seen }, `PreToolUse:${tool.name} hook error: [${by}]: ${reasonForModel(before)}`)
}

/** An asynchronous check is made again when all hooks have answered. */
const problemIn = (checked: Checked | Promise<Checked>): string | true =>
  checked instanceof Promise || !('problem' in checked) ? true : checked.problem

/** Runs it. A call with effects is recorded before it starts and when it has ended. */
async function run(call: CallAt<'allowed'>, session: Session, signal: AbortSignal): Promise<CallAt<'ran' | 'pending'>> {
  const { use, tool } = call
  const input = freezeDeep(call.input)
  const hasEffects = tool.delegates === true || tool.readOnlyIsUnverified === true || !tool.readOnly(input)
  if (hasEffects) {
    const decision = session.decisions?.recordOf({ use, input })
    session.transcript.append({ type: 'tool-intent', toolUseId: use.id, toolName: use.name, input, decision })
    const written = session.transcript.flush()
    if (written !== undefined) await written
  }
  const begun = performance.now()
  const result = maskSecretsInData(await runTool(call, session, signal, begun))
  const duration_ms = Math.round(performance.now() - begun)
  const { content, output, error, undecided: agentId } = result
  if (agentId !== undefined) {
    const hooks = hooksFingerprint(session.options.hooks)
    return { stage: 'pending', use, input, pending: { why: 'nested', agentId, hooks } }
  }
  if (hasEffects) {
    const isError = error !== undefined
    session.transcript.append({ type: 'tool-outcome', toolUseId: use.id, isError, content, output, input })
    const written = session.transcript.flush()
    if (written !== undefined) await written
  }
  return { stage: 'ran', use, tool, input, result, duration_ms }
}

/** The result of the tool. A tool that throws gives an error result. */
function runTool(
  { use, tool, input, agentId }: CallAt<'allowed'>,
  session: Session,
  signal: AbortSignal,
  begun: number
): Promise<ToolResult> {
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
        session.reader.emit({
          type: 'tool_progress',
          tool_use_id: use.id,
          tool_name: tool.name,
          parent_tool_use_id: null,
          elapsed_time_seconds: (performance.now() - begun) / 1000,
          output
        }),
      fire: (event, given) => session.hooks.runByName(event, given)
    })
    // What passes the door itself also ends by itself, in good order.
    return tool.delegates === true ? running.catch(failure) : within(running, signal, failure)
  } catch (error) {
    return Promise.resolve(failure(error))
  }
}

const failure = (error: unknown): ToolResult => failed(errorMessage(error))

/** PostToolUse or PostToolUseFailure, never both. Hooks may change what is shown, not what was done. */
export function finish(call: CallAt<'ran'>, session: Session, signal: AbortSignal): Answered | Promise<Answered> {
  const { result, duration_ms } = call
  const { error } = result
  const event = toolEvent(call)
  const report = session.decisions?.wants(error === undefined ? 'PostToolUse' : 'PostToolUseFailure')
  const options = { signal: session.afterwards, report }
  const fired =
    error === undefined
      ? session.hooks.run('PostToolUse', { ...event, tool_response: result.output, duration_ms }, options)
      : session.hooks.run('PostToolUseFailure', { ...event, error, is_interrupt: signal.aborted, duration_ms }, options)
  return after(fired, outcome => finishedBy(outcome, call, session))
}

type Answered = CallAt<'answered'>

function finishedBy(outcome: Outcome, call: CallAt<'ran'>, session: Session): Answered | Promise<Answered> {
  const { tool, input, result } = call
  session.decisions?.hear(call.use.id, outcome)
  if (outcome.decision === 'deny')
    for (const { by, reason } of objectionsIn(outcome))
      session.conversation.addContext(`${outcome.event}:${tool.name} hook blocking error: ${reason} (from ${by})`)
  const settling = result.error === undefined ? tool.settle?.(input, session.options.place) : undefined
  return after(settling, news => {
    if (news !== undefined) session.conversation.addContext(news)
    const { file_path: used } = input
    const isUsed = typeof used === 'string' && result.error === undefined && FILE_USERS.has(tool.name)
    const entering = isUsed ? session.nested?.enter(used, session) : undefined
    return after(entering, () => answer(call, visibleResult(outcome, call, session), session))
  })
}

export function answer(call: CallSubject, { content, output, error }: ToolResult, session: Session) {
  const { use, input } = call
  const uuid = randomUuid()
  const result: ToolResultBlock =
    error === undefined
      ? { type: 'tool_result', tool_use_id: use.id, content }
      : { type: 'tool_result', tool_use_id: use.id, content, is_error: true }
  const decision = session.decisions?.closeCall(call, error)
  const message = { role: 'user', content: [result] } as const
  session.transcript.append({ type: 'user', message, toolUseResult: output, decision }, uuid)
  return { stage: 'answered', use, input, result, output, uuid } satisfies CallAt<'answered'>
}
