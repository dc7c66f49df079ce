import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel } from 'ai'
import { afterEach, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../../../src/lib/cli/host/probe/model-server.ts'
import type { HostRequest, ScriptStep } from '../../../src/lib/cli/host/probe/model-wire.ts'

const script = ({ turns }: HostRequest): ScriptStep =>
  turns === 0 ? { calls: [{ name: 'shell', input: { command: 'ls' } }] } : { text: 'All done.' }

let server: ModelServer
afterEach(() => server.close())

const MODELS: Readonly<Record<string, (url: string) => LanguageModel>> = {
  'messages of Anthropic': url => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'x' })('scripted'),
  'chat completions': url => createOpenAICompatible({ name: 'scripted', baseURL: `${url}/v1` })('scripted')
}

const tools = {
  shell: tool({
    inputSchema: jsonSchema<{ command: string }>({ type: 'object', properties: { command: { type: 'string' } } }),
    execute: ({ command }) => `ran ${command}`
  })
}

describe.each(Object.keys(MODELS))('a client that speaks %s', name => {
  it.each(['in one piece', 'as a stream'])('gets calls and texts %s, and its results are read', async way => {
    server = await startModelServer(script)
    const model = MODELS[name]?.(server.url) ?? ''
    const request = { model, tools, prompt: 'Please work', maxOutputTokens: 100, stopWhen: stepCountIs(3) }
    const text = way === 'as a stream' ? await streamText(request).text : (await generateText(request)).text
    expect(text).toBe('All done.')
    expect(server.requests.map(({ tools: offered, turns, results }) => ({ offered, turns, results }))).toEqual([
      { offered: ['shell'], turns: 0, results: [] },
      { offered: ['shell'], turns: 1, results: [expect.stringContaining('ran ls')] }
    ])
  })
})

const post = async (path: string, body: object): Promise<string> =>
  (await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) })).text()

const events = (text: string): readonly unknown[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as unknown)

it('speaks the Responses API', async () => {
  server = await startModelServer(script)
  const call = { type: 'function_call', name: 'shell', call_id: 'scripted_1_0', arguments: '{"command":"ls"}' }
  expect(events(await post('/v1/responses', { stream: true, input: [{ role: 'user' }] }))).toMatchObject([
    { type: 'response.created' },
    { type: 'response.output_item.done', item: call },
    { type: 'response.completed', response: { output: [call] } }
  ])
  const input = [call, { type: 'function_call_output', output: 'ran ls' }]
  expect(await post('/v1/responses', { input })).toContain('All done.')
  expect(server.requests.at(-1)).toMatchObject({ turns: 1, results: ['ran ls'] })
})

it('speaks as Gemini does', async () => {
  server = await startModelServer(script)
  const call = { functionCall: { name: 'shell', args: { command: 'ls' } } }
  const path = '/v1beta/models/scripted:'
  const functionDeclarations = [{ name: 'shell' }]
  expect(
    events(await post(`${path}streamGenerateContent?alt=sse`, { tools: [{ functionDeclarations }] }))
  ).toMatchObject([{ candidates: [{ content: { parts: [call] } }] }])
  const contents = [{ role: 'model' }, { parts: [{ functionResponse: { response: { output: 'ran ls' } } }] }]
  expect(await post(`${path}generateContent`, { contents })).toContain('All done.')
  expect(server.requests.map(({ tools: offered, results }) => [offered, results])).toEqual([
    [['shell'], []],
    [[], ['{"output":"ran ls"}']]
  ])
})

it('answers what agents ask beside, and survives what is no request', async () => {
  server = await startModelServer(script)
  expect(await post('/v1/messages/count_tokens', {})).toContain('"input_tokens":1')
  expect(await (await fetch(`${server.url}/v1/models`)).text()).toContain('"scripted"')
  await expect(fetch(`${server.url}/v1/messages`, { method: 'POST', body: '{' })).rejects.toThrow('fetch failed')
  expect(await post('/v1/messages', {})).toContain('tool_use')
})
