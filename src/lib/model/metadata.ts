import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Block } from '../message.ts'

/**
 * What other providers than Anthropic want back with a block (signatures of thoughts, ids of items). It has no place
 * in the block, so it lives as long as the block does in memory.
 */
const KEPT = new WeakMap<Block, SharedV4ProviderMetadata>()

/** Keeps what came with a block. What Anthropic needs stands in the block itself. */
export function keepMetadata<B extends Block>(block: B, metadata: SharedV4ProviderMetadata | undefined): B {
  if (metadata === undefined) return block
  const { anthropic: _, ...rest } = metadata
  if (Object.keys(rest).length > 0) KEPT.set(block, rest)
  return block
}

export const metadataOf = (block: Block): SharedV4ProviderMetadata | undefined => KEPT.get(block)
