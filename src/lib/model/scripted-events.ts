import type { Block } from '../message.ts'
import { NO_TOKENS } from './usage.ts'
import type { Answer, BlockDelta, StreamEvent } from './model.ts'

/** The events with which a provider would have streamed this answer. */
export function eventsOf({ id, model, content, stop, usage }: Answer): readonly StreamEvent[] {
  const started = { ...usage, output_tokens: NO_TOKENS.output_tokens }
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: started
  } as const
  return [
    { type: 'message_start', message },
    ...content.flatMap(eventsOfBlock),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' }
  ]
}

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
