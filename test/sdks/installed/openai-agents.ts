import { Agent, run, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { scriptedModel } from '../../../examples/sdks/models/openai-agents.ts'
import { guardTools } from '../../../examples/sdks/openai-agents.ts'
import { recorder, writtenNote, type SdkDriver } from '../driver.ts'

setTracingDisabled(true)

export const openaiAgentsDriver: SdkDriver = {
  name: 'OpenAI Agents 0.20',
  run: async ({ hooks, calls, approve, streaming }) => {
    const { ran, asked, options } = recorder(approve)
    const writeNote = tool({
      name: 'write_note',
      description: 'Writes a note',
      parameters: z.object({ path: z.string(), text: z.string() }),
      execute: note => {
        ran.push(note)
        return writtenNote(note)
      }
    })
    const model = scriptedModel(calls.map(({ id, input }) => ({ id, input, name: 'write_note' })))
    const agent = new Agent({ name: 'Writer', model, ...guardTools(hooks, [writeNote], options) })
    if (streaming) await (await run(agent, 'Write notes', { stream: true })).completed
    else await run(agent, 'Write notes')
    const request = model.requests[1]?.input ?? ''
    const outputs = typeof request === 'string' ? [] : request.filter(item => item.type === 'function_call_result')
    return {
      ran,
      asked,
      results: calls.map(({ id }) => JSON.stringify(outputs.find(item => item.callId === id)?.output)),
      request: JSON.stringify(request),
      modelCalls: model.requests.length
    }
  }
}
