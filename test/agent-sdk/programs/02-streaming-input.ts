/** A conversation: prompts from a generator, the second one only after the first was answered. */
import { query, type SDKUserMessage } from 'carabiner'

let answered = (): void => {}
const first = new Promise<void>(resolve => (answered = resolve))

const user = (content: SDKUserMessage['message']['content']): SDKUserMessage => ({
  type: 'user',
  session_id: '',
  parent_tool_use_id: null,
  message: { role: 'user', content }
})

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield user('My name is Ada.')
  await first
  yield user([{ type: 'text', text: 'What is my name?' }])
}

for await (const message of query({ prompt: prompts(), options: { maxTurns: 5 } })) {
  if (message.type === 'result' && message.subtype === 'success') {
    console.log('result', message.result)
    answered()
  }
}
