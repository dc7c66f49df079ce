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
      let own: unknown
      let message: ToolMessage | undefined
      const messageOf = (content: string, status: 'success' | 'error'): ToolMessage =>
        new ToolMessage({ content, name: toolCall.name, tool_call_id: toolCall.id ?? '', status })
      const run = async (args: Record<string, unknown>): Promise<unknown> => {
        const result = await Promise.resolve(handler({ ...request, toolCall: { ...toolCall, args } })).catch(error => {
          // An error behind a middleware ends the run; in front of it, the model gets it. Interrupts are not failures.
          if (!(error instanceof Error) || 'is_bubble_up' in error || request.runtime.signal?.aborted) throw error
          return messageOf(`${error.message}\nPlease fix your mistakes.`, 'error')
        })
        if (ToolMessage.isInstance(result)) message = result
        return (own = message?.content ?? result)
      }
      const call = guard(hooks, toolCall.name, run, {
        ...options,
        idOf: () => toolCall.id,
        errorIn: content => (message?.status === 'error' ? textOf(content) : undefined),
        onDeny: refusal => {
          message = messageOf(refusal.message, 'error')
          return (own = refusal.message)
        },
        onContext: text => notes.push(text),
        onStop: () => (stopped = true)
      })
      const content = await call(toolCall.args)
      // The tool's own command for the graph.
      if (message === undefined && content === own) return content as Awaited<ReturnType<typeof handler>>
      message ??= messageOf('', 'success')
      if (notes.length > 0 || content !== own) message.content = [textOf(content), ...notes].join('\n\n')
      if (stopped) message.additional_kwargs = { ...message.additional_kwargs, [STOP]: true }
      return message
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
