/** Settings with command hooks, and commands that answer. */
import type { EventName } from '../../src/hooks.ts'

/** A rule with one command, in the form of the hook contract. */
export const rule = (command: string, matcher?: string, more: object = {}): object => ({
  ...(matcher !== undefined && { matcher }),
  hooks: [{ type: 'command', command, ...more }]
})

/** Settings with one command on one event. */
export const commandOn = (event: string, command: string, matcher?: string, more?: object): { hooks: object } => ({
  hooks: { [event]: [rule(command, matcher, more)] }
})

/** A command that prints this. */
export const prints = (reply: object): string => `printf '%s\\n' '${JSON.stringify(reply)}'`

/** A command that refuses with this reason. */
export const refuses = (reason: string): string => `echo '${reason}' >&2; exit 2`

/** A command that gives the model this to read; `event` where it is not PreToolUse. */
export const tells = (text: string, event: EventName = 'PreToolUse'): string =>
  prints({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })

/** A command that decides on PreToolUse, with a reason or with these fields. */
export const decides = (decision: string, more: string | object = {}): string =>
  prints({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      ...(typeof more === 'string' ? { permissionDecisionReason: more } : more)
    }
  })
