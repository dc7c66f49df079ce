import type { SessionOptions } from '../../agent/session/session-options.ts'
import { MOST_TRIES } from '../../model/retry.ts'
import { envNumber } from '../../settings/files/env-number.ts'
import type { QueryOptions } from '../options/options.ts'
import type { ProjectContext } from './project-context.ts'

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
    // In the variable, 0 is no limit; the limit per prompt stays.
    stopBlocks: options.maxStopBlocks ?? (cap === 0 ? Number.POSITIVE_INFINITY : (cap ?? MOST_STOP_BLOCKS)),
    tries: retries === undefined ? MOST_TRIES : retries + 1
  }
}

export function thinkingOf({ thinking, maxThinkingTokens }: QueryOptions): number | 'adaptive' | undefined {
  if (thinking?.type === 'disabled') return 0
  if (thinking?.type === 'enabled') return thinking.budgetTokens ?? maxThinkingTokens ?? 'adaptive'
  return thinking?.type === 'adaptive' ? 'adaptive' : maxThinkingTokens
}
