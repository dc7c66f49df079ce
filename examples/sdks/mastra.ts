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
  readonly toModelOutput?: ((output: never) => unknown) | undefined
}
interface CallContext {
  readonly agent?: { readonly toolCallId: string }
}
interface Step {
  readonly toolResults: readonly { readonly toolCallId?: string; readonly payload?: { readonly toolCallId: string } }[]
}

interface ModelOutput {
  readonly type: string
  readonly value: unknown
}
/** An output that is not the tool's own, or not only. */
interface Placed {
  readonly result: unknown
  readonly isOwn: boolean
  readonly notes: readonly string[]
}

/**
 * Puts the gate in front of tools, which keep their types. Hooks see the key of a tool, by which the model calls it.
 * `stopWhen` ends the run when a hook answers `continue: false`. Pass `tools` to the agent, and `stopWhen` to its
 * defaultOptions or to each call.
 */
export function guardTools<Tools extends Record<string, AnyTool>>(
  hooks: Fires & Partial<Pick<HookRegistry, 'list'>>,
  tools: Tools,
  options: GateOptions = {}
): { tools: Tools; stopWhen: (state: { steps: readonly Step[] }) => boolean } {
  for (const { name, matcher } of hooks.list?.() ?? [])
    for (const [key, { id }] of Object.entries(tools))
      if (matcher.match(/[\w-]+/g)?.includes(id) && !(id in tools))
        throw new Error(`the matcher of ${name} has the id ${id}; the model calls this tool ${key}: use that`)
  const stops = new Set<string>()
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const execute = tool.execute as ((input: object, context: CallContext) => Promise<unknown>) | undefined
    if (execute === undefined) return [name, tool]
    const placed = new Map<string, Placed>()
    const run = async (input: object, context: CallContext): Promise<unknown> => {
      const notes: string[] = []
      const id = context.agent?.toolCallId
      let own: unknown
      const call = guard(hooks, name, async (judged: object) => (own = await execute.call(tool, judged, context)), {
        ...options,
        idOf: () => id,
        // Mastra may have checked the input of the model only.
        accept: changed => validateToolInput(tool.inputSchema, changed, name).error?.message ?? true,
        onDeny: refusal => refusal.message,
        onContext: text => notes.push(text),
        onStop: () => void (id !== undefined && stops.add(id))
      })
      const result = await call(input)
      const isText = typeof result === 'string'
      const shown = notes.length === 0 ? result : isText ? [result, ...notes].join('\n\n') : { result, notes }
      if (shown !== own) placed.set(JSON.stringify(shown), { result, isOwn: result === own, notes })
      if (placed.size > 1000) placed.delete([...placed.keys()][0] ?? '')
      return shown
    }
    const changed = { execute: run, ...(tool.toModelOutput && { toModelOutput: showing(tool, placed) }) }
    return [name, Object.assign(Object.create(Object.getPrototypeOf(tool) as object) as object, tool, changed)]
  })
  return {
    tools: Object.fromEntries(guarded) as Tools,
    stopWhen: ({ steps }) =>
      steps
        .at(-1)
        ?.toolResults.some(({ toolCallId, payload }) => stops.has(toolCallId ?? payload?.toolCallId ?? '')) === true
  }
}

/** The tool's `toModelOutput`, which may not be able to show a refusal, or what a hook put in place of its output. */
function showing(tool: AnyTool, placed: ReadonlyMap<string, Placed>): (output: unknown) => Promise<ModelOutput> {
  const own = async (output: unknown): Promise<ModelOutput> => tool.toModelOutput?.(output as never) as ModelOutput
  return async output => {
    const { result, isOwn, notes } = placed.get(JSON.stringify(output)) ?? { result: output, isOwn: true, notes: [] }
    const asItIs = { type: typeof result === 'string' ? 'text' : 'json', value: result }
    const shown = isOwn ? await own(result) : ((await own(result).catch(() => undefined)) ?? asItIs)
    if (notes.length === 0) return shown
    const text = typeof shown.value === 'string' ? shown.value : JSON.stringify(shown.value)
    const parts: readonly unknown[] = shown.type === 'content' ? (shown.value as unknown[]) : [{ type: 'text', text }]
    return { type: 'content', value: [...parts, ...notes.map(note => ({ type: 'text', text: note }))] }
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
