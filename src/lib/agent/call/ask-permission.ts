import type { Ruling } from '../../permissions/policy.ts'
import { errorMessage } from '../../errors.ts'
import { suggestionsFor } from '../../permissions/suggestions.ts'
import { applyUpdate, type PermissionUpdate } from '../../permissions/updates.ts'
import { copyPlain, isObject } from '../../util/plain.ts'
import { within } from '../abort.ts'
import type { Session } from '../session/session.ts'
import type { PersonAnswer } from '../session/session-options.ts'
import { decidedCall, type CallAt } from './call.ts'
import { reasonForModel } from './objections.ts'
import { pendingEntry, type Pending } from './open-call.ts'

/** `forModel`: what the model reads instead of the reason, which is then only for people and the transcript. */
type Answer = PersonAnswer & { readonly forModel?: string | undefined }

/** What may be saved together with a yes. No rule keeps a hook from asking. */
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
  const { hooks, isOfProject } = session.options
  // Now: a hook that runs once is gone afterwards.
  const known = hooks.list('PermissionRequest').filter(({ source }) => isOfProject?.(source) === true)
  const report = session.decisions?.wants('PermissionRequest')
  const outcome = await session.hooks.run('PermissionRequest', event, { signal, report })
  session.decisions?.hear(use.id, outcome)
  const { decision, reason, by = '', updatedInput, fields } = outcome
  if (decision === 'deny') {
    const interrupt = fields.interrupt === true
    return { behavior: 'deny', message: reason, interrupt, by, forModel: reasonForModel(outcome) }
  }
  // Hooks do not see how a tool has changed: they may refuse it, but not approve it.
  if (decision !== 'allow' || tool.change !== undefined) return undefined
  const allowers = outcome.reasons.filter(verdict => verdict.decision === 'allow')
  const ofProject = allowers.filter(({ by: author }) => known.some(({ name }) => name === author))
  // A question of the user, a managed file, a mode or another hook is not answered by a hook of the project.
  const mayProjectAnswer = ruling.kind === 'default' || ruling.ofProject === true
  if (ofProject.length === allowers.length && !mayProjectAnswer) return undefined
  const updates = fields.updatedPermissions as readonly PermissionUpdate[] | undefined
  const updatedPermissions = ofProject.length > 0 ? updates?.flatMap(withinSession) : updates
  return { behavior: 'allow', updatedInput, updatedPermissions, by }
}

/** A hook of the project can add permissions for this session only, and cannot set a mode. */
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
  session.transcript.append(pendingEntry(call, pending, session))
  session.doing = `waiting for a decision about ${use.name}`
  await session.transcript.flush()
  const cancel = clock.after(PATIENCE, () => void remind(use.name, session, signal))
  try {
    const why = pending.reason ?? pending.by
    const answer = ask({
      toolName: use.name,
      // A copy, so that changes to it do not affect what was judged.
      input: copyPlain(input),
      toolUseId: use.id,
      reason: tool.caution === undefined ? why : `${why}; ${tool.caution}`,
      suggestions: suggestionsOn(call, pending, session),
      signal
    })
    return answerIn(await within(answer, signal))
  } catch (error) {
    if (signal.aborted) return undefined
    const forModel = `the question whether ${use.name} may run failed`
    return { behavior: 'deny', message: `${forModel}: ${errorMessage(error)}`, forModel }
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

/** Only an explicit allow counts as a yes. */
function answerIn(answer: unknown): PersonAnswer | undefined {
  if (!isObject(answer)) return undefined
  if (answer['behavior'] === 'allow' || answer['behavior'] === 'deny') return answer as unknown as PersonAnswer
  const message =
    "the answer to the question was neither allow nor deny: write { behavior: 'allow' } or { behavior: 'deny', message }"
  return { behavior: 'deny', message }
}

/** A permission that came with a yes applies from now on; if it cannot be stored, until the session ends. */
export function keepPermission(update: PermissionUpdate, session: Session): void {
  const { permissions, options } = session
  const { problem, ...changed } = applyUpdate(update, permissions)
  if (problem !== undefined) return session.reader.notice(`a permission was not saved: ${problem}`, 'warning')
  Object.assign(permissions, changed)
  if (update.destination === 'session' || update.destination === 'cliArg') return
  try {
    options.remember?.(update)
  } catch (error) {
    session.reader.notice(
      `a permission applies to this session only, and was not saved: ${errorMessage(error)}`,
      'warning'
    )
  }
}
