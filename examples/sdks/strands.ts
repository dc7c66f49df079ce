/** Strands: a middleware puts the gate in front of every tool of an agent. `node examples/sdks/strands.ts` */
import { Agent, BeforeModelCallEvent, ExecuteToolStage, TextBlock, tool, ToolResultBlock } from '@strands-agents/sdk'
import { deny, guard, HookRegistry, transform, type Fires, type GuardOptions } from 'carabiner'
import { z } from 'zod'
import { ScriptedModel } from './models/strands.ts'

/** What the gate needs from the application: someone to ask. */
export type GateOptions = Pick<GuardOptions<[], unknown>, 'onAsk' | 'signal'>

/** Add the gate last: a middleware that is added after it runs behind it, and could change what was judged. */
export function addGate(agent: Agent, hooks: Fires, options: GateOptions = {}): void {
  const stops = new WeakMap<object, string>()
  agent.addMiddleware(ExecuteToolStage, async function* (context, next) {
    const { toolUse, invocationState } = context
    const notes: string[] = []
    let own: ToolResultBlock | undefined
    const run = async function* (input: object): AsyncGenerator<StreamEvent, unknown> {
      own = (yield* next({ ...context, toolUse: { ...toolUse, input: input as typeof toolUse.input } })).result
      return textOf(own)
    }
    const call = guard(hooks, toolUse.name, run, {
      ...options,
      returns: true,
      idOf: () => toolUse.toolUseId,
      // What the tool returns is not a failure, also if it says so.
      errorIn: () => (context.tool === undefined ? 'there is no such tool' : own?.error?.message),
      onDeny: refusal => refusal.message,
      onContext: text => notes.push(text),
      onStop: reason => void stops.set(invocationState, reason ?? 'A hook ended the run.')
    })
    const output = yield* call(toolUse.input as object)
    const text = typeof output === 'string' ? output : JSON.stringify(output)
    const content = own !== undefined && output === textOf(own) ? own.content : [new TextBlock(text)]
    const status = own?.status ?? 'error'
    return {
      result: new ToolResultBlock({
        toolUseId: toolUse.toolUseId,
        status,
        content: [...content, ...notes.map(note => new TextBlock(note))]
      })
    }
  })
  agent.addHook(BeforeModelCallEvent, event => {
    event.cancel ||= stops.get(event.invocationState) ?? false
  })
}

type StreamEvent = ReturnType<Agent['stream']> extends AsyncGenerator<infer Event, unknown> ? Event : never

const textOf = ({ content }: ToolResultBlock): string =>
  content.map(block => (block.type === 'textBlock' ? block.text : JSON.stringify(block))).join('\n')

if (import.meta.main) {
  const writeNote = tool({
    name: 'write_note',
    description: 'Writes a note',
    inputSchema: z.object({ path: z.string(), text: z.string() }),
    callback: async function* ({ path, text }) {
      yield `writing to ${path}`
      return `wrote ${text} to ${path}`
    }
  })

  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'write_note', ctx => {
    const path = String(ctx.toolInput['path'])
    if (path.startsWith('/etc')) return deny('notes do not belong in /etc')
    return transform({ ...ctx.toolInput, path: path.replace('/tmp/', '/home/agent/') })
  })

  const model = new ScriptedModel([
    { id: 'call_1', name: 'write_note', input: { path: '/tmp/a', text: 'hello' } },
    { id: 'call_2', name: 'write_note', input: { path: '/etc/passwd', text: 'hello' } }
  ])
  const agent = new Agent({ model, tools: [writeNote], printer: false })
  addGate(agent, hooks)
  const result = await agent.invoke('Write two notes')
  for (const { content } of agent.messages)
    for (const block of content) if (block.type === 'toolResultBlock') console.log(textOf(block))
  console.log(result.toString())
}
