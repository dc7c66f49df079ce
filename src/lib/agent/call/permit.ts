import { wordsOf } from '../../errors.ts'
import type { Outcome } from '../../hooks/dispatch/outcome.ts'
import type { ToolUseBlock } from '../../message.ts'
import { decide, type Call, type Ruling } from '../../permissions/decide.ts'
import { suggestionsFor } from '../../permissions/suggestions.ts'
import { twinsFor } from '../../permissions/twins.ts'
import { applyUpdate, type PermissionUpdate } from '../../permissions/updates.ts'
import type { Tool } from '../../tools/tool.ts'
import { isThere, wayTo } from '../../world/files/real-path.ts'
import { copyPlain, isObject, same, type PlainObject } from '../../util/plain.ts'
import { within } from '../abort.ts'
import type { PersonAnswer } from '../session/session-options.ts'
import { judge, refusedByHook } from './judge.ts'
import { reasonForModel } from './objections.ts'
import { hooksOf, recordPending, type Pending } from './pending.ts'
import type { Session } from '../session/session.ts'

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
  /** Somebody was about to be asked before we were ended, and why. */
  readonly asked?: Ruling
}

/** A call, and where it is made. */
interface Asking {
  readonly use: ToolUseBlock
  readonly tool: Tool
  readonly session: Session
  readonly signal: AbortSignal
  /** A PreToolUse hook wants it asked about, whoever else does. */
  readonly isHooks: boolean
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
  const ruling = rulingOn(tool, input, before, session)
  if (ruling.decision === 'allow') return { input }
  if (ruling.decision === 'deny') return refuse(use, input, ruling, session)
  return ask({ use, tool, session, signal, isHooks: before.decision === 'ask' }, input, ruling, 0)
}

/** So often somebody is asked about one call: input that comes with a yes may be changed by hooks, and asked about again. */
const MOST_QUESTIONS = 3

async function ask(asking: Asking, input: PlainObject, ruling: Ruling, asked: number): Promise<Permit> {
  const { use, tool, session, signal } = asking
  const { by, kind, reason } = ruling
  const pending: Pending = { why: 'asked', hooks: hooksOf(session), by, kind, reason }
  const ofHooks = asked === 0 ? await hooksAnswer(asking, input, ruling) : undefined
  // Nobody was asked yet, so nobody waits for an answer.
  if (signal.aborted && ofHooks === undefined) return { refused: 'interrupted' }
  const answer = ofHooks ?? (await personsAnswer(asking, input, ruling, pending))
  if (signal.aborted)
    return session.isClosing && answer === undefined ? { unanswered: pending } : { refused: 'interrupted' }
  if (answer === undefined) return refuse(use, input, unanswered(ruling, session), session)
  if (answer.behavior === 'deny') {
    if (answer.interrupt === true) session.stopped ??= { reason: answer.message, interrupts: true }
    return refuse(use, input, denied(answer, ofHooks?.by, ruling), session)
  }
  tool.change?.approve()
  for (const update of answer.updatedPermissions ?? []) keep(update, session)
  const { updatedInput } = answer
  if (updatedInput === undefined || same(updatedInput, input)) return { input }
  return again(asking, updatedInput, ofHooks === undefined, asked + 1)
}

/**
 * Input that came with a yes is judged like any other: by its schema, by PreToolUse hooks, by rules. That a person said
 * yes to exactly this is known already; a hook's yes is no answer to what asks for a person.
 */
async function again(asking: Asking, given: PlainObject, byPerson: boolean, asked: number): Promise<Permit> {
  const { use, tool, session, signal } = asking
  const checked = await tool.check(given, session.options.place)
  if ('problem' in checked)
    return { refused: `the input that came with the permission is not valid: ${checked.problem}` }
  const judged = await judge(use, tool, checked.input, session, signal)
  const { before } = judged
  if (signal.aborted) return { refused: 'interrupted' }
  if (before.blocked) return { refused: refusedByHook(use, checked.input, before, session) }
  if (before.decision === 'defer') return { unanswered: { why: 'deferred' } }
  if ('problem' in judged) return { refused: `a hook made the input invalid: ${judged.problem}` }
  const { input } = judged
  const isAsGiven = same(input, checked.input)
  const ruling = rulingOn(tool, input, isAsGiven && before.decision !== 'ask' ? YES : before, session)
  if (ruling.decision === 'deny') return refuse(use, input, ruling, session)
  if (ruling.decision === 'allow' || (isAsGiven && byPerson)) return { input }
  if (asked < MOST_QUESTIONS) return ask(asking, input, ruling, asked)
  return { refused: `what came with the permission for ${use.name} was changed by hooks ${asked} times` }
}

const YES: Said = { decision: 'allow', by: 'the permission' }

function rulingOn(tool: Tool, input: PlainObject, said: Said, session: Session): Ruling {
  const ruled = rule(tool, input, said, session)
  if (ruled.decision === 'ask' && said.asked !== undefined) return said.asked
  const mustAsk = tool.asks === true && ruled.decision === 'allow' && ruled.kind !== 'hook'
  return mustAsk ? { decision: 'ask', kind: 'default', by: tool.name, reason: `${tool.name} always asks` } : ruled
}

function rule(tool: Tool, input: PlainObject, { decision, by = '', reason }: Said, session: Session): Ruling {
  const hook = decision === 'allow' || decision === 'ask' ? { decision, by, reason } : undefined
  return decide(callOf(tool, input, session), { ...session.permissions, hook })
}

const callOf = (tool: Tool, input: PlainObject, session: Session): Call => ({
  tool: tool.name,
  input,
  subject: tool.subject?.(input, session.options.place),
  readOnly: tool.readOnlyIsUnverified !== true && tool.readOnly(input),
  doubt: tool.change?.words,
  cwd: session.options.place.cwd,
  real: wayTo,
  has: isThere,
  twins: twinsFor(session.permissions)
})

/** A no to a question: of a PermissionRequest hook, or of whoever `canUseTool` has asked. */
const denied = (
  { message, told }: Answer & { behavior: 'deny' },
  hook: string | undefined,
  ruling: Ruling
): Denied => ({
  decision: 'deny',
  kind: hook === undefined ? 'asked' : 'hook',
  by: hook ?? 'the user (canUseTool)',
  reason: message ?? 'the answer was no',
  told,
  askedBy: askedBy(ruling)
})

const askedBy = ({ kind, by }: Ruling): string | undefined => (kind === 'default' ? undefined : by)

const unanswered = (ruling: Ruling, { options }: Session): Ruling => ({
  decision: 'deny',
  kind: 'default',
  by: 'default',
  reason: `it needs a permission (${ruling.reason ?? ruling.by}), and ${options.ask === undefined ? 'nobody could be asked' : 'canUseTool gave no answer'}`,
  askedBy: askedBy(ruling)
})

async function refuse(use: ToolUseBlock, input: PlainObject, ruling: Denied, session: Session): Promise<Permit> {
  const reason = ruling.reason ?? `refused by ${ruling.by}`
  session.deny(use, input, { ...ruling, reason })
  const asked = ruling.askedBy === undefined ? '' : `; asked for by ${ruling.askedBy}`
  const refused = `Permission to use ${use.name} was denied: ${ruling.told ?? reason} [${ruling.by}${asked}]`
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

/** What may be kept together with a yes. No rule keeps a hook from asking. */
const suggestionsOn = ({ tool, session }: Asking, input: PlainObject, { kind }: Ruling): readonly PermissionUpdate[] =>
  kind === 'hook' ? [] : suggestionsFor(callOf(tool, input, session), session.permissions)

/** `told`: what the model is told instead of the reason, which then is for people and the transcript alone. */
type Answer = PersonAnswer & { readonly told?: string | undefined }
type Denied = Ruling & { readonly told?: string | undefined }
type HooksAnswer = Answer & { readonly by: string }

/** Hooks are asked before a person is. */
async function hooksAnswer(asking: Asking, input: PlainObject, ruling: Ruling): Promise<HooksAnswer | undefined> {
  const { use, tool, session, signal } = asking
  if (asking.isHooks && session.options.profile === 'compat') return undefined
  const said = await askHooks(use, input, suggestionsOn(asking, input, ruling), ruling, session, signal)
  // Hooks are not told what has changed about a tool: they may refuse it, and approve of nothing.
  return tool.change !== undefined && said?.behavior === 'allow' ? undefined : said
}

/** Nobody answers: `undefined`, and that is a no. */
async function personsAnswer(
  asking: Asking,
  input: PlainObject,
  ruling: Ruling,
  pending: Pending
): Promise<Answer | undefined> {
  const { use, tool, session, signal } = asking
  const { ask: askPerson, clock } = session.options
  if (askPerson === undefined) return undefined
  const reason = ruling.reason ?? ruling.by
  const words = tool.caution === undefined ? reason : `${reason}; ${tool.caution}`
  recordPending(use, input, pending, session)
  session.doing = `waiting for somebody to decide about ${use.name}`
  await session.saved()
  const forget = clock.after(PATIENCE, () => void remind(use, session, signal))
  try {
    const suggestions = suggestionsOn(asking, input, ruling)
    // A copy: what is done to it changes nothing of what was judged.
    const shown = { toolName: use.name, input: copyPlain(input), toolUseId: use.id }
    return answerIn(await within(askPerson({ ...shown, reason: words, suggestions, signal }), signal))
  } catch (error) {
    if (signal.aborted) return undefined
    const told = `the question whether ${use.name} may run failed`
    return { behavior: 'deny', message: `${told}: ${wordsOf(error)}`, told }
  } finally {
    forget()
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
  ruling: Ruling,
  session: Session,
  signal: AbortSignal
): Promise<HooksAnswer | undefined> {
  const mcp_server = serverOf(use, session)
  const call = { tool_name: use.name, tool_input, permission_suggestions: suggestions, mcp_server }
  const outcome = await session.fire('PermissionRequest', call, { signal })
  session.heed(outcome, use.name)
  const { decision, reason, by = '', updatedInput, fields } = outcome
  if (decision === 'deny')
    return {
      behavior: 'deny',
      message: reason,
      interrupt: fields.interrupt === true,
      by,
      told: reasonForModel(outcome)
    }
  if (decision !== 'allow') return undefined
  const allowers = outcome.reasons.filter(verdict => verdict.decision === 'allow').map(verdict => verdict.by)
  const ofProject = allowers.filter(hook => isOfProject(hook, session))
  if (ofProject.length === allowers.length && !mayProjectAnswer(ruling)) return undefined
  const updates = fields.updatedPermissions as readonly PermissionUpdate[] | undefined
  const updatedPermissions = ofProject.length > 0 ? updates?.flatMap(withinSession) : updates
  return { behavior: 'allow', updatedInput, updatedPermissions, by }
}

const isOfProject = (hook: string, { options: { hooks, isOfProject: isIt } }: Session): boolean =>
  hooks.has(hook) && isIt?.(hooks.describe(hook).source) === true

/** What the user, a managed file, a mode or another hook wants asked is not answered by what came with the project. */
const mayProjectAnswer = ({ kind, ofProject }: Ruling): boolean => kind === 'default' || ofProject === true

/** A hook of the project lets more pass for this session at most, and chooses no mode. */
const withinSession = (update: PermissionUpdate): readonly PermissionUpdate[] =>
  update.type === 'setMode' ? [] : [{ ...update, destination: 'session' }]

/** Only what is clearly a yes is one. */
function answerIn(answer: unknown): PersonAnswer | undefined {
  if (!isObject(answer)) return undefined
  if (answer['behavior'] === 'allow' || answer['behavior'] === 'deny') return answer as unknown as PersonAnswer
  const message =
    "the answer to the question was neither allow nor deny: write { behavior: 'allow' } or { behavior: 'deny', message }"
  return { behavior: 'deny', message }
}

function keep(update: PermissionUpdate, session: Session): void {
  const { permissions } = session
  const { problem, ...changed } = applyUpdate(update, permissions)
  if (problem !== undefined) session.inform(`a permission was not kept: ${problem}`, 'warning')
  else {
    Object.assign(permissions, changed)
    if (update.destination !== 'session' && update.destination !== 'cliArg') remember(update, session)
  }
}

/** What cannot be kept counts all the same, until the session ends. */
function remember(update: PermissionUpdate, session: Session): void {
  try {
    session.options.remember?.(update)
  } catch (error) {
    session.inform(`a permission counts for this session only, and was not kept: ${wordsOf(error)}`, 'warning')
  }
}
