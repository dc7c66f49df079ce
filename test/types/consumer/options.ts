import {
  allow,
  ask,
  CarabinerError,
  deny,
  guard,
  HookRegistry,
  later,
  parseEvent,
  type Outcome,
  type Reply
} from 'carabiner'
import { HookRegistry as Engine, type HookReport } from 'carabiner/hooks'
import { harness, manualClock } from 'carabiner/testing'

/** What a program has that reads its options from elsewhere: perhaps a value, perhaps undefined. */
declare const perhaps: {
  text: string | undefined
  number: number | undefined
  flag: boolean | undefined
  signal: AbortSignal | undefined
  record: Record<string, unknown> | undefined
}

const clock = manualClock()
const hooks = new HookRegistry({
  clock,
  sessionId: perhaps.text,
  transcriptPath: perhaps.text,
  cwd: perhaps.text,
  permissionMode: perhaps.text,
  budget: perhaps.number,
  signal: perhaps.signal,
  agent: { id: perhaps.text, type: undefined, depth: perhaps.number, config: perhaps.record },
  precedence: undefined,
  profile: undefined,
  env: undefined,
  sink: undefined,
  onLate: undefined,
  standIn: undefined,
  compilePattern: undefined
})
const same: Engine = hooks

hooks.on('PreToolUse', 'Bash', ctx => (ctx.toolInput.command === '' ? deny(perhaps.text) : undefined), {
  name: perhaps.text,
  priority: perhaps.number,
  timeout: perhaps.number,
  once: perhaps.flag,
  observe: perhaps.flag,
  onFailure: undefined
})
same.register({
  name: perhaps.text,
  events: ['PreToolUse', 'PostToolUse'],
  matcher: undefined,
  priority: perhaps.number,
  concurrent: perhaps.flag,
  source: perhaps.text,
  dialect: undefined,
  run: ctx => {
    const reply: Reply = {
      decision: undefined,
      reason: perhaps.text,
      continue: perhaps.flag,
      hookSpecificOutput: undefined
    }
    return ctx.event === 'PreToolUse' ? reply : { systemMessage: perhaps.text, additionalContext: perhaps.text }
  }
})
hooks.group('PreToolUse', 'Edit|Write', [ctx => ask(ctx.toolInput.file_path, { context: perhaps.text })], {
  name: perhaps.text,
  timeout: perhaps.number,
  sequential: perhaps.flag
})
hooks.callbacks({
  PreToolUse: [{ matcher: perhaps.text, timeout: perhaps.number, hooks: [async () => ({})] }],
  Stop: undefined
})
hooks.on('Stop', () => later(Promise.resolve(allow({ updatedInput: undefined })), { asyncTimeout: perhaps.number }))

const outcome: Outcome = await hooks.fire(
  'PreToolUse',
  { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'toolu_1', mcp_server: perhaps.record },
  { report: perhaps.flag, signal: perhaps.signal, metadata: perhaps.record, messages: undefined, accept: undefined }
)
const { report }: { report: readonly HookReport[] } = await hooks
  .scope(perhaps.text)
  .fire('Stop', { stop_hook_active: false, last_assistant_message: perhaps.text }, { report: true })

const read = guard(hooks, 'Read', (input: { path: string }) => input.path.length, {
  onAsk: undefined,
  onDeny: undefined,
  signal: perhaps.signal,
  sessionId: perhaps.text
})
const length: number = await read({ path: '/tmp/a' })

await harness(hooks).tool('Bash', { command: 'ls' }, { signal: perhaps.signal }).toBeSilent()
await clock.advance(1)
hooks.list(parseEvent('pre_tool_use'))
try {
  hooks.describe('nobody')
} catch (error) {
  if (error instanceof CarabinerError && error.code === 'E_HOOK_UNKNOWN') hooks.release()
}

export const all = { outcome, report, length }
