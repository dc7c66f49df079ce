import { expectTypeOf } from 'vitest'
import {
  HookRegistry,
  type EventName,
  type FireInput,
  type HookContext,
  type InputOf,
  type Message,
  type Outcome,
  type RequestDraft,
  type ResponseDraft
} from '../../src/hooks.ts'

const hooks = new HookRegistry()

// F28: the payload follows from the event.
hooks.on('SessionStart', ctx => {
  expectTypeOf(ctx.event).toEqualTypeOf<'SessionStart'>()
  expectTypeOf(ctx.input.hook_event_name).toEqualTypeOf<'SessionStart'>()
  expectTypeOf(ctx.input.source).toEqualTypeOf<'startup' | 'resume' | 'clear' | 'compact' | 'fork'>()
  expectTypeOf(ctx.input.model).toEqualTypeOf<string | undefined>()
  expectTypeOf(ctx.input.session_id).toEqualTypeOf<string>()
  expectTypeOf(ctx.toolName).toEqualTypeOf<undefined>()
  expectTypeOf(ctx.toolInput).toEqualTypeOf<undefined>()
  expectTypeOf(ctx.prompt).toEqualTypeOf<undefined>()
  // @ts-expect-error a session start has no prompt
  ctx.input.prompt
})
hooks.on('PostToolUse', ctx => {
  expectTypeOf(ctx.toolResponse).toEqualTypeOf<unknown>()
  expectTypeOf(ctx.input.tool_response).toEqualTypeOf<unknown>()
  expectTypeOf(ctx.input.duration_ms).toEqualTypeOf<number | undefined>()
  expectTypeOf(ctx.toolUseId).toEqualTypeOf<string>()
  expectTypeOf(ctx.error).toEqualTypeOf<undefined>()
})
hooks.on('PostToolUseFailure', ctx => {
  expectTypeOf(ctx.error).toEqualTypeOf<string>()
  expectTypeOf(ctx.toolResponse).toEqualTypeOf<undefined>()
})
hooks.on('PermissionRequest', ctx => {
  expectTypeOf(ctx.toolUseId).toEqualTypeOf<undefined>()
})
hooks.on('SubagentStop', ctx => {
  expectTypeOf(ctx.subagentId).toEqualTypeOf<string>()
  expectTypeOf(ctx.input.success).toEqualTypeOf<boolean>()
  expectTypeOf(ctx.input.error).toEqualTypeOf<string | undefined>()
})
hooks.on('PreCompact', ctx => {
  expectTypeOf(ctx.input.custom_instructions).toEqualTypeOf<string | null>()
})
hooks.on('PreModelRequest', ctx => {
  expectTypeOf(ctx.request).toEqualTypeOf<RequestDraft>()
  expectTypeOf(ctx.response).toEqualTypeOf<undefined>()
  expectTypeOf(ctx.input.purpose).toEqualTypeOf<'turn' | 'compaction'>()
  ctx.request.tools = ctx.request.tools.filter(name => name !== 'Bash')
  ctx.request.append = [{ role: 'user', content: 'One step is left.' }]
  ctx.request.append.push({ role: 'user', content: [{ type: 'text', text: 'The last one.' }] })
  ctx.request.effort = 'low'
  // @ts-expect-error there is no such effort
  ctx.request.effort = 'ultra'
  // @ts-expect-error only the user's messages can be added
  ctx.request.append.push({ role: 'assistant', content: 'Yes.' })
})
hooks.on('PostModelResponse', ctx => {
  expectTypeOf(ctx.response).toEqualTypeOf<ResponseDraft>()
  expectTypeOf(ctx.input.attempt).toEqualTypeOf<number>()
  expectTypeOf(ctx.input.usage.output_tokens).toEqualTypeOf<number>()
  for (const block of ctx.response.content) if (block.type === 'text') block.text = block.text.trim()
  ctx.response.content = ctx.response.content.map(block => (block.type === 'text' ? { ...block, text: '…' } : block))
  // @ts-expect-error only the texts can be changed
  ctx.response.stop_reason = 'end_turn'
})
hooks.on('PostToolBatch', ctx => {
  expectTypeOf(ctx.input.tool_calls[0]!.tool_name).toEqualTypeOf<string>()
})
hooks.on('AgentStop', ctx => {
  expectTypeOf(ctx.input.result.usage.output_tokens).toEqualTypeOf<number>()
})
hooks.on('Stop', ctx => {
  expectTypeOf(ctx.input.stop_hook_active).toEqualTypeOf<boolean>()
  expectTypeOf(ctx.messages).toEqualTypeOf<Message[]>()
  expectTypeOf(ctx.metadata).toEqualTypeOf<Record<string, unknown>>()
  expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
  // @ts-expect-error the input is frozen
  ctx.input.stop_hook_active = true
})

// Every event has a context whose `event` is its own name, and an input.
type Names = { [E in EventName]: HookContext<E>['event'] }
expectTypeOf<Names>().toEqualTypeOf<{ [E in EventName]: E }>()
type InputNames = { [E in EventName]: InputOf<E>['hook_event_name'] }
expectTypeOf<InputNames>().toEqualTypeOf<{ [E in EventName]: E }>()

// Several events: a union that `ctx.event` tells apart.
hooks.register({
  name: 'several',
  events: ['PreToolUse', 'Stop', 'UserPromptSubmit'],
  run(ctx) {
    expectTypeOf(ctx.event).toEqualTypeOf<'PreToolUse' | 'Stop' | 'UserPromptSubmit'>()
    // @ts-expect-error not every one of these has it
    ctx.input.prompt
    switch (ctx.event) {
      case 'PreToolUse':
        expectTypeOf(ctx.toolName).toEqualTypeOf<string>()
        expectTypeOf(ctx.input.tool_use_id).toEqualTypeOf<string>()
        return
      case 'Stop':
        expectTypeOf(ctx.input.stop_hook_active).toEqualTypeOf<boolean>()
        return
      case 'UserPromptSubmit':
        expectTypeOf(ctx.prompt).toEqualTypeOf<string>()
        return
      default:
        expectTypeOf(ctx).toEqualTypeOf<never>()
    }
  }
})

// Events that do not exist.
// @ts-expect-error
hooks.on('PreToolUze', () => {})
// @ts-expect-error
hooks.on('PreToolUze', 'Bash', () => {})
// @ts-expect-error
hooks.register({ name: 'unknown', events: ['Stop', 'Halt'], run: () => {} })
// @ts-expect-error
void hooks.fire('Halt', {})
// @ts-expect-error
hooks.list('Halt')

// What `fire` takes: the event's own fields must be there, the base fields may.
const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1' }
expectTypeOf(hooks.fire('PreToolUse', bash)).toEqualTypeOf<Outcome | Promise<Outcome>>()
void hooks.fire('PreToolUse', { ...bash, session_id: 's', cwd: '/', mcp_server: undefined })
// @ts-expect-error the id is missing
void hooks.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} })
// @ts-expect-error not a number
void hooks.fire('Iteration', { agent_id: 'a', iteration: '1' })
// @ts-expect-error not one of the sources
void hooks.fire('SessionStart', { source: 'boot' })
// @ts-expect-error a field of another event
void hooks.fire('Stop', { stop_hook_active: false, prompt: 'Hello' })
hooks.on('Stop', async ctx => {
  await ctx.fire('Notification', { message: 'Done', notification_type: 'done' })
  // @ts-expect-error the message is missing
  await ctx.fire('Notification', { notification_type: 'done' })
})

// A report only where it was asked for.
expectTypeOf((await hooks.fire('PreToolUse', bash, { report: true })).report[0]!.why).toEqualTypeOf<string>()
// @ts-expect-error
;(await hooks.fire('PreToolUse', bash)).report

export const setupInput: FireInput<'Setup'> = { trigger: 'init' }
