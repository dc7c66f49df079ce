import type { LanguageModelV4FinishReason, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { isObject } from '../util/plain.ts'
import type { StopReason, Usage } from './model.ts'

export const NO_TOKENS: Usage = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0
})

/** `input_tokens` excludes tokens from the cache. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const { total = 0, cacheRead = 0, cacheWrite = 0 } = inputTokens
  return {
    input_tokens: inputTokens.noCache ?? Math.max(0, total - cacheRead - cacheWrite),
    output_tokens: outputTokens.total ?? 0,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead
  }
}

export function firstUsage(metadata: SharedV4ProviderMetadata | undefined): Usage {
  const said = metadata?.['anthropic']?.['usage']
  if (!isObject(said)) return NO_TOKENS
  const count = (key: keyof Usage): number => (typeof said[key] === 'number' ? said[key] : 0)
  return {
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cache_creation_input_tokens: count('cache_creation_input_tokens'),
    cache_read_input_tokens: count('cache_read_input_tokens')
  }
}

/** The stop reason; undefined if the answer is incomplete. */
export function stopOf({ unified, raw }: LanguageModelV4FinishReason, calls: boolean): StopReason | undefined {
  if (unified === 'error' || unified === 'interrupted') return undefined
  if (unified === 'length') return 'max_tokens'
  if (unified === 'content-filter') return 'refusal'
  if (raw === 'pause_turn' || raw === 'stop_sequence') return raw
  // Some servers report "stop" also after calls.
  return calls ? 'tool_use' : 'end_turn'
}
