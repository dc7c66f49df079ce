import { tool } from 'ai'
import { z } from 'zod'
import { scriptedModel } from '../../../examples/sdks/models/ai-sdk.ts'
import { guardTools } from '../../../src/ai-sdk.ts'
import { answered, runLoop } from '../ai-sdk-kit.ts'
import { writtenNote, type SdkDriver, type Note } from '../driver.ts'

export const aiSdkDriver: SdkDriver = {
  name: 'AI SDK 7.0',
  asksAboutCall: true,
  run: async ({ hooks, calls, approve, streaming }) => {
    const ran: Note[] = []
    const write = (note: Note): ReturnType<typeof writtenNote> => {
      ran.push(note)
      return writtenNote(note)
    }
    const write_note = tool({
      description: 'Writes a note',
      inputSchema: z.object({ path: z.string(), text: z.string() }),
      execute: streaming
        ? async function* (note: Note): AsyncGenerator<ReturnType<typeof writtenNote>> {
            yield write(note)
          }
        : write
    })
    const way = streaming ? 'streamText' : 'generateText'
    const model = scriptedModel(calls.map(({ id, input }) => ({ id, input, name: 'write_note' })))
    const guarded = guardTools({ write_note }, hooks)
    const { messages, questions } = await runLoop(way, model, guarded)
    if (questions.length > 0 && approve !== undefined) await runLoop(way, model, guarded, answered(messages, approve))
    const prompts = (streaming ? model.doStreamCalls : model.doGenerateCalls).map(call => call.prompt)
    const results = (prompts[1] ?? []).flatMap(message => (message.role === 'tool' ? message.content : []))
    return {
      ran,
      asked: questions.map(input => input as Note),
      results: calls.map(({ id }) =>
        JSON.stringify(results.find(part => part.type === 'tool-result' && part.toolCallId === id))
      ),
      request: JSON.stringify(prompts[1] ?? ''),
      modelCalls: prompts.length
    }
  }
}
