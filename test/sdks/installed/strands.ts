import { Agent, tool, type JSONValue } from '@strands-agents/sdk'
import { z } from 'zod'
import { ScriptedModel } from '../../../examples/sdks/models/strands.ts'
import { addGate } from '../../../examples/sdks/strands.ts'
import { recorder, writtenNote, type SdkDriver, type Note } from '../driver.ts'

const NOTE = { description: 'Writes a note', inputSchema: z.object({ path: z.string(), text: z.string() }) }

export const strandsDriver: SdkDriver = {
  name: 'Strands 1.19',
  run: async ({ hooks, calls, approve, streaming }) => {
    const { ran, asked, options } = recorder(approve)
    const write = (note: Note): JSONValue => {
      ran.push(note)
      return writtenNote(note)
    }
    const plain = tool({ ...NOTE, name: 'write_note', callback: write })
    const streamed = tool({
      ...NOTE,
      name: 'write_note',
      callback: async function* (note) {
        yield 'writing'
        return write(note)
      }
    })
    const model = new ScriptedModel(calls.map(({ id, input }) => ({ id, input, name: 'write_note' })))
    const agent = new Agent({ model, tools: [streaming ? streamed : plain], printer: false })
    addGate(agent, hooks, options)
    if (streaming) for await (const _ of agent.stream('Write notes'));
    else await agent.invoke('Write notes')
    const request = model.requests[1] ?? []
    const blocks = request.flatMap(({ content }) => content).filter(block => block.type === 'toolResultBlock')
    return {
      ran,
      asked,
      results: calls.flatMap(({ id }) =>
        blocks.filter(block => block.toolUseId === id).map(block => JSON.stringify(block.content))
      ),
      request: request.length === 0 ? '' : JSON.stringify(request),
      modelCalls: model.requests.length
    }
  }
}
