import { AIMessage, createAgent, fakeModel, tool, ToolMessage } from 'langchain'
import { z } from 'zod'
import { gate } from '../../../examples/sdks/langchain.ts'
import { recorder, writtenNote, type SdkDriver } from '../driver.ts'

export const langchainDriver: SdkDriver = {
  name: 'LangChain 1.5',
  run: async ({ hooks, calls, approve, streaming }) => {
    const { ran, asked, options } = recorder(approve)
    const writeNote = tool(
      note => {
        ran.push(note)
        return writtenNote(note)
      },
      {
        name: 'write_note',
        description: 'Writes a note',
        schema: z.object({ path: z.string(), text: z.string() })
      }
    )
    const model = fakeModel()
      .respondWithTools(calls.map(({ id, input }) => ({ id, name: 'write_note', args: { ...input } })))
      .respond(new AIMessage('Done.'))
    const agent = createAgent({ model, tools: [writeNote], middleware: [gate(hooks, options)] })
    const prompt = { messages: [{ role: 'user' as const, content: 'Write notes' }] }
    if (streaming) for await (const _ of await agent.stream(prompt, { streamMode: 'messages' }));
    else await agent.invoke(prompt)
    const request = model.calls[1]?.messages ?? []
    const results = request.filter(message => ToolMessage.isInstance(message))
    return {
      ran,
      asked,
      results: calls.flatMap(({ id }) => results.filter(each => each.tool_call_id === id).map(each => each.text)),
      request: request.length === 0 ? '' : JSON.stringify(request),
      modelCalls: model.callCount
    }
  }
}
