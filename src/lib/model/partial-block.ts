import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Block } from '../message.ts'
import { parseObject } from '../util/json.ts'
import type { BlockDelta } from './model.ts'

export interface PartialBlock {
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use'
  readonly index: number
  readonly id: string
  readonly name: string
  text: string
  signature: string | undefined
  metadata: SharedV4ProviderMetadata | undefined
  /** The block is complete. Incomplete blocks are never used. */
  whole: boolean
}

export function emptyBlock({ kind, id, name, text }: PartialBlock): Block {
  if (kind === 'text') return { type: 'text', text: '' }
  if (kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  if (kind === 'redacted_thinking') return { type: 'redacted_thinking', data: text }
  return { type: 'tool_use', id, name, input: {} }
}

export function deltaOf({ kind }: PartialBlock, piece: string): BlockDelta {
  if (kind === 'text') return { type: 'text_delta', text: piece }
  if (kind === 'tool_use') return { type: 'input_json_delta', partial_json: piece }
  return { type: 'thinking_delta', thinking: piece }
}

/** `cut`: the provider ran out of tokens in the middle of this block. */
export function wholeBlock({ kind, id, name, text, signature, metadata }: PartialBlock, cut: boolean): Block {
  if (kind === 'redacted_thinking') return { type: 'redacted_thinking', data: text }
  if (kind === 'text') return keepMetadata({ type: 'text', text }, metadata)
  if (kind === 'tool_use') return keepMetadata({ type: 'tool_use', id, name, input: inputOf(text, cut) }, metadata)
  const signed = signature === undefined ? {} : { signature }
  return keepMetadata({ type: 'thinking', thinking: text, ...signed }, metadata)
}

/**
 * The input of a call. Text that is not a JSON object is kept as it is, so that the tool refuses it and the call gets a
 * result like any other.
 */
export function inputOf(text: string, cut: boolean): unknown {
  if (text.trim() === '') return cut ? '' : {}
  try {
    return parseObject(text)
  } catch {
    return text
  }
}

/**
 * What other providers than Anthropic want back with a block (signatures of thoughts, ids of items). It has no place
 * in the block, so it lives as long as the block does in memory.
 */
const KEPT = new WeakMap<Block, SharedV4ProviderMetadata>()

/** What Anthropic needs is in the block itself. */
function keepMetadata<B extends Block>(block: B, metadata: SharedV4ProviderMetadata | undefined): B {
  if (metadata === undefined) return block
  const { anthropic: _, ...rest } = metadata
  if (Object.keys(rest).length > 0) KEPT.set(block, rest)
  return block
}

export const metadataOf = (block: Block): SharedV4ProviderMetadata | undefined => KEPT.get(block)
