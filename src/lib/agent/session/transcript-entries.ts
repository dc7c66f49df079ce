import { NO_TOKENS } from '../../model/usage.ts'
import type { Message } from '../../message.ts'
import type { Rec } from '../../transcript/entry.ts'
import { messageText } from './conversation.ts'
import type { AssistantMessage } from '../output/agent-messages.ts'
import { randomUuid } from '../../transcript/log.ts'

type WireMessage = AssistantMessage['message']

const WIRE = { type: 'message', role: 'assistant', model: '', stop_reason: null, stop_sequence: null } as const

export const answerMessage = (known: Pick<WireMessage, 'model' | 'content'> & Partial<WireMessage>): WireMessage => ({
  id: `msg_${randomUuid()}`,
  ...WIRE,
  usage: NO_TOKENS,
  ...known
})

export function messageEntries(message: Message): readonly Rec[] {
  const { role, content } = message
  const uuid = randomUuid()
  if (role === 'user') return [{ type: 'user', uuid, message }]
  if (role === 'system') {
    const note = {
      type: 'attachment',
      uuid: randomUuid(),
      attachment: { type: 'note', rendered: messageText(content) }
    }
    return [note, { type: 'attachment', uuid, attachment: { type: 'notes' } }]
  }
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return [{ type: 'assistant', uuid, part: [0, 1], message: { role, content: blocks } }]
}
