import type { StreamedHook } from '../../agent/output/hook-message.ts'
import type { HookResponse } from '../../hooks/trace.ts'
import { isObject } from '../../util/plain.ts'
import { inOneLine } from '../print.ts'

/** Events whose refusals are told in other ways: with the call, or with the result. */
const TOLD = new Set<string>([
  'PreToolUse',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'AgentStart',
  'Stop'
])

/** What is worth a quiet line of what a hook answered: text for the model, and a no. Its failure is told elsewhere. */
export function hookWords(response: HookResponse & StreamedHook): readonly string[] {
  const { hook_label, hook_event, outcome, output, exit_code } = response
  const refusal = exit_code === 2 ? { decision: 'deny', reason: output.trim() } : undefined
  const reply = outcome === 'success' ? replyIn(output) : refusal
  if (reply === undefined) return []
  const who = inOneLine(`${hook_event} hook ${hook_label}`)
  const context = contextIn(reply)
  const says = saysNo(reply)
  return [
    ...(says === undefined || TOLD.has(hook_event) ? [] : [`${who} says no: ${inOneLine(says)}`]),
    ...(context === undefined ? [] : [`${who} added ${lengthOf(context)} for the model`])
  ]
}

function replyIn(output: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const reply: unknown = JSON.parse(output)
    return isObject(reply) ? reply : undefined
  } catch {
    return undefined
  }
}

function contextIn(reply: Readonly<Record<string, unknown>>): string | undefined {
  const own = reply['hookSpecificOutput']
  const found = [isObject(own) ? own['additionalContext'] : undefined, reply['additionalContext'], reply['context']]
  return found.find((text): text is string => typeof text === 'string' && text !== '')
}

/** The reason of a reply that blocks. */
function saysNo({ decision, reason }: Readonly<Record<string, unknown>>): string | undefined {
  if (decision !== 'deny' && decision !== 'block') return undefined
  return typeof reason === 'string' ? reason : 'no reason given'
}

const lengthOf = (text: string): string => (text.length === 1 ? '1 character' : `${text.length} characters`)
