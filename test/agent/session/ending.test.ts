/** How a session ends: closed, abandoned, unread, misused. */
import { describe, expect, test } from 'vitest'
import { query, type PromptMessage, type Query, type QueryOptions } from '../../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../../src/testing.ts'
import { channel, HANG_TURN, HANG_TOOL } from '../../support/agent-channel.ts'
import { ask, gate, informed, ownTool, project, registry } from '../../support/agent-kit.ts'

/** A query that the test reads by itself. */
function start(
  turns: readonly TurnOrMaker[],
  prompt: string | AsyncIterable<PromptMessage>,
  more: QueryOptions = {}
): Query {
  const place = project()
  return query({
    prompt,
    options: { cwd: place.cwd, env: place.env, persistSession: false, model: scriptedModel(turns), ...more }
  })
}

describe('the end', () => {
  test('close() may be called again and again, and what comes after it is told so', async () => {
    const running = start([HANG_TURN], 'go', { tools: [HANG_TOOL], allowedTools: ['hang'] })
    running.close()
    running.close()
    expect(await running.result()).toMatchObject({ is_error: true })
    running.close()
    const none = (async function* () {})()
    for (const late of [
      () => running.interrupt(),
      () => running.setModel('x'),
      () => running.setPermissionMode('plan'),
      () => running.streamInput(none)
    ])
      await expect(late()).rejects.toMatchObject({
        code: 'E_CLOSED',
        message: expect.stringContaining('begin a new one')
      })
    expect(await running.next()).toMatchObject({ done: false })
    for await (const _ of running);
    expect(await running.next()).toEqual({ value: undefined, done: true })
  })

  // F162
  test('a run whose messages no one reads ends all the same', async () => {
    const ended = gate()
    const turns: TurnOrMaker[] = Array.from({ length: 50 }, () => ({ calls: [{ name: 'look', input: {} }] }))
    const running = start([...turns, 'Done.'], 'go', {
      tools: [ownTool('look', () => 'seen', true)],
      includeHookEvents: true,
      hooks: registry(hooks => hooks.on('SessionEnd', () => ended.open()))
    })
    await ended.opened
    expect(await running.result()).toMatchObject({ result: 'Done.' })
    const { value } = await running.next()
    expect(value).toMatchObject({ type: 'system' })
  })

  test('a reader that leaves ends it, and waits for that end', async () => {
    const ended: string[] = []
    const running = start([HANG_TURN], 'go', {
      tools: [HANG_TOOL],
      allowedTools: ['hang'],
      hooks: registry(hooks =>
        hooks.on('SessionEnd', async () => {
          await new Promise(resolve => setImmediate(resolve))
          ended.push('SessionEnd')
        })
      )
    })
    for await (const message of running) if (message.type === 'assistant') break
    expect(ended).toEqual(['SessionEnd'])
  })

  test('`await using` and throw() end it, too', async () => {
    let ended = 0
    const hooks = () => registry(all => all.on('SessionEnd', () => void ended++))
    {
      await using running = start([HANG_TURN], 'go', { tools: [HANG_TOOL], allowedTools: ['hang'], hooks: hooks() })
      await running.next()
    }
    expect(ended).toBe(1)
    const running = start([HANG_TURN], 'go', { tools: [HANG_TOOL], allowedTools: ['hang'], hooks: hooks() })
    await expect(running.throw(new Error('mine'))).rejects.toThrow('mine')
    expect(ended).toBe(2)
  })

  test('input that never ends does not keep a closed session', async () => {
    const input = channel()
    const running = start(['One.'], input.prompts)
    input.say('one')
    for await (const message of running) if (message.type === 'result') running.close()
    expect(await running.result()).toMatchObject({ result: 'One.' })
  })
})

describe('misuse', () => {
  test('throws at once, and says what to do', () => {
    expect(() => query({ prompt: 7 as unknown as string })).toThrow(/prompt/)
    expect(() => query({ prompt: 'x', options: { maxTurn: 3 } as QueryOptions })).toThrow(/maxTurns/)
    expect(() => query({ prompt: 'x', options: { maxTurns: '3' } as unknown as QueryOptions })).toThrow(/a number/)
  })

  test('what is wrong with the surroundings rejects the first next(), and result()', async () => {
    const { cwd, env } = project()
    const running = query({ prompt: 'x', options: { cwd, env, model: scriptedModel([]), settings: 'missing.json' } })
    await expect(running.next()).rejects.toMatchObject({ name: 'CarabinerError', code: 'E_SETTINGS' })
    await expect(running.next()).resolves.toEqual({ value: undefined, done: true })
    await expect(running.result()).rejects.toMatchObject({ code: 'E_SETTINGS' })
  })
})

test('a session whose log cannot be written ends with an error, and says so', async () => {
  const place = project({ 'a-file': '' })
  const { result, messages, names } = await ask([HANG_TURN], {
    in: place,
    persistSession: true,
    env: { ...place.env, CARABINER_HOME: place.path('a-file') }
  })
  expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
  expect(result.result).toContain('a-file')
  expect(informed({ messages })).toEqual([])
  expect(names).toEqual([])
})
