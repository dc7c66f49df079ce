import { expectTypeOf } from 'vitest'
import {
  allow,
  ask,
  block,
  defer,
  deny,
  HookRegistry,
  later,
  transform,
  type Hook,
  type Reply
} from '../../src/hooks.ts'

const hooks = new HookRegistry()

// What a hook may return: nothing, or a reply, now or later.
hooks.on('Stop', () => {})
hooks.on('Stop', () => undefined)
hooks.on('Stop', () => null)
hooks.on('Stop', async () => {})
hooks.on('Stop', ctx => (ctx.input.stop_hook_active ? undefined : block('The tests are red')))
hooks.on('PreToolUse', ctx => {
  if (ctx.toolName === 'Bash') return deny('No shell')
})
hooks.on('PreToolUse', async ctx => {
  if (ctx.toolName === 'Bash') return { decision: 'deny', reason: 'No shell' }
})
hooks.on('PreToolUse', () => ({ decision: 'block' }))
hooks.on('PreToolUse', () => ({ continue: false, stopReason: 'Enough' }))
hooks.on('PreToolUse', () => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', additionalContext: 'It is late' }
}))
hooks.on('PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'deny', message: 'No' } } }))
hooks.on('PreToolUse', () => later(Promise.resolve(allow()), { asyncTimeout: 5 }))

// @ts-expect-error text is no reply
hooks.on('PreToolUse', () => 'deny')
// @ts-expect-error a boolean neither
hooks.on('PreToolUse', () => false)
// @ts-expect-error nor a promise of one
hooks.on('PreToolUse', async () => true)
// @ts-expect-error not a decision
hooks.on('PreToolUse', () => ({ decision: 'perhaps' }))
// @ts-expect-error not a key of a reply
hooks.on('PreToolUse', () => ({ decison: 'deny' }))
// @ts-expect-error not text
hooks.on('PreToolUse', () => ({ decision: 'deny', reason: 7 }))
// @ts-expect-error not a behavior
hooks.on('PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'ask' } } }))

// The functions that build replies.
expectTypeOf(allow()).toEqualTypeOf<Reply>()
expectTypeOf(deny('why', { context: 'more', suppressOutput: true })).toEqualTypeOf<Reply>()
expectTypeOf(ask('why', { systemMessage: 'for the model' })).toEqualTypeOf<Reply>()
expectTypeOf(block('why')).toEqualTypeOf<Reply>()
expectTypeOf(defer()).toEqualTypeOf<Reply>()
expectTypeOf(transform({ command: 'ls' })).toEqualTypeOf<Reply>()
expectTypeOf(allow({ updatedInput: { command: 'ls' } })).toEqualTypeOf<Reply>()
// @ts-expect-error not text
deny(7)
// @ts-expect-error not an option
allow({ contexts: 'more' })
// @ts-expect-error not text
ask('why', { context: 7 })
// @ts-expect-error an input is an object
transform('ls')
// @ts-expect-error not a promise
later(allow())

// A hook object says what it does in its own type.
const hook: Hook<'PreToolUse', 'Bash'> = {
  name: 'no-force-push',
  events: 'PreToolUse',
  matcher: 'Bash',
  priority: 100,
  timeout: 1.5,
  onFailure: 'block',
  run: ctx => (ctx.toolInput.command.includes('--force') ? deny('No force') : undefined)
}
expectTypeOf(hooks.register(hook)).toEqualTypeOf<HookRegistry>()
// @ts-expect-error not a policy
hooks.on('Stop', () => {}, { onFailure: 'ignore' })
// @ts-expect-error not an option
hooks.on('Stop', () => {}, { prority: 1 })
// @ts-expect-error it does nothing
hooks.register({ name: 'idle', events: 'Stop' })

// Callbacks written for the Claude Agent SDK.
hooks.callbacks({
  PreToolUse: [
    {
      matcher: 'Bash',
      hooks: [
        async (input, toolUseId, { signal }) => {
          expectTypeOf(input.hook_event_name).toEqualTypeOf<'PreToolUse'>()
          expectTypeOf(input.tool_input).toEqualTypeOf<Record<string, unknown>>()
          expectTypeOf(toolUseId).toEqualTypeOf<string | undefined>()
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
          return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }
        }
      ]
    }
  ],
  // @ts-expect-error there is no such event
  PreToolUze: []
})

// Callbacks whose types come from another package: one callback for all its events, optional fields without `undefined`.
interface ForeignBase {
  session_id: string
  prompt_id?: string
}
type ForeignInput =
  | (ForeignBase & { hook_event_name: 'PreToolUse'; tool_name: string; tool_input: unknown })
  | (ForeignBase & { hook_event_name: 'SessionEnd'; reason: 'clear' | 'other' })
type ForeignCallback = (
  input: ForeignInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal }
) => Promise<{ continue?: boolean }>
const foreign: ForeignCallback = async input => ({ continue: input.hook_event_name === 'PreToolUse' })
const foreignRecord: Partial<Record<'PreToolUse' | 'SessionEnd', { matcher?: string; hooks: ForeignCallback[] }[]>> = {
  PreToolUse: [{ matcher: 'Bash', hooks: [foreign] }]
}
new HookRegistry().callbacks(foreignRecord)

// Callbacks written in place are typed by their event.
new HookRegistry().callbacks({ PreToolUse: [{ hooks: [async input => void input.tool_name.length] }] })
// @ts-expect-error: a prompt has no tool.
new HookRegistry().callbacks({ UserPromptSubmit: [{ hooks: [input => void input.tool_name] }] })
