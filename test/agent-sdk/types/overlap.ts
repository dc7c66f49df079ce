/**
 * Compiled, not run: what is typed by the Claude Agent SDK fits our `query` where both have the same thing. That the
 * messages can be read in the same way is shown by the programs beside, which compile with either.
 */
import type * as sdk from '@anthropic-ai/claude-agent-sdk'
import { query, type Query, type QueryOptions } from 'carabiner'

/** Servers of the older kind (SSE) are not there, nor all keys of the others; nor is the mode `auto`. `sandbox` has other keys. */
type Narrower = 'agents' | 'mcpServers' | 'sandbox'
type Shared = Exclude<Extract<keyof sdk.Options, keyof QueryOptions>, Narrower>

declare const theirs: Pick<sdk.Options, Exclude<Shared, 'permissionMode'>> & {
  permissionMode?: Exclude<sdk.PermissionMode, 'auto'>
}
const options: QueryOptions = theirs

declare const prompts: AsyncIterable<sdk.SDKUserMessage>
const running: Query = query({ prompt: prompts, options })
export const controls: Pick<sdk.Query, 'interrupt' | 'setModel' | 'setPermissionMode' | 'streamInput' | 'close'> =
  running

/** All options that are named in README.md are among those that both have. */
export const named: readonly Shared[] = [
  'abortController',
  'additionalDirectories',
  'allowDangerouslySkipPermissions',
  'allowedTools',
  'canUseTool',
  'cwd',
  'disallowedTools',
  'effort',
  'env',
  'hooks',
  'includeHookEvents',
  'includePartialMessages',
  'maxBudgetUsd',
  'maxThinkingTokens',
  'maxTurns',
  'model',
  'outputFormat',
  'permissionMode',
  'persistSession',
  'plugins',
  'sessionId',
  'settings',
  'settingSources',
  'stderr',
  'systemPrompt',
  'thinking',
  'tools'
]
