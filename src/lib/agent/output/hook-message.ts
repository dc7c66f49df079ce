import type { HookMessage } from '../../hooks/hook-messages.ts'

/** What a registry tells of its hooks, as the contract has it in the stream of an agent, with our name for the hook beside it. */
export type StreamedHook = HookMessage & { readonly hook_label: string }

/** The contract names a hook after its event and what its matcher tests; exit code 2 is an error there. */
export function streamed({ hook_target, ...message }: HookMessage): StreamedHook {
  const { hook_event, hook_name: hook_label } = message
  const hook_name =
    hook_target === undefined || hook_event === 'UserPromptExpansion' ? hook_event : `${hook_event}:${hook_target}`
  const named = { ...message, hook_name, hook_label } as StreamedHook
  if (named.subtype !== 'hook_response' || named.exit_code !== 2 || named.outcome !== 'success') return named
  return { ...named, outcome: 'error', output: named.stderr ?? '' }
}
