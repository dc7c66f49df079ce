import type { Block } from '../message.ts'
import type { Answer, BlockDelta, StreamEvent, Usage } from './model.ts'

export const messageStart = (id: string, model: string, usage: Usage): StreamEvent => ({
  type: 'message_start',
  message: { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage }
})

export const eventsOf = ({ id, model, content, stop, usage }: Answer): readonly StreamEvent[] => [
  messageStart(id, model, { ...usage, output_tokens: 0 }),
  ...content.flatMap(eventsOfBlock),
  { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
  { type: 'message_stop' }
]

function eventsOfBlock(block: Block, index: number): readonly StreamEvent[] {
  return [
    { type: 'content_block_start', index, content_block: emptied(block) },
    ...deltasOf(block).map(delta => ({ type: 'content_block_delta', index, delta }) as const),
    { type: 'content_block_stop', index }
  ]
}

function emptied(block: Block): Block {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return block.type === 'tool_use' ? { ...block, input: {} } : block
}

function deltasOf(block: Block): readonly BlockDelta[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }]
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  if (block.type !== 'thinking') return []
  const thoughts: BlockDelta = { type: 'thinking_delta', thinking: block.thinking }
  if (block.signature === undefined) return [thoughts]
  return [thoughts, { type: 'signature_delta', signature: block.signature }]
}
