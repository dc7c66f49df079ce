import { wordsOf } from '../errors.ts'
import type { Outcome } from '../hooks/outcome.ts'
import type { ToolUseBlock } from '../message.ts'
import { decide, type Call, type Ruling } from '../permissions/decide.ts'
import { suggestionsFor } from '../permissions/suggestions.ts'
import { applyUpdate, type PermissionUpdate } from '../permissions/updates.ts'
import type { Tool } from '../tools/tool.ts'
import { isObject, type PlainObject } from '../util/plain.ts'
import { within } from './abort.ts'
import type { PersonAnswer } from './given.ts'
import { hooksOf, recordPending, type Pending } from './pending.ts'
import type { Session } from './session.ts'

type Permit =
  | { readonly input: PlainObject }
  | { readonly refused: string }
  /** The session is closing, and somebody may answer when it goes on. */
  | { readonly unanswered: Pending }

/** What hooks have said about a call. */
export type Said = {
  readonly decision?: Outcome['decision']
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

/** May it run? Rules, mode and hooks decide; where they say that somebody must be asked, somebody is. */
export async function permit(
  use: ToolUseBlock,
  tool: Tool,
  input: PlainObject,
  before: Said,
  session: Session,
  signal: AbortSignal
): Promise<Permit> {
  const ruled = rule(tool, input, before, session)
  const mustAsk = tool.asks === true && ruled.decision === 'allow' && ruled.kind !== 'hook'
  const ruling: Ruling = mustAsk ? { decision: 'ask', kind: 'default', by: tool.name, reason: undefined } : ruled
  if (ruling.decision === 'allow') return { input }
  if (ruling.decision === 'deny') return refuse(use, input, ruling, session)
  const pending: Pending = { why: 'asked', hooks: hooksOf(session), by: ruling.by, reason: ruling.reason }
  const answer = await askSomebody(use, tool, input, ruling, session, signal, pending)
  if (signal.aborted)
    return session.isClosing && answer === undefined ? { unanswered: pending } : { refused: 'interrupted' }
  if (answer === undefined) return refuse(use, input, unanswered(ruling), session)
  if (answer.behavior === 'deny') {
    if (answer.interrupt === true) session.stopped ??= { reason: answer.message, interrupts: true }
    session.deny(use, input, 'asked', ruling.by, answer.message ?? '')
    return { refused: answer.message ?? `The user does not want ${use.name} to run.` }
  }
  tool.change?.approve()
  for (const update of answer.updatedPermissions ?? []) keep(update, session)
  return answer.updatedInput === undefined ? { input } : again(use, tool, answer.updatedInput, session)
}

function rule(tool: Tool, input: PlainObject, { decision, by = '', reason }: Said, session: Session): Ruling {
  const hook = decision === 'allow' || decision === 'ask' ? { decision, by, reason } : undefined
  return decide(callOf(tool, input, session), { ...session.permissions, hook })
}

const callOf = (tool: Tool, input: PlainObject, session: Session): Call => ({
  tool: tool.name,
  input,
  subject: tool.subject?.(input, session.options.place),
  readOnly: tool.readOnly(input),
  doubt: tool.change?.words
})

/** What somebody changed is judged like everything else; only that somebody said yes is known already. */
async function again(use: ToolUseBlock, tool: Tool, given: PlainObject, session: Session): Promise<Permit> {
  const checked = await tool.check(given, session.options.place)
  if ('problem' in checked)
    return { refused: `the input that came with the permission is not valid: ${checked.problem}` }
  const yes: Said = { decision: 'allow', by: 'the permission' }
  const ruling = rule(tool, checked.input, yes, session)
  return ruling.decision === 'deny' ? refuse(use, checked.input, ruling, session) : { input: checked.input }
}

const unanswered = ({ by, reason }: Ruling): Ruling => ({
  decision: 'deny',
  kind: 'default',
  by,
  reason: `it needs a permission${reason === undefined ? '' : ` (${reason})`}, and nobody could be asked`
})

async function refuse(use: ToolUseBlock, input: PlainObject, ruling: Ruling, session: Session): Promise<Permit> {
  const reason = ruling.reason ?? `refused by ${ruling.by}`
  session.deny(use, input, ruling.kind, ruling.by, reason)
  const refused = `Permission to use ${use.name} was denied: ${reason} [${ruling.by}]`
  if (ruling.kind !== 'mode' && ruling.kind !== 'default') return { refused }
  const call = {
    tool_name: use.name,
    tool_input: input,
    tool_use_id: use.id,
    reason,
    mcp_server: serverOf(use, session)
  }
  const after = await session.fire('PermissionDenied', call, { signal: session.afterwards })
  session.heed(after, use.name)
  return { refused: after.fields.retry === true ? `${refused}\nA hook says that it may be tried again.` : refused }
}

const serverOf = ({ name }: ToolUseBlock, session: Session): Tool['server'] => session.tools.get(name)?.server

/** Hooks first, then a person. Nobody answers: `undefined`, and that is a no. */
async function askSomebody(
  use: ToolUseBlock,
  tool: Tool,
  input: PlainObject,
  ruling: Ruling,
  session: Session,
  signal: AbortSignal,
  pending: Pending
): Promise<PersonAnswer | undefined> {
  // No rule keeps a hook from asking.
  const suggestions = ruling.kind === 'hook' ? [] : suggestionsFor(callOf(tool, input, session), session.permissions)
  const ofHook = ruling.kind === 'hook' && session.options.profile === 'compat'
  const said = ofHook ? undefined : await askHooks(use, input, suggestions, session, signal)
  // Hooks are not told what has changed about a tool: they may refuse it, and approve of nothing.
  const answered = tool.change !== undefined && said?.behavior === 'allow' ? undefined : said
  if (answered !== undefined || session.options.ask === undefined) return answered
  const { by, kind } = ruling
  const reason = kind === 'hook' && ruling.reason !== undefined ? `${by}: ${ruling.reason}` : (ruling.reason ?? by)
  const words = tool.caution === undefined ? reason : `${reason}; ${tool.caution}`
  recordPending(use, input, pending, session)
  session.doing = `waiting for somebody to decide about ${use.name}`
  await session.saved()
  const told = session.options.clock.after(PATIENCE, () => void remind(use, session, signal))
  try {
    const question = { toolName: use.name, input, toolUseId: use.id, reason: words, suggestions, signal }
    return answerIn(await within(session.options.ask(question), signal))
  } catch (error) {
    if (signal.aborted) return undefined
    return { behavior: 'deny', message: `the question whether ${use.name} may run failed: ${wordsOf(error)}` }
  } finally {
    told()
  }
}

/** Whoever does not answer for so long, in milliseconds, is told that somebody waits. */
const PATIENCE = 6000

async function remind({ name }: ToolUseBlock, session: Session, signal: AbortSignal): Promise<void> {
  const told = { message: `${name} needs your permission`, notification_type: 'permission_prompt' }
  try {
    session.heed(await session.fire('Notification', told, { signal }))
  } catch (error) {
    session.inform(`nobody could be told that ${told.message}: ${wordsOf(error)}`, 'warning')
  }
}

async function askHooks(
  use: ToolUseBlock,
  tool_input: PlainObject,
  suggestions: readonly PermissionUpdate[],
  session: Session,
  signal: AbortSignal
): Promise<PersonAnswer | undefined> {
  const mcp_server = serverOf(use, session)
  const call = { tool_name: use.name, tool_input, permission_suggestions: suggestions, mcp_server }
  const outcome = await session.fire('PermissionRequest', call, { signal, messages: session.conversation.messages })
  session.heed(outcome, use.name)
  const { decision, reason, by, updatedInput, fields } = outcome
  if (decision === 'deny')
    return { behavior: 'deny', message: `${reason} [${by}]`, interrupt: fields.interrupt === true }
  if (decision !== 'allow') return undefined
  const updatedPermissions = fields.updatedPermissions as readonly PermissionUpdate[] | undefined
  return { behavior: 'allow', updatedInput, updatedPermissions }
}

/** Only what is clearly a yes is one. */
function answerIn(answer: unknown): PersonAnswer | undefined {
  if (!isObject(answer)) return undefined
  if (answer['behavior'] === 'allow' || answer['behavior'] === 'deny') return answer as unknown as PersonAnswer
  return { behavior: 'deny', message: `the answer to the question was neither allow nor deny` }
}

function keep(update: PermissionUpdate, session: Session): void {
  const { permissions } = session
  const { problem, ...changed } = applyUpdate(update, permissions)
  if (problem !== undefined) session.inform(`a permission was not kept: ${problem}`, 'warning')
  else {
    Object.assign(permissions, changed)
    if (update.destination !== 'session' && update.destination !== 'cliArg') session.options.remember?.(update)
  }
}
