/** The usual instructions, and one more; variables for all processes that the agent starts. */
import { query } from 'carabiner'

for await (const message of query({
  prompt: 'Greet',
  options: {
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Always answer in French.' },
    settingSources: ['project'],
    tools: { type: 'preset', preset: 'claude_code' },
    allowedTools: ['Bash'],
    env: { ...process.env, GREETING: 'bonjour' }
  }
})) {
  if (message.type === 'user' && message.tool_use_result !== undefined) {
    console.log('printed', (message.tool_use_result as { stdout: string }).stdout)
  }
  if (message.type === 'result' && message.subtype === 'success') console.log('result', message.result)
}
