import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Block } from '../message.ts'
import { parseObject } from '../util/json.ts'
import { keepMetadata } from './metadata.ts'
import type { BlockDelta } from './model.ts'

/** A block that is being received. */
export interface Draft {
  readonly kind: 'text' | 'thinking' | 'redacted_thinking' | 'tool_use'
  readonly index: number
  /** Of a call: its id, and the name of the tool. */
  readonly id: string
  readonly name: string
  /** What has come so far: words, thoughts, or JSON. */
  text: string
  signature: string | undefined
  metadata: SharedV4ProviderMetadata | undefined
  /** It has come to its end. Nothing of a block counts before that. */
  whole: boolean
}

/** The block as it is announced, before anything of it has come. */
export function emptyBlock({ kind, id, name, text }: Draft): Block {
  if (kind === 'text') return { type: 'text', text: '' }
  if (kind === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  if (kind === 'redacted_thinking') return { type: 'redacted_thinking', data: text }
  return { type: 'tool_use', id, name, input: {} }
}

/** A piece of it, for whoever looks on. */
export function deltaOf({ kind }: Draft, piece: string): BlockDelta {
  if (kind === 'text') return { type: 'text_delta', text: piece }
  if (kind === 'tool_use') return { type: 'input_json_delta', partial_json: piece }
  return { type: 'thinking_delta', thinking: piece }
}

/** The finished block. `cut` says that the provider stopped in the middle of it, for want of room. */
export function wholeBlock({ kind, id, name, text, signature, metadata }: Draft, cut: boolean): Block {
  if (kind === 'redacted_thinking') return { type: 'redacted_thinking', data: text }
  if (kind === 'text') return keepMetadata({ type: 'text', text }, metadata)
  if (kind === 'tool_use') return keepMetadata({ type: 'tool_use', id, name, input: inputOf(text, cut) }, metadata)
  const signed = signature === undefined ? {} : { signature }
  return keepMetadata({ type: 'thinking', thinking: text, ...signed }, metadata)
}

/**
 * The input of a call. What is no JSON object stays the text that came, so that the tool refuses it and the call has
 * its result like any other.
 */
export function inputOf(text: string, cut: boolean): unknown {
  if (text.trim() === '') return cut ? '' : {}
  try {
    return parseObject(text)
  } catch {
    return text
  }
}
