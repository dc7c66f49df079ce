/** What becomes of a run when its model fails, and of what had come before. */
import assert from 'node:assert/strict'
import { describe, expect, test } from 'vitest'
import { query } from '../../src/index.ts'
import { manualClock, type TurnOrMaker } from '../../src/testing.ts'
import { anthropicBytes, anthropicServer } from '../support/anthropic-server.ts'
import { ask, inputsOf, ofType, project, prompted, words, type Asking } from '../support/agent-kit.ts'

/** Runs with a clock that is turned on as far as each retry asks for. */
async function patiently(turns: readonly TurnOrMaker[], asking: Asking = {}) {
  const clock = manualClock()
  const run = await ask(turns, {
    clock,
    each: message => {
      if (message.type === 'system' && message.subtype === 'api_retry')
        void clock.advance(message.retry_delay_ms / 1000)
    },
    ...asking
  })
  const retries = run.messages.flatMap(message =>
    message.type === 'system' && message.subtype === 'api_retry' ? [message] : []
  )
  return { ...run, retries }
}

describe('a provider that', () => {
  test.each([
    [429, 'rate_limit'],
    [529, 'overloaded'],
    [500, 'server_error']
  ])('answers %i is asked again, and everyone can see it', async (status, error) => {
    const { result, retries, sent, names } = await patiently([{ fail: { status } }, { fail: { status } }, 'Done.'])
    expect(result).toMatchObject({ result: 'Done.', is_error: false, num_turns: 1 })
    expect(retries).toMatchObject([
      { attempt: 1, error_status: status, error, error_details: `the script fails here with status ${status}` },
      { attempt: 2, error_status: status, error }
    ])
    expect(retries[1]!.retry_delay_ms).toBeGreaterThanOrEqual(1000)
    expect(sent).toHaveLength(3)
    expect(names.filter(name => name === 'Iteration')).toHaveLength(1)
    expect(names).not.toContain('StopFailure')
  })

  test('says when to come back is not asked before', async () => {
    const { retries } = await patiently([{ fail: { status: 429, retryAfter: 30_000 } }, 'Done.'])
    expect(retries[0]!.retry_delay_ms).toBeGreaterThanOrEqual(30_000)
  })

  test('cuts its answer off is asked again, and no tool was started', async () => {
    const place = project()
    const call = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] }
    const { result, retries, names } = await patiently([{ ...call, cutAfter: 3 }, 'Done.'], {
      in: place,
      allowedTools: ['Bash']
    })
    expect(retries).toHaveLength(1)
    expect(result.result).toBe('Done.')
    expect(names).not.toContain('PreToolUse')
    expect(place.has('made')).toBe(false)
  })

  test('never answers is given up after ten tries', async () => {
    const { result, retries, sent } = await patiently(Array.from({ length: 12 }, () => ({ fail: { status: 503 } })))
    expect(sent).toHaveLength(10)
    expect(retries).toHaveLength(9)
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error' })
  })

  test.each([0, 1, 3])('never answers is asked again %i times if maxRetries says so', async maxRetries => {
    const { result, retries, sent } = await patiently(
      Array.from({ length: 5 }, () => ({ fail: { status: 503 } })),
      { maxRetries }
    )
    expect([sent.length, retries.length]).toEqual([maxRetries + 1, maxRetries])
    expect(retries.every(({ max_retries }) => max_retries === maxRetries)).toBe(true)
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error' })
  })

  test.each([
    [401, 'authentication_failed'],
    [402, 'billing_error'],
    [404, 'model_not_found'],
    [400, 'invalid_request']
  ])('refuses with %i is not asked again, and hooks hear %s', async (status, error) => {
    const { result, events, names, retries } = await patiently([{ fail: { status, message: 'so it is' } }])
    expect(retries).toEqual([])
    expect(inputsOf({ events }, 'StopFailure')).toMatchObject([
      { error, error_details: 'so it is', last_assistant_message: 'API Error: so it is' }
    ])
    expect(names).not.toContain('Stop')
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error', result: 'API Error: so it is' })
  })
})

test('an assertion that fails in a turn of a script ends the run with its words', async () => {
  const { result, retries, sent, events } = await patiently([
    ({ messages }) => {
      assert.equal(messages.length, 2, 'there should be two messages')
      return 'never'
    },
    'never'
  ])
  expect(sent).toHaveLength(1)
  expect(retries).toEqual([])
  const said = expect.stringContaining('turn 1 of the script threw: there should be two messages')
  expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error', result: said })
  expect(inputsOf({ events }, 'StopFailure')).toMatchObject([{ error: 'unknown' }])
})

test('after a failure the next prompt continues where it was', async () => {
  const { messages, sent } = await ask([{ fail: { status: 401 } }, 'Done.'], {
    prompt: (async function* () {
      yield prompted('one')
      yield prompted('two')
    })()
  })
  expect(ofType({ messages }, 'result')).toMatchObject([{ is_error: true }, { result: 'Done.', is_error: false }])
  expect(sent[1]!.map(words)).toEqual(['one', 'two'])
})

describe('interrupted while it speaks', () => {
  const thinking = { type: 'thinking', thinking: 'hm, hm', signature: 'sig' } as const
  const text = { type: 'text', text: 'It was a dark and stormy night.', pieces: 4 } as const
  const call = { type: 'tool_use', id: 'toolu_9', name: 'Bash', input: { command: 'touch made' } } as const

  // F157
  test('what it said is kept, what it thought or was about to call is not, and the next prompt continues', async () => {
    const whole = anthropicBytes({ blocks: [thinking, text, call] })
    const server = await anthropicServer(
      { blocks: [thinking, text, call], stallAt: whole.indexOf('touch') },
      { blocks: [{ type: 'text', text: 'Fine.' }] }
    )
    const place = project()
    const interrupted = Promise.withResolvers<void>()
    const running = query({
      prompt: (async function* () {
        yield prompted('tell me')
        await interrupted.promise
        yield prompted('go on')
      })(),
      options: {
        cwd: place.cwd,
        env: { ...place.env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url.replace(/\/v1$/, '') },
        persistSession: false,
        model: 'claude-sonnet-4-5',
        includePartialMessages: true,
        allowedTools: ['Bash']
      }
    })
    const results = []
    for await (const message of running) {
      if (message.type === 'stream_event' && message.event.type === 'content_block_start' && message.event.index === 2)
        void running.interrupt()
      if (message.type === 'result') {
        results.push(message)
        interrupted.resolve()
      }
    }
    const { body } = await server.request(1)
    await server.close()
    expect(results).toMatchObject([{ terminal_reason: 'aborted_streaming', is_error: true }, { result: 'Fine.' }])
    const sent = JSON.stringify(body.messages)
    expect(sent).toContain('It was a dark and stormy night.')
    expect(sent).toContain('[Request interrupted by user]')
    expect(sent).toContain('go on')
    expect(sent).not.toContain('hm, hm')
    expect(sent).not.toContain('tool_use')
    expect(place.has('made')).toBe(false)
  })

  test('readers are told what was kept', async () => {
    const server = await anthropicServer({
      blocks: [text],
      stallAt: anthropicBytes({ blocks: [text] }).indexOf('night')
    })
    const place = project()
    const { messages, result } = await ask([], {
      in: place,
      env: { ...place.env, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url.replace(/\/v1$/, '') },
      model: 'claude-sonnet-4-5',
      includePartialMessages: true,
      each: (message, running) => {
        if (message.type === 'stream_event' && message.event.type === 'content_block_delta') void running.interrupt()
      }
    })
    await server.close()
    expect(result).toMatchObject({ terminal_reason: 'aborted_streaming' })
    const [kept] = ofType({ messages }, 'assistant')
    expect(words(kept!.message)).toMatch(/^It was/)
    expect(kept!.message.stop_reason).toBeNull()
  })
})
