import {
  HookRegistry,
  type EventName,
  type HookResult,
  type Message,
  type Outcome,
  type Reply
} from '../../src/hooks.ts'
import { harness } from '../../src/testing.ts'

/** A call of one tool, as an agent would fire it. */
export const callOf = (toolName: string, toolInput: Record<string, unknown> = {}) => ({
  tool_name: toolName,
  tool_input: toolInput,
  tool_use_id: 'toolu_1'
})

export const bash = (command = 'ls', more: Record<string, unknown> = {}) => callOf('Bash', { command, ...more })

/** What no type checker would let a hook answer. */
export const loose = (value: unknown): Reply => value as Reply

/** One turn of the event loop: everything that was queued has happened, and unhandled rejections are known. */
export const loopTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

export const says = (role: Message['role'], content: Message['content']): Message => ({ role, content })

export const toolUse = (id: string): Message =>
  says('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } }])

export const toolResult = (id: string, content = 'fine'): Message =>
  says('user', [{ type: 'tool_result', tool_use_id: id, content }])

/** What comes of an event when library hooks give these answers. */
export const outcomeOf = async (event: EventName, ...replies: readonly HookResult[]): Promise<Outcome> => {
  const hooks = new HookRegistry()
  for (const reply of replies) hooks.register({ events: event, run: () => reply })
  return harness(hooks).fire(event)
}

/** The outcome of saying nothing. */
export const NEUTRAL = {
  decision: undefined,
  blocked: false,
  reason: undefined,
  reasons: [],
  updatedInput: undefined,
  additionalContext: undefined,
  contexts: [],
  systemMessage: undefined,
  systemMessages: [],
  terminalSequences: [],
  continue: undefined,
  stopReason: undefined,
  suppressOutput: false,
  suppressLogging: false,
  fields: {},
  failures: []
}

/** The ten events that the oldest hook systems already had. */
export const TEN = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact'
] as const

export const PROFILES = ['strict', 'compat'] as const
