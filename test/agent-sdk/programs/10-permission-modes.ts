/** Plans first; edits after the mode was changed. */
import { query, type SDKUserMessage } from 'carabiner'

let planned = (): void => {}
const plan = new Promise<void>(resolve => (planned = resolve))

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  const user = { type: 'user', session_id: '', parent_tool_use_id: null } as const
  yield { ...user, message: { role: 'user', content: 'Plan it' } }
  await plan
  yield { ...user, message: { role: 'user', content: 'Do it' } }
}

const conversation = query({ prompt: prompts(), options: { permissionMode: 'plan' } })

for await (const message of conversation) {
  if (message.type === 'system' && message.subtype === 'init') console.log('mode', message.permissionMode)
  if (message.type === 'user' && typeof message.message.content !== 'string') {
    for (const block of message.message.content) {
      if (block.type === 'tool_result') console.log(block.is_error === true ? 'refused' : 'done', block.tool_use_id)
    }
  }
  if (message.type === 'result') {
    console.log(message.subtype)
    await conversation.setPermissionMode('acceptEdits')
    planned()
  }
}
