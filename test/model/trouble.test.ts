// FM51, FM52, FM54: what providers refuse, what breaks on the way, and silence.
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createAnthropic } from '@ai-sdk/anthropic'
import { expect, test } from 'vitest'
import { fromLanguageModel } from '../../src/lib/model/ai-sdk.ts'
import type { FailureName } from '../../src/index.ts'
import { manualClock } from '../../src/testing.ts'
import { anthropicBytes } from '../support/anthropic-server.ts'
import { askModel, asking, chat, claude, failureIn, KEY } from './model-kit.ts'

interface Row {
  readonly status: number
  readonly why: FailureName
  readonly retryable: boolean
  readonly headers?: Record<string, string>
  readonly message?: string
  readonly type?: string
  readonly body?: string
  readonly retryAfter?: number
}

const ROWS: readonly Row[] = [
  { status: 429, why: 'rate_limit', retryable: true, headers: { 'retry-after': '7' }, retryAfter: 7000 },
  { status: 429, why: 'rate_limit', retryable: true, headers: { 'retry-after-ms': '250' }, retryAfter: 250 },
  { status: 429, why: 'rate_limit', retryable: true },
  { status: 429, why: 'billing_error', retryable: false, message: 'You have reached your monthly spend limit' },
  { status: 400, why: 'billing_error', retryable: false, message: 'Your credit balance is too low' },
  { status: 402, why: 'billing_error', retryable: false, message: 'Pay' },
  { status: 401, why: 'authentication_failed', retryable: false, message: 'invalid x-api-key' },
  { status: 403, why: 'authentication_failed', retryable: false },
  { status: 404, why: 'model_not_found', retryable: false, message: 'model: claude-none' },
  { status: 400, why: 'invalid_request', retryable: false, message: 'messages: at least one message is required' },
  { status: 413, why: 'invalid_request', retryable: false, message: 'Request exceeds the maximum size' },
  { status: 500, why: 'server_error', retryable: true },
  {
    status: 502,
    why: 'server_error',
    retryable: true,
    body: '<html><h1>Bad gateway</h1></html>',
    message: 'Bad gateway'
  },
  { status: 503, why: 'server_error', retryable: true },
  { status: 504, why: 'server_error', retryable: true },
  { status: 529, why: 'overloaded', retryable: true, message: 'Overloaded' },
  { status: 500, why: 'server_error', retryable: false, headers: { 'x-should-retry': 'false' } },
  { status: 409, why: 'server_error', retryable: true, type: 'conflict' }
]

test('refusals of Anthropic, by name, in its own words', async () => {
  const { model, server } = await claude(ROWS.map(fail => ({ fail })))
  for (const { status, why, retryable, retryAfter, message } of ROWS) {
    const failure = await failureIn(askModel(model))
    expect(failure, `${status} ${why}`).toMatchObject({ status, why, retryable })
    expect(failure.retryAfter, `${status}`).toBe(retryAfter)
    expect(failure.message).toContain(message ?? 'refused')
  }
  // Retries are made by the caller, not by the model.
  expect(server.requests).toHaveLength(ROWS.length)
})

test('refusals of chat completions', async () => {
  const { model } = await chat([
    { fail: { status: 429, message: 'Slow down', headers: { 'retry-after': '2' } } },
    { fail: { status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota' } },
    { fail: { status: 401, message: 'Incorrect API key provided: sk-abcdefgh12345678' } },
    { fail: { status: 503, message: 'The engine is currently overloaded' } }
  ])
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'rate_limit', retryable: true, retryAfter: 2000 })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'billing_error', retryable: false })
  const denied = await failureIn(askModel(model))
  expect(denied.why).toBe('authentication_failed')
  expect(denied.message).toContain('Incorrect API key provided: ***')
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'overloaded', retryable: true })
})

test('an error after 200 is a failure, at once and in the middle of a call', async () => {
  const blocks = [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }] as const
  const { model } = await claude([
    { blocks, errorAfter: { events: 0, type: 'overloaded_error', message: 'Overloaded' } },
    { blocks, errorAfter: { events: 4, type: 'overloaded_error', message: 'Overloaded' } },
    { blocks, errorAfter: { events: 4, type: 'api_error', message: 'Internal' } },
    { blocks, errorAfter: { events: 4, type: 'rate_limit_error', message: 'Slow' } },
    { blocks, errorAfter: { events: 4, type: 'invalid_request_error', message: 'Bad' } },
    { raw: 'event: message_start\ndata: {"nonsense\n\n' },
    { raw: '' }
  ])
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'overloaded', retryable: true, status: 529 })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'overloaded', retryable: true })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'server_error', retryable: true })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'rate_limit', retryable: true })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'invalid_request', retryable: false })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'server_error', retryable: true })
  expect(await failureIn(askModel(model))).toMatchObject({ why: 'server_error', retryable: true })

  const other = await chat([
    { text: 'so', errorAfter: { events: 2, type: 'server_error', message: 'went wrong' } },
    { text: 'so', errorAfter: { events: 2, type: 'insufficient_quota', message: 'no more' } }
  ])
  const failure = await failureIn(askModel(other.model))
  expect(failure).toMatchObject({ why: 'server_error', retryable: true })
  expect(failure.message).toContain('went wrong')
  expect(await failureIn(askModel(other.model))).toMatchObject({ why: 'billing_error', retryable: false })
})

const TEXT = [{ type: 'text', text: 'Once upon a time' }] as const

test('silence of a minute is a failure, before the first word and in the middle', async () => {
  for (const stallAt of [0, anthropicBytes({ blocks: TEXT }).length / 2]) {
    const clock = manualClock()
    const { model, server } = await claude([{ blocks: TEXT, stallAt }], { clock })
    const heard = Promise.withResolvers<void>()
    const answer = failureIn(model.ask(asking(), new AbortController().signal, () => heard.resolve()))
    const { left } = await server.request(0)
    if (stallAt > 0) await heard.promise
    await clock.advance(61)
    const failure = await answer
    expect(failure).toMatchObject({ why: 'server_error', retryable: true })
    expect(failure.message).toContain('60 seconds')
    await left
  }
})

/** Something to call, and a promise of its fifth time. */
function fifth(): { call: () => void; promise: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let count = 0
  return { call: () => void (++count === 5 && resolve()), promise }
}

test('pings are no content, nor are comments that keep a connection', async () => {
  for (const speaks of [claude, chat]) {
    const clock = manualClock()
    let pings = fifth()
    const trouble = { stallAt: 0, pings: true, onPing: () => pings.call() }
    const { model } = await speaks([trouble], { clock })
    const answer = failureIn(askModel(model))
    await pings.promise
    await clock.advance(40)
    pings = fifth()
    await pings.promise
    await clock.advance(21)
    expect(await answer).toMatchObject({ retryable: true, why: 'server_error' })
  }
})

test('a model that thinks where no one sees it is given longer', async () => {
  const clock = manualClock()
  const thoughts = { blocks: [{ type: 'thinking', thinking: '', signature: 's' }] } as const
  const bytes = anthropicBytes(thoughts)
  const { model } = await claude([{ ...thoughts, stallAt: bytes.indexOf('event: content_block_delta') }], { clock })
  const begun = Promise.withResolvers<void>()
  let failed = false
  const answer = failureIn(
    model.ask(asking(), new AbortController().signal, ({ type }) => type === 'content_block_start' && begun.resolve())
  ).finally(() => (failed = true))
  await begun.promise
  await clock.advance(200)
  expect(failed).toBe(false)
  await clock.advance(101)
  expect(await answer).toMatchObject({ retryable: true })
})

test('giving up in the middle settles at once, ends the request, and tells no more', async () => {
  const stallAt = anthropicBytes({ blocks: TEXT }).length / 2
  const { model, server } = await claude([{ blocks: TEXT, stallAt }, { blocks: TEXT }])
  const stop = new AbortController()
  const heard = Promise.withResolvers<void>()
  const answer = failureIn(model.ask(asking(), stop.signal, () => heard.resolve()))
  await heard.promise
  stop.abort(new Error('enough'))
  const failure = await answer
  expect(failure).toMatchObject({ retryable: false, why: 'unknown', cause: stop.signal.reason })
  await (
    await server.request(0)
  ).left
  expect(await failureIn(model.ask(asking(), stop.signal))).toMatchObject({ retryable: false })
  expect(server.requests).toHaveLength(1)
})

// Names take long to resolve without a network.
test('a provider that is not there', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  const at = (baseURL: string) => fromLanguageModel(createAnthropic({ baseURL, apiKey: KEY })('claude-x'))
  const refused = await failureIn(askModel(at(`http://127.0.0.1:${port}/v1`)))
  expect(refused).toMatchObject({ why: 'server_error', retryable: true, status: undefined })
  expect(refused.message).toContain('ECONNREFUSED')
  const unknown = await failureIn(askModel(at('http://nobody.invalid/v1')))
  expect(unknown).toMatchObject({ why: 'server_error', retryable: true })
  expect(unknown.message).toMatch(/ENOTFOUND|EAI_AGAIN/)
})
