import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { guardTools } from '../../../examples/sdks/mastra.ts'
import { scriptedModel } from '../../../examples/sdks/models/mastra.ts'
import { recorder, writtenNote, type SdkDriver } from '../driver.ts'

export const mastraDriver: SdkDriver = {
  name: 'Mastra 1.71',
  run: async ({ hooks, calls, approve, streaming }) => {
    const { ran, asked, options } = recorder(approve)
    const writeNote = createTool({
      id: 'write_note',
      description: 'Writes a note',
      inputSchema: z.object({ path: z.string(), text: z.string() }),
      execute: async note => {
        ran.push(note)
        return writtenNote(note)
      }
    })
    const model = scriptedModel(calls.map(({ id, input }) => ({ id, input, name: 'write_note' })))
    const { tools, stopWhen } = guardTools(hooks, { write_note: writeNote }, options)
    const agent = new Agent({ id: 'writer', name: 'Writer', instructions: 'Write notes', model, tools })
    if (streaming) await (await agent.stream('Write notes', { stopWhen })).text
    else await agent.generate('Write notes', { stopWhen })
    const request = model.requests[1]?.prompt ?? []
    const parts = request.flatMap(message => (message.role === 'tool' ? message.content : []))
    return {
      ran,
      asked,
      results: calls.flatMap(({ id }) =>
        parts.filter(part => part.toolCallId === id).map(part => JSON.stringify(part.output))
      ),
      request: request.length === 0 ? '' : JSON.stringify(request),
      modelCalls: model.requests.length
    }
  }
}
