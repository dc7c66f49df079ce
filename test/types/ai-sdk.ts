/** Compiled, not run: guarded tools of the AI SDK keep their types, and wrong use does not compile. */
import {
  generateText,
  streamText,
  tool,
  ToolLoopAgent,
  type InferToolInput,
  type InferToolOutput,
  type LanguageModel
} from 'ai'
import { z } from 'zod'
import { guardTools } from '../../src/ai-sdk.ts'
import { HookRegistry } from '../../src/hooks.ts'

declare const model: LanguageModel
const hooks = new HookRegistry()
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    contextSchema: z.object({ key: z.string() }),
    execute: async ({ city }, { context }) => ({ city, degrees: context.key.length })
  }),
  count: tool({
    inputSchema: z.object({ to: z.number() }),
    execute: async function* ({ to }) {
      for (let at = 0; at < to; at++) yield at
    }
  })
}
const guarded = guardTools(tools, hooks)

export const same: Equal<typeof guarded.tools, typeof tools> = true
export const input: Equal<InferToolInput<typeof guarded.tools.weather>, { city: string }> = true
export const output: Equal<InferToolOutput<typeof guarded.tools.weather>, { city: string; degrees: number }> = true
export const streamed: Equal<InferToolOutput<typeof guarded.tools.count>, number> = true

export async function uses(): Promise<void> {
  const { toolApproval, isStopped } = guarded
  const toolsContext = { weather: { key: 'k' } }
  const settings = { model, prompt: 'go', tools: guarded.tools, toolApproval, toolsContext, stopWhen: [isStopped] }
  const { toolResults } = await generateText({ ...settings, runtimeContext: { user: 'u' } })
  for (const result of toolResults)
    if (!result.dynamic && result.toolName === 'weather') {
      const degrees: number = result.output.degrees
      // @ts-expect-error an output has only its own fields
      console.log(degrees, result.output.fahrenheit)
    }
  streamText(settings)
  await new ToolLoopAgent({ model, tools: guarded.tools, toolApproval, toolsContext, stopWhen: isStopped }).generate({
    prompt: 'go'
  })
  // @ts-expect-error the context of a tool is still needed
  await generateText({ model, prompt: 'go', tools: guarded.tools, toolApproval })
}

// @ts-expect-error hooks are needed
guardTools(tools)
// @ts-expect-error a registry, not its hooks
guardTools(tools, { PreToolUse: [] })
// @ts-expect-error a tool needs a schema
guardTools({ bare: { execute: () => 1 } }, hooks)
// @ts-expect-error no such option
guardTools(tools, hooks, { onDeny: () => undefined })
