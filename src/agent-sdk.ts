/** `carabiner/agent-sdk`: a registry as the hooks of the Claude Agent SDK, of which it imports nothing. */
export { toAgentSdkHooks, type AgentSdkMatcher, type AgentSdkOptions } from './lib/sdks/agent-sdk.ts'
