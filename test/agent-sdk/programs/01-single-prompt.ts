/** One prompt, some tools, every message. */
import { query } from 'carabiner'

for await (const message of query({
  prompt: 'What does notes.txt say?',
  options: { allowedTools: ['Read', 'Glob'], model: 'claude-sonnet-4-5' }
})) {
  if (message.type === 'system' && message.subtype === 'init') {
    console.log('model', message.model)
    console.log('read is there', message.tools.includes('Read'))
  }
  if (message.type === 'assistant') {
    for (const block of message.message.content) {
      if (block.type === 'text') console.log('says', block.text)
      if (block.type === 'tool_use') console.log('calls', block.name)
    }
  }
  if ('result' in message) console.log('result', message.result)
}
