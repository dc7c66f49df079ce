import type { LanguageModelV4 } from '@ai-sdk/provider'
import { fault } from '../../faults.ts'
import { fromLanguageModel } from '../../model/ai-sdk.ts'
import type { Model } from '../../model/model.ts'
import { modelFor } from '../../model/providers.ts'
import type { QueryOptions } from '../options/options.ts'
import { invalidOption } from '../../schema/check.ts'

/** By name, of the AI SDK, or an implementation of `Model`. */
export async function modelOf(
  given: string | LanguageModelV4 | Model | undefined,
  env: Readonly<Record<string, string | undefined>>
): Promise<Model> {
  if (given === undefined || typeof given === 'string')
    return modelFor(given ?? env['ANTHROPIC_MODEL'] ?? 'default', { env })
  if ('ask' in given && typeof given.ask === 'function') return given
  if ('doStream' in given && typeof given.doStream === 'function') return fromLanguageModel(given)
  throw fault('E_OPTION_INVALID', 'model', typeof given, 'the name of a model, or a LanguageModelV4 of the AI SDK')
}

export async function sessionModel(
  { model: given, maxBudgetUsd }: QueryOptions,
  env: Parameters<typeof modelOf>[1]
): Promise<Model> {
  const model = await modelOf(given, env)
  if (maxBudgetUsd !== undefined && model.price === undefined)
    throw invalidOption('maxBudgetUsd', maxBudgetUsd, `a model whose price is known; that of ${model.name} is not`)
  return model
}
