/** Compiled, not run: the hooks of `toAgentSdkHooks()` are hooks of the Claude Agent SDK, for all events that both have. */
import { query, type HookEvent, type Options } from '@anthropic-ai/claude-agent-sdk'
import { HookRegistry, type EventName } from 'carabiner'
import { toAgentSdkHooks } from 'carabiner/agent-sdk'

const { hooks } = toAgentSdkHooks(new HookRegistry(), { onFailure: 'block' })
export const options: Options = { hooks }
export const run = (): unknown => query({ prompt: 'go', options: { hooks } })

type Shared = Extract<EventName, HookEvent>
export const sharedHooks: Record<Shared, unknown> = hooks
/** The events that only one of both has. */
export const ours: Record<Exclude<EventName, HookEvent>, true> = {
  AgentStart: true,
  AgentStop: true,
  Iteration: true,
  PreModelRequest: true,
  PostModelResponse: true
}

// @ts-expect-error no such failure policy
toAgentSdkHooks(new HookRegistry(), { onFailure: 'ignore' })
// @ts-expect-error a registry, not its hooks
toAgentSdkHooks({ PreToolUse: [] })
