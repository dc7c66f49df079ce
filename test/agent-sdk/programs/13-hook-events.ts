/** Hooks as the stream shows them. */
import { query, type HookCallback } from 'carabiner'

const quiet: HookCallback = async () => ({})

for await (const message of query({
  prompt: 'List the files',
  options: {
    allowedTools: ['Glob'],
    includeHookEvents: true,
    hooks: { PreToolUse: [{ matcher: 'Glob', hooks: [quiet] }], Stop: [{ hooks: [quiet] }] }
  }
})) {
  if (message.type !== 'system') continue
  if (message.subtype === 'hook_started') console.log('started', message.hook_event)
  if (message.subtype === 'hook_response') console.log('answered', message.hook_event, message.outcome)
}
