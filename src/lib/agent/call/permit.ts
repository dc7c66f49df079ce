import type { HookWord, Ruling } from '../../permissions/policy.ts'
import { decide } from '../../permissions/decide.ts'
import { same } from '../../util/plain.ts'
import type { Session } from '../session/session.ts'
import { decidedCall, refused, toolEvent, type CallAt } from './call.ts'
import { personHere } from './decisions.ts'
import { hooksFingerprint } from './open-call.ts'
import { askHooks, askPerson, keepPermission } from './ask-permission.ts'
import { exactRule, rulesToAdd } from '../../permissions/suggestions.ts'

type JudgedCall = CallAt<'judged'>
type Permitted = CallAt<'allowed' | 'refused' | 'pending' | 'proposed'>

/** How often someone is asked about one call: hooks may change input that came with a yes, and ask about it again. */
const MOST_QUESTIONS = 3

/** A person who gave exactly this input is not asked again; an answer with other input proposes the call again. */
export function permit(call: JudgedCall, session: Session, signal: AbortSignal): Permitted | Promise<Permitted> {
  const ruling = rulingOn(call, session)
  if (ruling.decision === 'deny') return refuse(call, ruling, session)
  // Who gave this input has decided about it.
  if (call.consent?.from === undefined) session.decisions?.rule(call.use.id, ruling)
  if (ruling.decision === 'allow' || call.consent?.from === 'person') return { ...call, stage: 'allowed' }
  const questions = call.consent?.questions ?? 0
  if (questions < MOST_QUESTIONS) return ask(call, ruling, session, signal)
  return refused(call, `hooks changed the input that came with the permission for ${call.use.name} ${questions} times`)
}

const YES: HookWord = { decision: 'allow', by: 'the permission' }

function rulingOn(call: JudgedCall, session: Session): Ruling {
  const { tool, consent, question } = call
  const hook = consent?.from !== undefined && call.hook?.decision !== 'ask' ? YES : call.hook
  const { permissions } = session.options
  const policy = hook === undefined ? permissions : { ...permissions, hook }
  const ruling = decide(decidedCall(call, session.options), policy)
  if (ruling.decision === 'ask' && question !== undefined) return question
  const mustAsk = tool.asks === true && ruling.decision === 'allow' && ruling.kind !== 'hook'
  return mustAsk ? { decision: 'ask', kind: 'default', by: tool.name, reason: `${tool.name} always asks` } : ruling
}

/** Hooks are asked before a person. No answer is a no. */
async function ask(call: JudgedCall, ruling: Ruling, session: Session, signal: AbortSignal): Promise<Permitted> {
  const { use, tool, input, agentId, consent: { questions } = { questions: 0 } } = call
  const { by, kind, reason } = ruling
  const pending = { why: 'asked', hooks: hooksFingerprint(session.options.hooks), by, kind, reason } as const
  const ofHooks = questions === 0 ? await askHooks(call, ruling, session, signal) : undefined
  // No person was asked yet, so no answer is pending.
  if (signal.aborted && ofHooks === undefined) return refused(call, 'interrupted')
  const answer = ofHooks ?? (await askPerson(call, pending, session, signal))
  if (signal.aborted && answer === undefined && session.isClosing) return { stage: 'pending', use, input, pending }
  if (signal.aborted) return refused(call, 'interrupted')
  const askedBy = kind === 'default' ? undefined : by
  if (answer === undefined) {
    const why = session.options.ask === undefined ? 'no one was available to approve it' : 'canUseTool gave no answer'
    const fix = session.options.ask === undefined && kind === 'default' ? fixFor(call, session) : ''
    const words = `it needs permission (${reason ?? by}), and ${why}${fix}`
    return refuse(call, { decision: 'deny', kind: 'default', by: 'default', reason: words, askedBy }, session)
  }
  const who =
    ofHooks === undefined
      ? ({ kind: 'asked', by: 'the user (canUseTool)' } as const)
      : ({ kind: 'hook', by: ofHooks.by } as const)
  // A program that asks people elsewhere names them.
  const approver =
    ofHooks === undefined ? String(answer.approver ?? `${personHere()} (canUseTool)`) : `hook ${ofHooks.by}`
  if (answer.behavior === 'deny') {
    const { message, interrupt, forModel } = answer
    if (interrupt === true) session.stopped ??= { reason: message, interrupts: true }
    const answered = { decision: 'deny', ...who, reason: message ?? 'the answer was no', askedBy } as const
    return refuse(call, answered, session, { forModel, approver })
  }
  session.decisions?.rule(use.id, { decision: 'allow', ...who, reason: reason ?? by, askedBy }, approver)
  tool.change?.approve()
  for (const update of answer.updatedPermissions ?? []) keepPermission(update, session)
  if (ruling.once === true) for (const update of exactRule(input)) keepPermission(update, session)
  const { updatedInput } = answer
  if (updatedInput === undefined || same(updatedInput, input)) return { ...call, stage: 'allowed' }
  const consent = { from: ofHooks === undefined ? 'person' : 'hook', questions: questions + 1 } as const
  return { stage: 'proposed', use, tool, input: updatedInput, agentId, consent }
}

/** `forModel`: what the model reads instead of the reason, which is then only for people and the transcript. */
async function refuse(
  call: JudgedCall,
  ruling: Ruling,
  session: Session,
  { forModel, approver }: { readonly forModel?: string | undefined; readonly approver?: string } = {}
): Promise<CallAt<'refused'>> {
  const { use, input } = call
  const { kind, by, askedBy, reason = `refused by ${by}` } = ruling
  await Promise.resolve()
  session.deny(use, input, { kind, by, askedBy, reason })
  session.decisions?.rule(use.id, { decision: 'deny', kind, by, askedBy, reason }, approver)
  const asked = askedBy === undefined ? '' : `; asked for by ${askedBy}`
  const why = `Permission to use ${use.name} was denied: ${forModel ?? reason} [${by}${asked}]`
  if (kind !== 'mode' && kind !== 'default') return refused(call, why)
  const event = { ...toolEvent(call), tool_name: use.name, reason }
  const report = session.decisions?.wants('PermissionDenied')
  const after = await session.hooks.run('PermissionDenied', event, { signal: session.afterwards, report })
  session.decisions?.hear(use.id, after)
  return refused(call, after.fields.retry === true ? `${why}\nA hook says that the call may be retried.` : why)
}

/** Which rules to add, if no one can be asked. */
function fixFor(call: JudgedCall, { options, permissions }: Session): string {
  const facts = decidedCall(call, options)
  const rules = rulesToAdd(facts, permissions)
  if (rules.length > 0) return `; to allow it, add ${rules.join(' and ')} to permissions.allow or --allowedTools`
  return facts.subject?.kind === 'command'
    ? '; no rule covers such a command, but a PreToolUse hook or sandbox.autoAllow can allow it'
    : ''
}
