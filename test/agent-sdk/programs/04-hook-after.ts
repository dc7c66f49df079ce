/** A PostToolUse hook that tells the model something beside the result. */
import { query, type HookCallback, type PostToolUseHookInput } from 'carabiner'

const remind: HookCallback = async input => {
  const { tool_name, tool_response, duration_ms } = input as PostToolUseHookInput
  const { stdout } = tool_response as { stdout: string }
  console.log('after', tool_name, stdout, typeof duration_ms)
  return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'The clock is five minutes slow.' } }
}

for await (const message of query({
  prompt: 'What time is it?',
  options: { allowedTools: ['Bash(echo *)'], hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [remind] }] } }
})) {
  if ('result' in message) console.log('result', message.result)
}
