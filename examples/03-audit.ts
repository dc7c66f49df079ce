/** An audit log that sees every call, the decision and the final input, and cannot block anything. */
import { HookRegistry, deny } from 'carabiner'

const hooks = new HookRegistry()

// Registered first, but runs last because of `observe`.
hooks.on(
  'PreToolUse',
  ctx => {
    const { decision = 'no objection', reason } = ctx.outcome ?? {}
    console.log(
      `${ctx.toolName} ${JSON.stringify(ctx.toolInput)} → ${decision}${reason === undefined ? '' : ` (${reason})`}`
    )
    if (ctx.toolName === 'Read') throw new Error('the log is full')
  },
  { name: 'audit', observe: true }
)

hooks.on('PreToolUse', 'Bash', ctx =>
  ctx.toolInput.command.includes('sudo') ? deny('sudo is not allowed') : undefined
)
hooks.on('PreToolUse', 'Bash', ctx => void (ctx.toolInput.command = ctx.toolInput.command.trim()))

const calls: [string, object][] = [
  ['Bash', { command: '  make test ' }],
  ['Bash', { command: 'sudo make install' }],
  ['Read', { file_path: 'README.md' }]
]
for (const [tool_name, tool_input] of calls) {
  const outcome = await hooks.fire('PreToolUse', { tool_name, tool_input: { ...tool_input }, tool_use_id: 'call-1' })
  for (const failure of outcome.failures) {
    console.log(
      `  ${failure.by} failed: ${failure.message}. The call is ${outcome.blocked ? 'blocked' : 'not blocked'}.`
    )
  }
}
