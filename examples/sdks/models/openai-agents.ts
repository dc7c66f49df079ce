/** A model for OpenAI Agents that needs no network: it makes the given calls, then answers with text. */
import { Usage, type Model, type ModelRequest, type protocol } from '@openai/agents'

export interface ScriptedCall {
  readonly id: string
  readonly name: string
  readonly input: object
}

export function scriptedModel(calls: readonly ScriptedCall[]): Model & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = []
  const respond = (request: ModelRequest): protocol.OutputModelItem[] => {
    requests.push(request)
    return requests.length === 1 ? calls.map(callItem) : [textItem('Done.')]
  }
  return {
    requests,
    getResponse: async request => ({ usage: new Usage(), output: respond(request) }),
    async *getStreamedResponse(request) {
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
      yield { type: 'response_done', response: { id: 'response', usage, output: respond(request) } }
    }
  }
}

const callItem = ({ id, name, input }: ScriptedCall): protocol.FunctionCallItem => ({
  type: 'function_call',
  callId: id,
  name,
  arguments: JSON.stringify(input),
  status: 'completed'
})

const textItem = (text: string): protocol.AssistantMessageItem => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }]
})
