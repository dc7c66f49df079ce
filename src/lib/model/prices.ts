import type { Price, Usage } from './model.ts'

/**
 * List prices of Claude models, in dollars for a million tokens; cache writes are those that last five minutes. The
 * first line that matches a name counts. Prices change: to override them, give a model its own `price`.
 */
const LIST: readonly (readonly [name: RegExp, input: number, output: number, cacheRead: number])[] = [
  [/fable-5-[12]/, 10, 50, 0.25],
  [/fable-5/, 10, 50, 1],
  [/opus-5-5/, 4, 20, 0.2],
  [/opus-(?:5|4-[5-9])/, 5, 25, 0.5],
  [/opus-4|3-opus/, 15, 75, 1.5],
  [/sonnet-5-5/, 2, 10, 0.1],
  [/sonnet-5/, 2, 10, 0.2],
  [/sonnet-4|3-[57]-sonnet/, 3, 15, 0.3],
  // Prompts above 100,000 tokens cost more.
  [/haiku-5-5/, 0.1, 0.5, 0.01],
  [/haiku-4/, 1, 5, 0.1],
  [/3-5-haiku/, 0.8, 4, 0.08],
  [/3-haiku/, 0.25, 1.25, 0.03]
]

export function priceOf(model: string): Price | undefined {
  if (!model.includes('claude')) return undefined
  const line = LIST.find(([name]) => name.test(model))
  if (line === undefined) return undefined
  const [, input, output, cacheRead] = line
  return { input, output, cacheWrite: input * 1.25, cacheRead }
}

export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage
  return (
    (input_tokens * price.input +
      output_tokens * price.output +
      cache_creation_input_tokens * price.cacheWrite +
      cache_read_input_tokens * price.cacheRead) /
    1_000_000
  )
}
