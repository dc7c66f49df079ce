/** OpenAI Agents: the gate in front of every function tool of an agent. `node examples/sdks/openai-agents.ts` */
import { Agent, run, tool } from '@openai/agents'
import type { FunctionTool, RunContext, ToolToFinalOutputFunction } from '@openai/agents'
import { deny, guard, HookRegistry, transform, type Fires, type GuardOptions } from 'carabiner'
import { z } from 'zod'
import { scriptedModel } from './models/openai-agents.ts'

/** What the gate needs from the application: someone to ask. */
export type GateOptions = Pick<GuardOptions<[], unknown>, 'onAsk' | 'signal'>

/**
 * How the SDK reports that a tool has failed, unless the tool has an `errorFunction`. Only the whole text counts: a
 * longer one may be the tool's own, and hooks must see it.
 */
const FAILED = 'An error occurred while running the tool. Please try again.'

type Details = Parameters<FunctionTool['invoke']>[2]

/**
 * Puts the gate in front of tools, which keep their types. `toolUseBehavior` ends the run when a hook answers
 * `continue: false`. Pass both to the agent.
 */
export function guardTools<const Tools extends readonly FunctionTool<never, never>[]>(
  hooks: Fires,
  tools: Tools,
  options: GateOptions = {}
): { tools: [...Tools]; toolUseBehavior: ToolToFinalOutputFunction } {
  const stops = new WeakMap<object, string>()
  const guarded = tools.map(own => ({
    ...own,
    invoke: async (context: RunContext<never>, json: string, details?: Details): Promise<unknown> => {
      const input = parsed(json)
      if (input === undefined) return 'The input is not a JSON object.'
      const notes: string[] = []
      const call = guard(hooks, own.name, (judged: object) => own.invoke(context, JSON.stringify(judged), details), {
        ...options,
        idOf: () => details?.toolCall?.callId,
        errorIn: result => (result === FAILED ? FAILED : undefined),
        onDeny: refusal => refusal.message,
        onContext: text => notes.push(text),
        onStop: reason => void stops.set(context, reason ?? 'A hook ended the run.')
      })
      const result = await call(input)
      return notes.length === 0
        ? result
        : [result, ...notes].map(part => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n\n')
    }
  }))
  return {
    tools: guarded as unknown as [...Tools],
    toolUseBehavior: context => {
      const finalOutput = stops.get(context)
      return finalOutput === undefined
        ? { isFinalOutput: false, isInterrupted: undefined }
        : { isFinalOutput: true, isInterrupted: undefined, finalOutput }
    }
  }
}

function parsed(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const writeNote = tool({
    name: 'write_note',
    description: 'Writes a note',
    parameters: z.object({ path: z.string(), text: z.string() }),
    execute: ({ path, text }) => `wrote ${text} to ${path}`
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
  const agent = new Agent({ name: 'Writer', model, ...guardTools(hooks, [writeNote]) })
  const result = await run(agent, 'Write two notes')
  for (const item of result.newItems) if (item.type === 'tool_call_output_item') console.log(item.output)
  console.log(result.finalOutput)
}
