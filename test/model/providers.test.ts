import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { modelAddress } from '../../src/lib/model/names.ts'
import { costOf, priceOf } from '../../src/lib/model/prices.ts'
import { modelFor } from '../../src/lib/model/providers.ts'
import { anthropicServer } from '../support/anthropic-server.ts'
import { openaiServer } from '../support/openai-server.ts'
import { askModel, asking, failureIn } from './model-kit.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function started<S extends { close(): Promise<void> }>(starting: Promise<S>): Promise<S> {
  const server = await starting
  closing.push(() => server.close())
  return server
}

test.for([
  ['default', { kind: 'anthropic', model: 'claude-opus-5-5' }],
  ['opus', { kind: 'anthropic', model: 'claude-opus-5-5' }],
  ['sonnet', { kind: 'anthropic', model: 'my-sonnet' }],
  ['haiku', { kind: 'anthropic', model: 'claude-haiku-5-5' }],
  ['claude-opus-4-6', { kind: 'anthropic', model: 'claude-opus-4-6' }],
  ['anthropic/glm', { kind: 'anthropic', model: 'glm' }],
  ['openai/gpt-x', { kind: 'openai', model: 'gpt-x' }],
  ['openai/org/gpt-x', { kind: 'openai', model: 'org/gpt-x' }],
  ['google/gem', { kind: 'package', package: '@ai-sdk/google', model: 'gem' }],
  ['http://localhost:1/v1#a/b', { kind: 'compatible', url: 'http://localhost:1/v1', model: 'a/b' }],
  ['script:./a b.json', { kind: 'script', file: './a b.json' }]
] as const)('%s', ([name, expected]) => {
  expect(modelAddress(name, { ANTHROPIC_DEFAULT_SONNET_MODEL: 'my-sonnet' })).toEqual(expected)
})

test('names that mean nothing say what would', async () => {
  for (const name of ['gpt-x', 'https://host/v1', '../x', 'OpenAI/x', 'openai/'])
    await expect(modelFor(name, { env: {} })).rejects.toMatchObject({ code: 'E_MODEL' })
  await expect(modelFor('gpt-x', { env: {} })).rejects.toThrow(/openai\/NAME/)
  expect((await modelFor('glm', { env: { ANTHROPIC_BASE_URL: 'http://x', ANTHROPIC_API_KEY: 'k' } })).name).toBe('glm')
})

test('a missing key or package is said before anything is asked', async () => {
  await expect(modelFor(undefined, { env: {} })).rejects.toThrow(/ANTHROPIC_API_KEY/)
  await expect(modelFor('opus', { env: { ANTHROPIC_API_KEY: '' } })).rejects.toThrow(/ANTHROPIC_API_KEY/)
  await expect(modelFor('openai/x', { env: {} })).rejects.toThrow(/OPENAI_API_KEY/)
  await expect(modelFor('nobody-has-this/x', { env: {} })).rejects.toThrow(/npm install @ai-sdk\/nobody-has-this/)
  // It is installed, but has no provider ready to use.
  await expect(modelFor('openai-compatible/x', { env: {} })).rejects.toMatchObject({ code: 'E_MODEL' })
})

test('Anthropic at the address of the environment, with a key or a token', async () => {
  const server = await started(
    anthropicServer(
      { blocks: [{ type: 'text', text: 'a' }] },
      { blocks: [] },
      { fail: { status: 401, message: 'no: tok-en-123' } }
    )
  )
  const bare = server.url.replace(/\/v1$/, '')
  const model = await modelFor('claude-opus-4-6', {
    env: { ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: `${bare}/` }
  })
  expect(model).toMatchObject({ name: 'claude-opus-4-6', provider: 'anthropic', price: { input: 5 } })
  expect((await askModel(model)).content).toEqual([{ type: 'text', text: 'a' }])
  const token = await modelFor('default', {
    env: { ANTHROPIC_AUTH_TOKEN: 'tok-en-123', ANTHROPIC_API_KEY: 'key-1' },
    baseUrl: server.url
  })
  await askModel(token)
  const [first, second] = server.requests
  expect(first!.path).toBe('/v1/messages')
  expect(first!.headers['x-api-key']).toBe('key-1')
  expect(second!.path).toBe('/v1/messages')
  expect(second!.headers['authorization']).toBe('Bearer tok-en-123')
  expect(second!.body.model).toBe('claude-opus-5-5')
  const failure = await failureIn(askModel(token))
  expect(failure.message).not.toContain('tok-en-123')
})

test('chat completions: at an address, and as OpenAI', async () => {
  const server = await started(openaiServer({ text: 'a' }, { text: 'b' }, { text: 'c' }))
  const env = { OPENAI_API_KEY: 'for-openai', OPENAI_BASE_URL: server.url }
  const local = await modelFor(`${server.url}#qwen`, { env })
  expect(local).toMatchObject({ name: 'qwen', provider: 'openai-compatible', price: undefined })
  expect((await askModel(local, asking({ maxTokens: 5 }))).content).toEqual([{ type: 'text', text: 'a' }])
  await askModel(await modelFor(`${server.url}#qwen`, { env: { OPENAI_COMPATIBLE_API_KEY: 'for-others' } }))
  await askModel(await modelFor('openai/gpt-x', { env }))
  const [first, second, third] = server.requests
  expect(first).toMatchObject({ path: '/v1/chat/completions', body: { model: 'qwen', max_tokens: 5 } })
  // The key of OpenAI goes to OpenAI, or where OPENAI_BASE_URL says.
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
    undefined,
    'Bearer for-others',
    'Bearer for-openai'
  ])
  expect([second!.body.model, third!.body.model]).toEqual(['qwen', 'gpt-x'])
})

test('a script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carabiner-model-'))
  closing.push(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'a.yaml'), '- hello\n')
  const model = await modelFor(`script:${join(folder, 'a.yaml')}`, { env: {} })
  expect((await askModel(model)).content).toEqual([{ type: 'text', text: 'hello' }])
})

test('prices: by family, and what they come to', () => {
  expect(priceOf('claude-opus-4-1-20250805')).toEqual({ input: 15, output: 75, cacheWrite: 18.75, cacheRead: 1.5 })
  expect(priceOf('claude-opus-4-8')).toEqual({ input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 })
  expect(priceOf('claude-opus-5-5')).toEqual({ input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 })
  expect(priceOf('claude-sonnet-4-5-20250929')).toMatchObject({ input: 3, output: 15 })
  expect(priceOf('us.anthropic.claude-haiku-4-5-v1:0')).toMatchObject({ input: 1, output: 5 })
  expect(priceOf('gpt-x')).toBeUndefined()
  const usage = {
    input_tokens: 1_000_000,
    output_tokens: 100_000,
    cache_creation_input_tokens: 1_000_000,
    cache_read_input_tokens: 2_000_000
  }
  expect(costOf(usage, priceOf('claude-opus-4-8'))).toBe(5 + 2.5 + 6.25 + 1)
  expect(costOf(usage, undefined)).toBeUndefined()
})
