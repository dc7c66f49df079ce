/** A gate denies a call. Run it with `node examples/01-deny.ts`, after `npm run build`. */
import { HookRegistry, deny } from 'carabiner'

const hooks = new HookRegistry()

// The matcher 'Bash' tells the compiler that toolInput has a command.
hooks.on(
  'PreToolUse',
  'Bash',
  ctx => (/\brm\s+-rf\b/.test(ctx.toolInput.command) ? deny('deleting directories needs approval') : undefined),
  { name: 'no-rm-rf' }
)

for (const command of ['ls build', 'rm -rf build']) {
  const outcome = await hooks.fire('PreToolUse', {
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 'call-1'
  })
  const answer = outcome.blocked ? `denied by ${outcome.by}: ${outcome.reason}` : 'no objection'
  console.log(`${command.padEnd(14)}${answer}`)
}
