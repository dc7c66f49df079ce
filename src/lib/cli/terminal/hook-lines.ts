import type { StreamedHook } from '../../agent/output/hook-message.ts'
import { jsonIn } from '../../util/attempt.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { escapeLine } from '../print.ts'
import type { HookResponse } from '../../hooks/hook-messages.ts'

/** Events whose refusals are shown in other ways: with the call, or with the result. */
const SHOWN_ELSEWHERE = new Set<string>([
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'AgentStart',
  'Stop'
])

/** Lines about what a hook answered: text for the model, and a refusal. Its failure is shown elsewhere. */
export function hookLines(response: HookResponse & StreamedHook): readonly string[] {
  const { hook_label, hook_event, outcome, output, exit_code } = response
  const refusal = exit_code === 2 ? { decision: 'deny', reason: output.trim() } : undefined
  const reply = outcome === 'success' ? jsonIn(output) : refusal
  if (!isObject(reply)) return []
  const who = escapeLine(`${hook_event} hook ${hook_label}`)
  const context = contextIn(reply)
  const refused = refusalReason(reply)
  return [
    ...(refused === undefined || SHOWN_ELSEWHERE.has(hook_event) ? [] : [`${who} refused: ${escapeLine(refused)}`]),
    ...(context === undefined ? [] : [`${who} added ${lengthOf(context)} for the model`])
  ]
}

function contextIn(reply: PlainObject): string | undefined {
  const own = reply['hookSpecificOutput']
  const found = [isObject(own) ? own['additionalContext'] : undefined, reply['additionalContext'], reply['context']]
  return found.find((text): text is string => typeof text === 'string' && text !== '')
}

function refusalReason({ decision, reason }: PlainObject): string | undefined {
  if (decision !== 'deny' && decision !== 'block') return undefined
  return typeof reason === 'string' ? reason : 'no reason given'
}

const lengthOf = (text: string): string => (text.length === 1 ? '1 character' : `${text.length} characters`)
