/** A session that is steered while it runs: prompts that come later, interrupts, changes of model and mode, its end. */
import { describe, expect, test } from 'vitest'
import { query, type PromptMessage, type Query, type QueryOptions } from '../../src/index.ts'
import { scriptedModel, type TurnOrMaker } from '../../src/lib/model/scripted.ts'
import { ask, gate, informed, inputsOf, ofType, ownTool, project, prompted, registry, resultsIn, words } from './kit.ts'

/** Prompts that are given one at a time. */
function channel(): { readonly prompts: AsyncIterable<PromptMessage>; say(text: string): void; end(): void } {
  const waiting: PromptMessage[] = []
  let over = false
  let wake = gate()
  const tell = (): void => {
    wake.open()
    wake = gate()
  }
  return {
    prompts: (async function* () {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) yield next
        else if (over) return
        else await wake.opened
      }
    })(),
    say(text) {
      waiting.push(prompted(text))
      tell()
    },
    end() {
      over = true
      tell()
    }
  }
}

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

const HANGS = ownTool(
  'hang',
  ({ signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('ended'))))
)
const HANG = { calls: [{ name: 'hang', input: {} }] }

describe('prompts', () => {
  test('come one after the other, in one session with one beginning and one end', async () => {
    const { names, messages, sent, events } = await ask(['One.', 'Two.', 'Three.'], {
      prompt: (async function* () {
        for (const text of ['1', '2', '3']) yield prompted(text)
      })()
    })
    expect(ofType({ messages }, 'result').map(({ result }) => result)).toEqual(['One.', 'Two.', 'Three.'])
    expect(sent[2]!.map(words)).toEqual(['1', 'One.', '2', 'Two.', '3'])
    for (const event of ['SessionStart', 'SessionEnd'] as const) expect(inputsOf({ events }, event)).toHaveLength(1)
    for (const event of ['UserPromptSubmit', 'AgentStart', 'AgentStop', 'Stop'] as const)
      expect(names.filter(name => name === event)).toHaveLength(3)
    expect(new Set(inputsOf({ events }, 'UserPromptSubmit').map(({ prompt_id }) => prompt_id)).size).toBe(3)
    expect(messages.filter(message => message.type === 'system' && message.subtype === 'init')).toHaveLength(1)
  })

  test('that come while a turn runs wait for its end', async () => {
    const input = channel()
    const { sent, messages } = await ask([{ calls: [{ name: 'look', input: {} }] }, 'One.', 'Two.'], {
      prompt: input.prompts,
      tools: [
        ownTool(
          'look',
          () => {
            input.say('later')
            input.end()
            return 'seen'
          },
          true
        )
      ],
      steer: () => input.say('first')
    })
    expect(sent[1]!.map(words)).not.toContain('later')
    expect(sent[2]!.map(words).at(-1)).toBe('later')
    expect(ofType({ messages }, 'result').map(({ result }) => result)).toEqual(['One.', 'Two.'])
  })

  test('may hold more than text, and a hook changes only the text', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } } as const
    const { sent } = await ask(['Done.'], {
      prompt: (async function* () {
        yield { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'look' }, image] } } as const
      })(),
      hooks: registry(hooks => hooks.on('UserPromptSubmit', ctx => void (ctx.prompt = `${ctx.prompt}!`)))
    })
    expect(sent[0]).toEqual([{ role: 'user', content: [{ type: 'text', text: 'look!' }, image] }])
  })

  test('can be added by streamInput while there are others to come', async () => {
    const input = channel()
    const { messages } = await ask(['One.', 'Two.'], {
      prompt: input.prompts,
      steer: async running => {
        input.say('one')
        await running.streamInput(
          (async function* () {
            yield prompted('two')
          })()
        )
        input.end()
      }
    })
    expect(ofType({ messages }, 'result').map(({ result }) => result)).toEqual(['One.', 'Two.'])
  })

  test('that are none are an error that shows what one is', async () => {
    const { result } = await ask(['Done.'], {
      prompt: (async function* () {
        yield { type: 'user' } as unknown as PromptMessage
      })()
    })
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
    expect(result.result).toContain('{ type: "user", message: { role: "user", content } }')
  })

  test('of a SessionStart hook come first', async () => {
    const { sent } = await ask(['One.', 'Two.'], {
      prompt: 'mine',
      hooks: registry(hooks => hooks.on('SessionStart', () => ({ initialUserMessage: 'before that' })))
    })
    expect(sent[1]!.map(words)).toEqual(['before that', 'One.', 'mine'])
  })
})

describe('interrupt()', () => {
  test('ends the turn, and the session goes on with the next prompt', async () => {
    const input = channel()
    const { messages, sent, events } = await ask([HANG, 'Back again.'], {
      prompt: input.prompts,
      tools: [HANGS],
      allowedTools: ['hang'],
      steer: () => input.say('one'),
      each: (message, running) => {
        if (message.type === 'assistant' && message.message.stop_reason === 'tool_use') void running.interrupt()
        if (message.type === 'result' && message.is_error) {
          input.say('two')
          input.end()
        }
      }
    })
    expect(ofType({ messages }, 'result')).toMatchObject([
      { terminal_reason: 'aborted_tools', is_error: true },
      { result: 'Back again.', is_error: false }
    ])
    expect(resultsIn(sent[1]!)).toMatchObject([{ isError: true }])
    expect(inputsOf({ events }, 'SessionEnd')).toHaveLength(1)
  })

  test('between two calls: those that remain are answered as interrupted', async () => {
    const place = project()
    const { messages, result } = await ask(
      [
        {
          calls: [
            { name: 'first', input: {} },
            { name: 'second', input: {} },
            { name: 'third', input: {} }
          ]
        }
      ],
      {
        in: place,
        allowedTools: ['first', 'second', 'third'],
        tools: ['first', 'second', 'third'].map(name => ownTool(name, () => place.write(name, ''))),
        hooks: registry(hooks => hooks.on('PostToolUse', 'first', () => void stop())),
        steer: running => (stop = () => void running.interrupt())
      }
    )
    expect(['first', 'second', 'third'].filter(name => place.has(name))).toEqual(['first'])
    const told = ofType({ messages }, 'user').flatMap(({ message }) => resultsIn([message]))
    expect(told).toMatchObject([
      { isError: false },
      { isError: true, text: expect.stringContaining('interrupted') },
      { isError: true, text: expect.stringContaining('interrupted') }
    ])
    expect(result.terminal_reason).toBe('aborted_tools')
  })
  let stop: () => void = () => undefined

  test('when nothing runs does nothing', async () => {
    const input = channel()
    const { messages } = await ask(['One.'], {
      prompt: input.prompts,
      steer: async running => {
        await running.interrupt()
        input.say('one')
        input.end()
      }
    })
    expect(ofType({ messages }, 'result')).toMatchObject([{ result: 'One.' }])
  })
})

test('setModel() and setPermissionMode() count from the next step on', async () => {
  const input = channel()
  const other = scriptedModel(['From another.'], { name: 'another' })
  const { messages, events } = await ask(['One.'], {
    prompt: input.prompts,
    steer: () => input.say('one'),
    each: async (message, running) => {
      if (message.type !== 'result' || message.result !== 'One.') return
      await running.setModel(other)
      await running.setPermissionMode('plan')
      await expect(running.setPermissionMode('plant')).rejects.toThrow(/did you mean plan/)
      await expect(running.setPermissionMode('bypassPermissions')).rejects.toThrow(/not allowed/)
      input.say('two')
      input.end()
    }
  })
  expect(ofType({ messages }, 'assistant').map(({ message }) => message.model)).toEqual(['scripted', 'another'])
  expect(inputsOf({ events }, 'Stop').map(({ permission_mode }) => permission_mode)).toEqual(['default', 'plan'])
  expect(Object.keys(ofType({ messages }, 'result').at(-1)!.modelUsage)).toEqual(['scripted', 'another'])
})

describe('the end', () => {
  test('close() may be called again and again, and what comes after it is told so', async () => {
    const running = start([HANG], 'go', { tools: [HANGS], allowedTools: ['hang'] })
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
  test('a run whose messages nobody reads ends all the same', async () => {
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
    const running = start([HANG], 'go', {
      tools: [HANGS],
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
      await using running = start([HANG], 'go', { tools: [HANGS], allowedTools: ['hang'], hooks: hooks() })
      await running.next()
    }
    expect(ended).toBe(1)
    const running = start([HANG], 'go', { tools: [HANGS], allowedTools: ['hang'], hooks: hooks() })
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

  test('what is wrong with the surroundings is a result with is_error', async () => {
    const { result, messages } = await ask(['Done.'], { tools: ['Raed'] })
    expect(messages).toHaveLength(1)
    expect(result).toMatchObject({ is_error: true, subtype: 'error_during_execution' })
    expect(result.result).toContain('Read')
  })
})

test('a session whose log cannot be written ends with an error, and says so', async () => {
  const place = project()
  const { result, messages, names } = await ask([HANG], {
    in: place,
    persistSession: true,
    env: { ...place.env, CARABINER_HOME: '/proc/nowhere' }
  })
  expect(result).toMatchObject({ is_error: true, terminal_reason: 'turn_setup_failed' })
  expect(result.result).toContain('/proc/nowhere')
  expect(informed({ messages })).toEqual([])
  expect(names).toEqual([])
})
