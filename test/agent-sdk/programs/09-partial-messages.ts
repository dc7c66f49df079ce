/** Text as it comes. */
import { query } from 'carabiner'

let text = ''
let pieces = 0

for await (const message of query({ prompt: 'Count', options: { includePartialMessages: true } })) {
  if (message.type === 'stream_event') {
    const { event } = message
    if (event.type === 'message_start') console.log('starts')
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      console.log('will call', event.content_block.name)
    }
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      text += event.delta.text
      pieces++
    }
    if (event.type === 'message_stop') console.log('stops')
  }
  if (message.type === 'result' && message.subtype === 'success') {
    console.log(pieces > 1, text === message.result, message.result)
  }
}
