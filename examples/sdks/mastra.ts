/** Mastra: the gate in front of the tools of an agent. `node examples/sdks/mastra.ts` */
import { Agent } from '@mastra/core/agent'
import { createTool, validateToolInput, type Tool } from '@mastra/core/tools'
import { deny, guard, HookRegistry, transform, type Fires, type GuardOptions } from 'carabiner'
import { z } from 'zod'
import { scriptedModel } from './models/mastra.ts'

/** What the gate needs from the application: someone to ask. */
export type GateOptions = Pick<GuardOptions<[], unknown>, 'onAsk' | 'signal'>

interface AnyTool {
  readonly id: string
  readonly inputSchema?: Tool['inputSchema']
  readonly execute?: ((input: never, context: never) => Promise<unknown>) | undefined
}
interface CallContext {
  readonly agent?: { readonly toolCallId: string }
}
interface Step {
  readonly toolResults: readonly { readonly toolCallId?: string; readonly payload?: { readonly toolCallId: string } }[]
}

/**
 * Puts the gate in front of tools, which keep their types. `stopWhen` ends the run when a hook answers
 * `continue: false`. Pass `tools` to the agent, and `stopWhen` to its defaultOptions or to each call.
 */
export function guardTools<Tools extends Record<string, AnyTool>>(
  hooks: Fires,
  tools: Tools,
  options: GateOptions = {}
): { tools: Tools; stopWhen: (state: { steps: readonly Step[] }) => boolean } {
  const stops = new Set<string>()
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const execute = tool.execute as ((input: object, context: CallContext) => Promise<unknown>) | undefined
    if (execute === undefined) return [name, tool]
    const run = async (input: object, context: CallContext): Promise<unknown> => {
      const notes: string[] = []
      const id = context.agent?.toolCallId
      const call = guard(hooks, tool.id, (judged: object) => execute.call(tool, judged, context), {
        ...options,
        idOf: () => id,
        // Mastra may have checked the input of the model only.
        accept: changed => validateToolInput(tool.inputSchema, changed, tool.id).error?.message ?? true,
        onDeny: refusal => refusal.message,
        onContext: text => notes.push(text),
        onStop: () => void (id !== undefined && stops.add(id))
      })
      const result = await call(input)
      if (notes.length === 0) return result
      return typeof result === 'string' ? [result, ...notes].join('\n\n') : { result, notes }
    }
    return [name, Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as object, tool, { execute: run })]
  })
  return {
    tools: Object.fromEntries(guarded) as Tools,
    stopWhen: ({ steps }) =>
      steps
        .at(-1)
        ?.toolResults.some(({ toolCallId, payload }) => stops.has(toolCallId ?? payload?.toolCallId ?? '')) === true
  }
}

if (import.meta.main) {
  const writeNote = createTool({
    id: 'write_note',
    description: 'Writes a note',
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    execute: async ({ path, text }) => `wrote ${text} to ${path}`
  })

  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'write_note', ctx => {
    const path = String(ctx.toolInput['path'])
    if (path.startsWith('/etc')) return deny('notes do not belong in /etc')
    return transform({ ...ctx.toolInput, path: path.replace('/tmp/', '/home/agent/') })
  })

  const model = scriptedModel([
    { id: 'call_1', name: 'write_note', input: { path: '/tmp/a', text: 'hello' } },
    { id: 'call_2', name: 'write_note', input: { path: '/etc/passwd', text: 'hello' } }
  ])
  const { tools, stopWhen } = guardTools(hooks, { write_note: writeNote })
  const agent = new Agent({ id: 'writer', name: 'Writer', instructions: 'Write notes', model, tools })
  const result = await agent.generate('Write two notes', { stopWhen })
  for (const { payload } of result.toolResults) console.log(payload.result)
  console.log(result.text)
}
