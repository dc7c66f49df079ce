/** A person is asked: yes with another input, no with a reason, no and stop. */
import { query, type CanUseTool } from 'carabiner'

const canUseTool: CanUseTool = async (toolName, input, { signal, toolUseID }) => {
  console.log('asked', toolName, toolUseID, signal.aborted)
  const { file_path } = input as { file_path: string }
  if (file_path.endsWith('draft.txt')) {
    return { behavior: 'allow', updatedInput: { ...input, content: 'written by somebody else\n' } }
  }
  if (file_path.endsWith('final.txt')) return { behavior: 'deny', message: 'Not before Monday' }
  return { behavior: 'deny', message: 'Stop it', interrupt: true }
}

for await (const message of query({ prompt: 'Write three files', options: { canUseTool } })) {
  if (message.type === 'user' && typeof message.message.content !== 'string') {
    for (const block of message.message.content) {
      if (block.type === 'tool_result') console.log(block.is_error === true ? 'refused' : 'done', block.tool_use_id)
    }
  }
  if (message.type === 'result') console.log('over', message.num_turns, message.permission_denials.length)
}
