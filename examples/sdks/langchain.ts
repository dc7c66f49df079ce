/** LangChain: a middleware puts the gate in front of every tool of an agent. `node examples/sdks/langchain.ts` */
import { createAgent, createMiddleware, fakeModel, tool, AIMessage, ToolMessage, type AgentMiddleware } from 'langchain'
import { deny, guard, HookRegistry, transform, type Fires, type GuardOptions } from 'carabiner'
import { z } from 'zod'

/** What the gate needs from the application: someone to ask. */
export type GateOptions = Pick<GuardOptions<[], unknown>, 'onAsk' | 'signal'>

const STOP = 'stopped by a hook'

/**
 * Put it last: the first middleware is the outermost, and one behind the gate could change what was judged. Registered,
 * dynamic and MCP tools all pass it.
 */
export function gate(hooks: Fires, options: GateOptions = {}): AgentMiddleware {
  return createMiddleware({
    name: 'Carabiner',
    wrapToolCall: async (request, handler) => {
      const { toolCall } = request
      const notes: string[] = []
      let stopped = false
      // What the tool returns is not a failure, also if it says so.
      let hasFailed = request.tool === undefined
      let own: unknown
      let message: ToolMessage | undefined
      const messageOf = (content: string, status: 'success' | 'error' = 'success'): ToolMessage =>
        new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status })
      const run = async (args: Record<string, unknown>): Promise<unknown> => {
        const result = await Promise.resolve(handler({ ...request, toolCall: { ...toolCall, args } })).catch(error => {
          // An error behind a middleware ends the run; in front of it, the model gets it. Interrupts are not failures.
          if (!(error instanceof Error) || 'is_bubble_up' in error || request.runtime.signal?.aborted) throw error
          hasFailed = true
          return messageOf(`${error.message}\nPlease fix your mistakes.`, 'error')
        })
        if (ToolMessage.isInstance(result)) message = result
        return (own = message?.content ?? result)
      }
      const call = guard(hooks, toolCall.name, run, {
        ...options,
        idOf: () => toolCall.id,
        errorIn: content => (hasFailed ? textOf(content) : undefined),
        onDeny: refusal => {
          message = messageOf(refusal.message, 'error')
          return (own = refusal.message)
        },
        onContext: text => notes.push(text),
        onStop: () => (stopped = true)
      })
      const content = await call(toolCall.args)
      // Nothing of the tool's own message is left, such as its artifact.
      if (content !== own) message = messageOf(textOf(content), message?.status)
      // Without a message it is a command for the graph.
      const result = message ?? (content as Exclude<Awaited<ReturnType<typeof handler>>, ToolMessage>)
      if (notes.length === 0 && !stopped) return result
      const about = message ?? messageIn(result as GraphCommand, messageOf(''))
      about.content = Array.isArray(about.content)
        ? [...about.content, ...notes.map(text => ({ type: 'text' as const, text }))]
        : [about.content, ...notes].join('\n\n')
      if (stopped) about.additional_kwargs = { ...about.additional_kwargs, [STOP]: true }
      return result
    },
    beforeModel: {
      canJumpTo: ['end'],
      hook: ({ messages }) => {
        const results = messages.slice(messages.findLastIndex(message => AIMessage.isInstance(message)) + 1)
        return results.some(result => STOP in result.additional_kwargs) ? { jumpTo: 'end' } : undefined
      }
    }
  })
}

interface GraphCommand {
  update?: object | [string, unknown][]
}

/** The message about this call in a command for the graph; if there is none, this one is added. */
function messageIn(command: GraphCommand, empty: ToolMessage): ToolMessage {
  const { update = {} } = command
  const updates: [string, unknown][] = Array.isArray(update) ? update : Object.entries(update)
  const messages: unknown[] = updates.flatMap(([key, value]) => (key === 'messages' ? value : []))
  const own = messages
    .filter(each => ToolMessage.isInstance(each))
    .find(each => each.tool_call_id === empty.tool_call_id)
  if (own === undefined) command.update = [...updates, ['messages', [empty]]]
  return own ?? empty
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

if (import.meta.main) {
  const writeNote = tool(({ path, text }) => `wrote ${text} to ${path}`, {
    name: 'write_note',
    description: 'Writes a note',
    schema: z.object({ path: z.string(), text: z.string() })
  })

  const hooks = new HookRegistry()
  hooks.on('PreToolUse', 'write_note', ctx => {
    const path = String(ctx.toolInput['path'])
    if (path.startsWith('/etc')) return deny('notes do not belong in /etc')
    return transform({ ...ctx.toolInput, path: path.replace('/tmp/', '/home/agent/') })
  })

  // A model that needs no network.
  const model = fakeModel()
    .respondWithTools([
      { id: 'call_1', name: 'write_note', args: { path: '/tmp/a', text: 'hello' } },
      { id: 'call_2', name: 'write_note', args: { path: '/etc/passwd', text: 'hello' } }
    ])
    .respond(new AIMessage('Done.'))
  const agent = createAgent({ model, tools: [writeNote], middleware: [gate(hooks)] })
  const { messages } = await agent.invoke({ messages: 'Write two notes' })
  for (const message of messages) if (ToolMessage.isInstance(message)) console.log(message.content)
  console.log(messages.at(-1)?.content)
}
