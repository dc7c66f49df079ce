/** Hooks around the prompt: one adds to it, others see the session begin, stop and end. */
import { query, type HookCallback, type UserPromptSubmitHookInput } from 'carabiner'

const log: HookCallback = async input => {
  console.log('event', input.hook_event_name)
  return {}
}

const addDate: HookCallback = async input => {
  console.log('prompt', (input as UserPromptSubmitHookInput).prompt)
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Today is a Sunday.' } }
}

for await (const message of query({
  prompt: 'Is the shop open?',
  options: {
    hooks: {
      SessionStart: [{ hooks: [log] }],
      UserPromptSubmit: [{ hooks: [addDate] }],
      Stop: [{ hooks: [log] }],
      SessionEnd: [{ hooks: [log] }]
    }
  }
})) {
  if (message.type === 'result') console.log(message.subtype, message.num_turns)
}
