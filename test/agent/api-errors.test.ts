/** A failing provider is reported in a form that programs can act on, through a real server on loopback. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Model } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'
import { anthropicServer, type AnthropicScript, type AnthropicServer } from '../support/anthropic-server.ts'
import { openaiServer } from '../support/openai-server.ts'
import { ask, informed, ofType, project, words, type Asked, type Asking } from '../support/agent-kit.ts'

const MODEL = 'claude-sonnet-4-5'

/** Runs against a server that implements Anthropic's Messages API. */
async function against(
  replies: readonly AnthropicScript[],
  asking: Asking = {}
): Promise<Asked & { readonly server: AnthropicServer }> {
  const server = await anthropicServer(...replies)
  onTestFinished(() => server.close())
  const place = project()
  const env = { ...place.env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url.replace(/\/v1$/, '') }
  return { ...(await ask([], { in: place, env, model: MODEL, ...asking })), server }
}

const answered: AnthropicScript = { blocks: [{ type: 'text', text: 'Fine.' }] }

describe('a failure of the provider', () => {
  test.each([
    [400, 'invalid_request_error', 'invalid_request'],
    [401, 'authentication_error', 'authentication_failed'],
    [403, 'permission_error', 'authentication_failed'],
    [404, 'not_found_error', 'model_not_found'],
    [402, 'billing_error', 'billing_error']
  ] as const)('E4: %i %s is on the result and in an assistant message', async (status, code, error) => {
    const { result, messages } = await against([
      { fail: { status, type: code, message: 'No.', headers: { 'request-id': 'req_123' } } }
    ])
    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: 'api_error',
      api_error: { error, status, code, request_id: 'req_123' }
    })
    const [told, ...more] = ofType({ messages }, 'assistant')
    expect(more).toEqual([])
    expect(told).toMatchObject({ error, message: { role: 'assistant', model: '<synthetic>' } })
    expect(words(told!.message)).toBe(result.result)
    expect(result.result).toContain(`${status} ${code}: No.`)
  })

  test('E4: a wait of an hour is not waited: status, code and time are named at once', async () => {
    const { result, messages, server } = await against([
      { fail: { status: 429, type: 'rate_limit_error', headers: { 'retry-after': '3600', 'request-id': 'req_9' } } }
    ])
    expect(result.api_error).toEqual({
      error: 'rate_limit',
      status: 429,
      code: 'rate_limit_error',
      request_id: 'req_9',
      retry_after_ms: 3_600_000
    })
    expect(result.result).toMatch(/429 rate_limit_error/)
    expect(result.result).toMatch(
      /asks to wait 3600 s, until \d{4}-\d\d-\d\d \d\d:\d\d UTC, and Carabiner waits at most 10 minutes/
    )
    expect(server.requests).toHaveLength(1)
    expect(
      messages.filter(({ type }) => type === 'system').map(each => 'subtype' in each && each.subtype)
    ).not.toContain('api_retry')
  })

  test('E4: what succeeds at the second try leaves no trace on the result', async () => {
    const { result, messages } = await against([
      { fail: { status: 529, type: 'overloaded_error', headers: { 'retry-after-ms': '1' } } },
      answered
    ])
    expect(result).toMatchObject({ result: 'Fine.', is_error: false })
    expect(result.api_error).toBeUndefined()
    expect(ofType({ messages }, 'assistant').map(({ error }) => error)).toEqual([undefined])
  })

  test('E4: a page of a proxy has a status and no code', async () => {
    const { result } = await against([{ fail: { status: 403, body: '<h1>Forbidden</h1>' } }])
    expect(result.api_error).toMatchObject({ status: 403, error: 'authentication_failed' })
    expect(result.result).toContain('Forbidden')
  })

  test('E4: a server that is not there has neither, and says so', async () => {
    const place = project()
    const env = {
      ...place.env,
      ANTHROPIC_API_KEY: 'sk-test',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      CLAUDE_CODE_MAX_RETRIES: '0'
    }
    const { result } = await ask([], { in: place, env, model: MODEL })
    expect(result.api_error).toEqual({ error: 'server_error' })
    expect(result.result).toMatch(/ECONNREFUSED|connect|bad port/i)
  })

  test('E4: the failed request is no part of the conversation of the next prompt', async () => {
    const prompts = async function* () {
      yield { type: 'user', message: { role: 'user', content: 'one' } } as const
      yield { type: 'user', message: { role: 'user', content: 'two' } } as const
    }
    const { server, messages } = await against([{ fail: { status: 400 } }, answered], { prompt: prompts() })
    expect(ofType({ messages }, 'result').map(({ is_error }) => is_error)).toEqual([true, false])
    expect(JSON.stringify(server.requests[1]!.body.messages)).not.toContain('API Error')
  })
})

describe('thinking', () => {
  const sent = ({ server }: { server: AnthropicServer }): unknown => server.requests[0]!.body.thinking

  test('E5: a budget is sent as a budget', async () => {
    const run = await against([answered], { thinking: { type: 'enabled', budgetTokens: 2000 } })
    expect(sent(run)).toMatchObject({ type: 'enabled', budget_tokens: 2000 })
    expect(informed(run)).toEqual([])
  })

  test('E5: where the model takes no budget, a notice says what is sent instead, once', async () => {
    const call: AnthropicScript = { blocks: [{ type: 'tool_use', name: 'Glob', input: { pattern: '*' } }] }
    const run = await against([call, answered], {
      model: 'claude-opus-5-5',
      thinking: { type: 'enabled', budgetTokens: 2000 }
    })
    expect(sent(run)).toMatchObject({ type: 'adaptive' })
    expect(informed(run)).toEqual([expect.stringMatching(/does not take .*thinking: .*budget.*adaptive/)])
  })

  test('E5: adaptive and disabled are sent as such, and nothing where nothing was said', async () => {
    expect(sent(await against([answered], { thinking: { type: 'adaptive' } }))).toMatchObject({ type: 'adaptive' })
    expect(sent(await against([answered], { thinking: { type: 'disabled' } }))).toMatchObject({ type: 'disabled' })
    expect(sent(await against([answered]))).toBeUndefined()
  })

  test('E5: a provider that takes no budget is not sent one, and a notice says so', async () => {
    const server = await openaiServer({ text: 'Fine.' })
    onTestFinished(() => server.close())
    const run = await ask([], { model: `${server.url}#small`, thinking: { type: 'enabled', budgetTokens: 2000 } })
    expect(run.result.result).toBe('Fine.')
    expect(informed(run)).toEqual([expect.stringMatching(/thinking is not sent to .*use effort/)])
  })
})

describe('half of a surrogate pair', () => {
  const HALF = 'a\ud800b'

  test('E5: is replaced in everything that goes to the provider', async () => {
    const place = project({ 'f.txt': 'text' })
    const server = await anthropicServer(
      { blocks: [{ type: 'tool_use', id: 'toolu_1', name: 'Grep', input: { pattern: HALF } }] },
      answered
    )
    onTestFinished(() => server.close())
    const env = { ...place.env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url.replace(/\/v1$/, '') }
    const { result } = await ask([], { in: place, env, model: MODEL, prompt: HALF, systemPrompt: `system ${HALF}` })
    expect(result.result).toBe('Fine.')
    for (const { body } of server.requests) {
      expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i)
      expect(JSON.stringify(body)).toContain('a\ufffdb')
    }
  })

  test('E5: is replaced in the transcript, and a whole pair and a written-out escape stay as they are', async () => {
    const place = project()
    const kept: Record<string, unknown>[] = []
    const sessionStore = {
      append: async (_: unknown, entries: Record<string, unknown>[]) => void kept.push(...entries),
      load: async () => null
    }
    await ask(['Fine.'], { in: place, sessionStore, persistSession: true, prompt: `${HALF} 😀 \\ud800` })
    const text = JSON.stringify(kept)
    expect(text).toContain('a\ufffdb 😀 \\\\ud800')
    expect(text.replaceAll('\\\\ud800', '')).not.toMatch(/\\ud[89a-f]/i)
  })
})

test('E5: a server of the MCP SDK in place of one of ours is an error that says what to pass', async () => {
  const instance = { connect: async () => undefined, server: {} }
  const { result } = await ask(['Fine.'], { mcpServers: { own: { type: 'sdk', name: 'own', instance } as never } })
  expect(result).toMatchObject({ error_code: 'E_OPTION_INVALID' })
  expect(result.result).toMatch(/mcpServers\.own .*instance of an MCP SDK.*use createSdkMcpServer\(\{ name, tools/)
})

test('a named model costs what prices says, and a budget can be kept for one without a list price', async () => {
  const price = { input: 1000, output: 2000, cacheWrite: 0, cacheRead: 0 }
  const { result } = await against([answered], {
    model: 'own-model',
    prices: { 'own-model': price },
    maxBudgetUsd: 100
  })
  const { input_tokens, output_tokens } = result.usage
  expect(input_tokens).toBeGreaterThan(0)
  expect(result).toMatchObject({ is_error: false })
  expect(result.total_cost_usd).toBeCloseTo((input_tokens * 1000 + output_tokens * 2000) / 1e6)
})

test('so does a model that is an instance of a class', async () => {
  class Own implements Model {
    readonly #script = scriptedModel([{ text: 'Fine.', usage: { input_tokens: 1000, output_tokens: 0 } }])
    get name() {
      return 'mine'
    }
    get provider() {
      return 'own'
    }
    ask(...about: Parameters<Model['ask']>) {
      return this.#script.ask(...about)
    }
  }
  const prices = { mine: { input: 1000, output: 0, cacheWrite: 0, cacheRead: 0 } }
  const { result } = await ask([], { model: new Own(), prices, maxBudgetUsd: 5 })
  expect(result).toMatchObject({ is_error: false, result: 'Fine.', total_cost_usd: 1 })
})
