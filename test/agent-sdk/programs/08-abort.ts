/** The user aborts while a command runs. */
import { query } from 'carabiner'

const abortController = new AbortController()

try {
  for await (const message of query({
    prompt: 'Wait for it',
    options: { abortController, allowedTools: ['Bash(sleep *)'] }
  })) {
    if (message.type === 'assistant') {
      console.log('aborting')
      abortController.abort()
    }
    if (message.type === 'result') console.log(message.subtype, message.is_error)
  }
} catch (error) {
  console.log('threw', (error as Error).name)
}
console.log('over')
