/** A PreToolUse hook, for one tool, that says no to one file. */
import { query, type HookCallback, type PreToolUseHookInput } from 'carabiner'

const protectEnvFiles: HookCallback = async (input, toolUseID) => {
  const { hook_event_name, tool_input } = input as PreToolUseHookInput
  const { file_path } = tool_input as { file_path: string }
  console.log('asked about', toolUseID)
  if (!file_path.endsWith('.env')) return {}
  return {
    systemMessage: 'Secrets stay where they are.',
    hookSpecificOutput: {
      hookEventName: hook_event_name,
      permissionDecision: 'deny',
      permissionDecisionReason: 'Cannot modify .env files'
    }
  }
}

for await (const message of query({
  prompt: 'Set the password',
  options: {
    permissionMode: 'acceptEdits',
    hooks: { PreToolUse: [{ matcher: 'Write|Edit', hooks: [protectEnvFiles] }] }
  }
})) {
  if (message.type === 'user' && typeof message.message.content !== 'string') {
    for (const block of message.message.content) {
      if (block.type === 'tool_result') console.log(block.is_error === true ? 'refused' : 'done', block.content)
    }
  }
  if (message.type === 'result')
    console.log(
      'denials',
      message.permission_denials.map(denial => denial.tool_name)
    )
}
