/** `carabiner/ai-sdk`: the gate in front of tools of the AI SDK (`ai`), of which it imports types alone. */
export { guardTools, type GuardedTools, type GuardToolsOptions } from './lib/sdks/ai-sdk.ts'
