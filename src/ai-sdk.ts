/** `carabiner/ai-sdk`: the gate in front of tools of the AI SDK (`ai`), which is loaded only to check input that a hook has changed. */
export { guardTools, type GuardedTools, type GuardToolsOptions } from './lib/sdks/ai-sdk.ts'
