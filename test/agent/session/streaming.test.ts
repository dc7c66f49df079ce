/** A session that is steered while it runs: prompts that come later, interrupts, changes of model and mode, its end. */
import { describe, expect, test } from 'vitest'
import { type PromptMessage } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'
import { channel, HANG_TURN, HANG_TOOL } from '../../support/agent-channel.ts'
import {
  ask,
  inputsOf,
  ofType,
  ownTool,
  project,
  prompted,
  registry,
  resultsIn,
  words
} from '../../support/agent-kit.ts'

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
  test('ends the turn, and the session continues with the next prompt', async () => {
    const input = channel()
    const { messages, sent, events } = await ask([HANG_TURN, 'Back again.'], {
      prompt: input.prompts,
      tools: [HANG_TOOL],
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
        hooks: registry(hooks => hooks.on('PostToolUse', 'first', () => stop())),
        steer: running => (stop = () => void running.interrupt())
      }
    )
    expect(['first', 'second', 'third'].filter(name => place.has(name))).toEqual(['first'])
    const told = ofType({ messages }, 'user').flatMap(({ message }) => resultsIn([message]))
    expect(told).toMatchObject([
      { isError: false },
      { isError: true, text: expect.stringContaining('Interrupted before the call started') },
      { isError: true, text: expect.stringContaining('Interrupted before the call started') }
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

test('setModel() finds what the settings set', async () => {
  const input = channel()
  await ask(['One.'], {
    settings: { env: { ANTHROPIC_API_KEY: 'key-of-a-test' } },
    prompt: input.prompts,
    steer: () => input.say('one'),
    each: async (message, running) => {
      if (message.type !== 'result') return
      await running.setModel('claude-sonnet-4-5')
      input.end()
    }
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
      await expect(running.setPermissionMode('plant' as 'plan')).rejects.toThrow(/did you mean plan/)
      await expect(running.setPermissionMode('bypassPermissions')).rejects.toThrow(/not allowed/)
      input.say('two')
      input.end()
    }
  })
  expect(ofType({ messages }, 'assistant').map(({ message }) => message.model)).toEqual(['scripted', 'another'])
  expect(inputsOf({ events }, 'Stop').map(({ permission_mode }) => permission_mode)).toEqual(['default', 'plan'])
  expect(Object.keys(ofType({ messages }, 'result').at(-1)!.modelUsage)).toEqual(['scripted', 'another'])
})
