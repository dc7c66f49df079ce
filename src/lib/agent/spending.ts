import { NO_TOKENS } from '../model/usage.ts'
import type { Answer, Price, Usage } from '../model/model.ts'
import { costOf } from '../model/prices.ts'
import type { ModelUsage } from './output/agent-messages.ts'

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens
})

/** What a session has used so far. */
export class Spending {
  usage: Usage = NO_TOKENS
  dollars = 0
  /** Time spent waiting for models, in milliseconds. */
  waited = 0
  readonly #models = new Map<string, { usage: Usage; dollars: number }>()

  add({ model, usage }: Answer, price: Price | undefined): void {
    const dollars = (price && costOf(usage, price)) ?? 0
    let of = this.#models.get(model)
    if (of === undefined) this.#models.set(model, (of = { usage: NO_TOKENS, dollars: 0 }))
    of.usage = addUsage(of.usage, usage)
    of.dollars += dollars
    this.usage = addUsage(this.usage, usage)
    this.dollars += dollars
  }

  byModel(): Readonly<Record<string, ModelUsage>> {
    return Object.fromEntries(
      [...this.#models].map(([name, { usage, dollars }]) => [
        name,
        {
          inputTokens: usage.input_tokens,
          outputTokens: usage.output_tokens,
          cacheReadInputTokens: usage.cache_read_input_tokens,
          cacheCreationInputTokens: usage.cache_creation_input_tokens,
          costUSD: dollars
        }
      ])
    )
  }
}
