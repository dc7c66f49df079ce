import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach } from 'vitest'
import { fromLanguageModel, type AdapterOptions } from '../../src/lib/model/ai-sdk.ts'
import { ModelFailure, type Answer, type Model, type ModelRequest } from '../../src/index.ts'
import { anthropicServer, type AnthropicScript, type AnthropicServer } from '../support/anthropic-server.ts'
import { openaiServer, type OpenAIScript, type OpenAIServer } from '../support/openai-server.ts'

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

export const KEY = 'sk-ant-secret-0123456789'

const CLAUDE = 'claude-sonnet-4-5'

/** Claude through its real adapter, and the server that answers for it. */
export async function claude(
  replies: readonly AnthropicScript[],
  options?: AdapterOptions,
  name = CLAUDE
): Promise<{ model: Model; server: AnthropicServer }> {
  const server = await anthropicServer(...replies)
  closing.push(() => server.close())
  const provider = createAnthropic({ baseURL: server.url, apiKey: KEY })
  return { model: fromLanguageModel(provider(name), options), server }
}

/** The same with chat completions. */
export async function chat(
  replies: readonly OpenAIScript[],
  options?: AdapterOptions
): Promise<{ model: Model; server: OpenAIServer }> {
  const server = await openaiServer(...replies)
  closing.push(() => server.close())
  const provider = createOpenAICompatible({
    name: 'test',
    baseURL: server.url,
    includeUsage: true,
    supportsStructuredOutputs: true
  })
  return { model: fromLanguageModel(provider('gpt-test'), options), server }
}

export const asking = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'Be brief.',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  ...more
})

export const askModel = (model: Model, request = asking()): Promise<Answer> =>
  model.ask(request, new AbortController().signal)

/** The failure with which this ends; it must. */
export async function failureIn(answer: Promise<Answer>): Promise<ModelFailure> {
  const thrown: unknown = await answer.then(
    value => new Error(`it was answered: ${JSON.stringify(value)}`),
    (error: unknown) => error
  )
  if (thrown instanceof ModelFailure) return thrown
  throw thrown
}

export const TOOLS = [
  { name: 'Read', description: 'Reads a file', inputSchema: { type: 'object', properties: {} } },
  { name: 'Bash', description: 'Runs a command', inputSchema: { type: 'object', properties: {} } }
]
