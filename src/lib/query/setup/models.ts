import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { SessionOptions } from '../../agent/session/session-options.ts'
import type { ModelRequested } from '../../agent/switch-model.ts'
import { fault } from '../../faults.ts'
import { fromLanguageModel } from '../../model/ai-sdk.ts'
import type { Model } from '../../model/model.ts'
import { modelFor } from '../../model/providers.ts'
import { MOST_TRIES } from '../../model/retry-delay.ts'
import type { QueryOptions } from '../options/options.ts'
import { invalidOption } from '../../schema/check.ts'
import { envNumber } from '../../settings/files/env-number.ts'
import type { ProjectContext } from './project-context.ts'

/** By name, of the AI SDK, or an implementation of `Model`, with the price that `prices` or itself gives. */
export async function modelOf(
  given: string | LanguageModelV4 | Model | undefined,
  { env, options }: Pick<ProjectContext, 'env' | 'options'>
): Promise<Model> {
  const withPrice = (model: Model): Model => {
    if (options.prices === undefined) return model
    // It may be an instance of a class.
    const { name, provider } = model
    const sibling = model.sibling?.bind(model)
    const price = options.prices[name] ?? model.price
    return {
      name,
      provider,
      price,
      ask: model.ask.bind(model),
      ...(sibling && { sibling: it => withPrice(sibling(it)) })
    }
  }
  if (given === undefined || typeof given === 'string')
    return withPrice(await modelFor(given ?? env['ANTHROPIC_MODEL'] ?? 'default', { env }))
  if ('ask' in given && typeof given.ask === 'function') return withPrice(given)
  if ('doStream' in given && typeof given.doStream === 'function') return withPrice(fromLanguageModel(given))
  throw fault('E_OPTION_INVALID', 'model', typeof given, 'the name of a model, or a LanguageModelV4 of the AI SDK')
}

export function requestOf(
  given: QueryOptions['model'],
  from_model: string,
  { name, price }: Model,
  { options }: Pick<ProjectContext, 'options'>
): ModelRequested {
  const isConfigured = typeof given === 'object' || options.prices?.[name] !== undefined
  return {
    from_model,
    requested_model: typeof given === 'string' ? given : null,
    pricing: price === undefined ? 'default' : isConfigured ? 'configured' : 'catalog'
  }
}

export async function sessionModel(project: ProjectContext): Promise<Model> {
  const { model: given, maxBudgetUsd } = project.options
  const model = await modelOf(given, project)
  if (maxBudgetUsd !== undefined && model.price === undefined)
    throw invalidOption(
      'maxBudgetUsd',
      maxBudgetUsd,
      `a model whose price is known; give that of ${model.name} in prices`
    )
  return model
}

export const MOST_TURNS = 200
const MOST_STOP_BLOCKS = 8

/** The limits of a session: its options, and where they set none, the environment variables of the contract. */
export function limitsOf({ options, env }: ProjectContext, notices: string[]): SessionOptions['limits'] {
  const warn = (text: string): void => void notices.push(text)
  const cap = envNumber('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP', env, warn)
  const retries = envNumber('CLAUDE_CODE_MAX_RETRIES', env, warn)
  return {
    turns: options.maxTurns ?? MOST_TURNS,
    dollars: options.maxBudgetUsd,
    maxTokens: options.maxOutputTokens,
    window: options.contextWindow,
    // In the variable, 0 means no limit; the limit per prompt still applies.
    stopBlocks: options.maxStopBlocks ?? (cap === 0 ? Number.POSITIVE_INFINITY : (cap ?? MOST_STOP_BLOCKS)),
    tries: 1 + (options.maxRetries ?? retries ?? MOST_TRIES - 1)
  }
}

export function thinkingOf({ thinking, maxThinkingTokens }: QueryOptions): number | 'adaptive' | undefined {
  if (thinking?.type === 'disabled') return 0
  if (thinking?.type === 'enabled') return thinking.budgetTokens ?? maxThinkingTokens ?? 'adaptive'
  return thinking?.type === 'adaptive' ? 'adaptive' : maxThinkingTokens
}
