import { errorMessage } from '../../errors.ts'
import type { Ruling } from '../../permissions/decide.ts'
import { suggestionsFor } from '../../permissions/suggestions.ts'
import { applyUpdate, type PermissionUpdate } from '../../permissions/updates.ts'
import { copyPlain, isObject } from '../../util/plain.ts'
import { within } from '../abort.ts'
import type { Session } from '../session/session.ts'
import type { PersonAnswer } from '../session/session-options.ts'
import { decidedCall, type CallAt } from './call.ts'
import { reasonForModel } from './objections.ts'
import { pendingEntry, type Pending } from './open-call.ts'

/** `told`: what the model reads instead of the reason, which then is for people and the transcript alone. */
type Answer = PersonAnswer & { readonly told?: string | undefined }

/** What may be kept together with a yes. No rule keeps a hook from asking. */
const suggestionsOn = (call: CallAt<'judged'>, { kind }: Pick<Ruling, 'kind'>, session: Session) =>
  kind === 'hook' ? [] : suggestionsFor(decidedCall(call, session.options), session.permissions)

export async function askHooks(
  call: CallAt<'judged'>,
  ruling: Ruling,
  session: Session,
  signal: AbortSignal
): Promise<(Answer & { readonly by: string }) | undefined> {
  const { use, tool, input: tool_input, hook } = call
  if (hook?.decision === 'ask' && session.options.profile === 'compat') return undefined
  const permission_suggestions = suggestionsOn(call, ruling, session)
  const event = { tool_name: use.name, tool_input, permission_suggestions, mcp_server: tool.server }
  const outcome = await session.hooks.run('PermissionRequest', event, { signal })
  const { decision, reason, by = '', updatedInput, fields } = outcome
  if (decision === 'deny') {
    const interrupt = fields.interrupt === true
    return { behavior: 'deny', message: reason, interrupt, by, told: reasonForModel(outcome) }
  }
  // Hooks do not see what has changed about a tool: they may refuse it, and approve of nothing.
  if (decision !== 'allow' || tool.change !== undefined) return undefined
  const allowers = outcome.reasons.filter(verdict => verdict.decision === 'allow')
  const { hooks, isOfProject } = session.options
  const ofProject = allowers.filter(({ by: name }) => hooks.has(name) && isOfProject?.(hooks.describe(name).source))
  // What the user, a managed file, a mode or another hook wants asked is not answered by what came with the project.
  const mayProjectAnswer = ruling.kind === 'default' || ruling.ofProject === true
  if (ofProject.length === allowers.length && !mayProjectAnswer) return undefined
  const updates = fields.updatedPermissions as readonly PermissionUpdate[] | undefined
  const updatedPermissions = ofProject.length > 0 ? updates?.flatMap(withinSession) : updates
  return { behavior: 'allow', updatedInput, updatedPermissions, by }
}

/** A hook of the project allows more for this session at most, and chooses no mode. */
const withinSession = (update: PermissionUpdate): readonly PermissionUpdate[] =>
  update.type === 'setMode' ? [] : [{ ...update, destination: 'session' }]

export async function askPerson(
  call: CallAt<'judged'>,
  pending: Pending & Pick<Ruling, 'kind' | 'by'>,
  session: Session,
  signal: AbortSignal
): Promise<Answer | undefined> {
  const { use, tool, input } = call
  const { ask, clock } = session.options
  if (ask === undefined) return undefined
  session.transcript.append(pendingEntry(call, pending))
  session.doing = `waiting for a decision about ${use.name}`
  await session.transcript.flush()
  const cancel = clock.after(PATIENCE, () => void remind(use.name, session, signal))
  try {
    const why = pending.reason ?? pending.by
    const answer = ask({
      toolName: use.name,
      // A copy: what is done to it changes nothing of what was judged.
      input: copyPlain(input),
      toolUseId: use.id,
      reason: tool.caution === undefined ? why : `${why}; ${tool.caution}`,
      suggestions: suggestionsOn(call, pending, session),
      signal
    })
    return answerIn(await within(answer, signal))
  } catch (error) {
    if (signal.aborted) return undefined
    const told = `the question whether ${use.name} may run failed`
    return { behavior: 'deny', message: `${told}: ${errorMessage(error)}`, told }
  } finally {
    cancel()
  }
}

/** After this time without an answer, in milliseconds, Notification hooks run. */
const PATIENCE = 6000

async function remind(toolName: string, session: Session, signal: AbortSignal): Promise<void> {
  const message = `${toolName} needs your permission`
  try {
    await session.hooks.run('Notification', { message, notification_type: 'permission_prompt' }, { signal })
  } catch (error) {
    session.reader.notice(`no notification could be sent that ${message}: ${errorMessage(error)}`, 'warning')
  }
}

/** Only what is clearly a yes is one. */
function answerIn(answer: unknown): PersonAnswer | undefined {
  if (!isObject(answer)) return undefined
  if (answer['behavior'] === 'allow' || answer['behavior'] === 'deny') return answer as unknown as PersonAnswer
  const message =
    "the answer to the question was neither allow nor deny: write { behavior: 'allow' } or { behavior: 'deny', message }"
  return { behavior: 'deny', message }
}

/** A permission that came with a yes counts from now on; one that cannot be stored counts until the session ends. */
export function keepPermission(update: PermissionUpdate, session: Session): void {
  const { permissions, options } = session
  const { problem, ...changed } = applyUpdate(update, permissions)
  if (problem !== undefined) return session.reader.notice(`a permission was not kept: ${problem}`, 'warning')
  Object.assign(permissions, changed)
  if (update.destination === 'session' || update.destination === 'cliArg') return
  try {
    options.remember?.(update)
  } catch (error) {
    session.reader.notice(
      `a permission counts for this session only, and was not kept: ${errorMessage(error)}`,
      'warning'
    )
  }
}
