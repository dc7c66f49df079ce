/** A switch of the model: PreModelSwitch hooks decide about it, PostModelSwitch hooks learn of it. */
import { describe, expect, test } from 'vitest'
import { ask as askPerson, deny, type HookRegistry, type QueryOptions } from '../../src/index.ts'
import { manualClock, scriptedModel } from '../../src/testing.ts'
import {
  ask,
  type Asked,
  informed,
  inputsOf,
  ofType,
  project,
  prompted,
  registry,
  words
} from '../support/agent-kit.ts'
import { commandOn, prints, refuses } from '../support/command-settings.ts'

const USAGE = { input_tokens: 1000, output_tokens: 20 }
const PRICE = { input: 1, output: 5, cacheWrite: 2, cacheRead: 0.1 }

/** One prompt, the switch, one more prompt. `refused`: what the caller was told. */
async function switching(fill: (hooks: HookRegistry) => unknown, more: QueryOptions = {}) {
  let refused: unknown
  const told = Promise.withResolvers<void>()
  const next = scriptedModel(['From another.'], { name: 'another', price: PRICE })
  const asked: Asked = await ask([{ text: 'One.', usage: USAGE }, 'Two.'], {
    hooks: registry(fill),
    ...more,
    prompt: (async function* () {
      yield prompted('one')
      await told.promise
      yield prompted('two')
    })(),
    each: async (message, running) => {
      if (message.type !== 'result' || message.result !== 'One.') return
      await running.setModel(next).catch((error: unknown) => (refused = error))
      told.resolve()
    }
  })
  return { ...asked, next, refused, models: ofType(asked, 'assistant').map(({ message }) => message.model) }
}

test('both events say from where, to where, who asked and what it costs; context reaches the next request', async () => {
  const { models, events, refused, next } = await switching(hooks =>
    hooks.on('PostModelSwitch', 'another', () => ({ additionalContext: 'You are another now.' }))
  )
  expect([refused, models]).toEqual([undefined, ['scripted', 'another']])
  const about = {
    from_model: 'scripted',
    to_model: 'another',
    requested_model: null,
    source: 'sdk',
    context_tokens: 1020,
    prompt_cache_warm: true,
    cache_ttl: '5m',
    estimated_cache_write_usd: 0.00204,
    pricing: 'configured'
  }
  expect(inputsOf({ events }, 'PreModelSwitch')).toMatchObject([about])
  expect(inputsOf({ events }, 'PostModelSwitch')).toMatchObject([about])
  expect(next.requests[0]!.messages.map(words).join()).toContain('You are another now.')
})

test('what a PostModelSwitch command prints is read by the new model', async () => {
  const next = scriptedModel(['One.'], { name: 'another' })
  await ask(['One.'], {
    settings: commandOn('PostModelSwitch', 'echo Speak French from now on.'),
    prompt: (async function* () {
      yield prompted('one')
    })(),
    steer: running => running.setModel(next)
  })
  expect(next.requests[0]!.messages.map(words).join()).toContain('Speak French from now on.')
})

describe('the model stays, and the caller is told why,', () => {
  test.each<[string, (hooks: HookRegistry) => unknown, RegExp]>([
    [
      'if a hook refuses',
      hooks => hooks.on('PreModelSwitch', () => deny('too dear'), { name: 'thrift' }),
      /thrift: too dear/
    ],
    ['if a hook throws', hooks => hooks.on('PreModelSwitch', () => Promise.reject(new Error('kaput'))), /kaput/],
    ['if a reply is invalid', hooks => hooks.on('PreModelSwitch', () => ({ decision: 'maybe' as 'deny' })), /maybe/],
    [
      'if a hook defers',
      hooks => hooks.on('PreModelSwitch', () => ({ decision: 'defer' })),
      /cannot be answered with defer/
    ],
    [
      'if a hook asks: no person is behind a method',
      hooks => hooks.on('PreModelSwitch', () => askPerson('sure?')),
      /sure\? \(only \/model/
    ]
  ])('%s', async (_, fill, why) => {
    const { models, refused, names } = await switching(fill)
    expect(models).toEqual(['scripted', 'scripted'])
    expect(refused).toMatchObject({ code: 'E_REFUSED', message: expect.stringMatching(why) })
    expect((refused as Error).message).toMatch(/^the switch to another was refused by /)
    expect(names).not.toContain('PostModelSwitch')
  })

  test.each(['strict', 'compat'] as const)('if a hook does not answer, in the %s profile', async profile => {
    const clock = manualClock()
    const { models, refused } = await switching(
      hooks => hooks.on('PreModelSwitch', () => (void clock.advance(61), new Promise(() => {})), { name: 'deaf' }),
      { clock, profile }
    )
    expect(models).toEqual(['scripted', 'scripted'])
    expect(refused).toMatchObject({ message: expect.stringContaining('gave no answer within 60 s') })
  })

  test.each([
    ['exit code 2', refuses('too dear'), /too dear/],
    [
      'permissionDecision',
      prints({
        hookSpecificOutput: {
          hookEventName: 'PreModelSwitch',
          permissionDecision: 'deny',
          permissionDecisionReason: 'no'
        }
      }),
      /: no/
    ],
    ['a crash', 'exit 1', /exit code 1/]
  ])('if a command says so: %s', async (_, command, why) => {
    const { models, refused } = await switching(() => undefined, {
      settings: commandOn('PreModelSwitch', command, 'another')
    })
    expect(models).toEqual(['scripted', 'scripted'])
    expect(refused).toMatchObject({ message: expect.stringMatching(why) })
  })
})

describe('/model', () => {
  const settings = { env: { ANTHROPIC_API_KEY: 'key-of-a-test' } }
  const asking = () =>
    registry(hooks => hooks.on('PreModelSwitch', 'claude-haiku-5-5', () => askPerson('sure?'), { name: 'thrift' }))

  test('says what it was asked for, and has the price of the list', async () => {
    const { events, result } = await ask([], { settings, prompt: '/model claude-opus-4-5' })
    expect(result).toMatchObject({ is_error: false, result: 'The model is now claude-opus-4-5.' })
    expect(inputsOf({ events }, 'PreModelSwitch')).toMatchObject([
      { requested_model: 'claude-opus-4-5', source: 'command', context_tokens: 0, prompt_cache_warm: false }
    ])
    expect(inputsOf({ events }, 'PostModelSwitch')).toMatchObject([
      { pricing: 'catalog', estimated_cache_write_usd: 0 }
    ])
  })

  test('ends with the reason if a hook refuses', async () => {
    const hooks = registry(it => it.on('PreModelSwitch', () => deny('too dear'), { name: 'thrift' }))
    const asked = await ask([], { settings, hooks, prompt: '/model claude-opus-4-5' })
    const why = 'the switch to claude-opus-4-5 was refused by thrift: too dear'
    expect(asked.result).toMatchObject({ is_error: true, result: why })
    expect(informed(asked)).toContain(`/model: ${why}`)
  })

  test.each([
    ['yes', { behavior: 'allow' } as const, { is_error: false }],
    [
      'no',
      { behavior: 'deny', message: 'not now' } as const,
      { is_error: true, result: 'the switch to claude-haiku-5-5 was refused by the user: not now' }
    ],
    [
      'no, without a word',
      { behavior: 'deny' } as const,
      { is_error: true, result: 'the switch to claude-haiku-5-5 was refused by the user: thrift had asked: sure?' }
    ]
  ])('asks a person if a hook asks: %s', async (_, answer, expected) => {
    const questions: unknown[] = []
    const { result } = await ask([], {
      settings,
      hooks: asking(),
      prompt: '/model haiku',
      canUseTool: async (name, input) => {
        questions.push([name, input])
        return answer
      }
    })
    expect(result).toMatchObject(expected)
    const about = {
      from_model: 'scripted',
      to_model: 'claude-haiku-5-5',
      requested_model: 'haiku',
      context_tokens: 0,
      estimated_cache_write_usd: 0
    }
    expect(questions).toMatchObject([['SwitchModel', about]])
  })

  test('stays if no one can be asked', async () => {
    const { result } = await ask([], { settings, hooks: asking(), prompt: '/model claude-haiku-5-5' })
    expect(result).toMatchObject({
      is_error: true,
      result: expect.stringContaining('refused by thrift: sure? (it asks, and there is no one to ask)')
    })
  })
})

describe('a session that is resumed', () => {
  /** The first run has the model `one`, which its provider calls by another name where `called` gives one. */
  async function resumed(model: string, { turns = ['One.'], called = 'one', more = {} }: Resumed = {}) {
    const place = project({ 'a.txt': 'a' })
    const given = scriptedModel(turns, { name: 'one' })
    const first = {
      ...given,
      ask: async (...about: Parameters<typeof given.ask>) => ({ ...(await given.ask(...about)), model: called })
    }
    const options = { in: place, persistSession: true }
    const { result } = await ask(first, options)
    const resume = result.session_id
    const second = scriptedModel(['Two.'], { name: model, price: PRICE })
    return {
      ...(await ask(second, { ...options, ...more, resume })),
      again: (it: string) => ask(scriptedModel(['Three.'], { name: it }), { ...options, resume })
    }
  }
  interface Resumed {
    readonly turns?: Parameters<typeof scriptedModel>[0]
    readonly called?: string
    readonly more?: QueryOptions
  }

  test('with another model says so once, after SessionStart; context reaches that model', async () => {
    const hooks = registry(it => it.on('PostModelSwitch', 'two', () => ({ additionalContext: 'You are two now.' })))
    const { events, names, sent, again } = await resumed('two', {
      turns: [{ text: 'One.', usage: USAGE }],
      more: { hooks }
    })
    expect(names.slice(0, 3)).toEqual(['SessionStart', 'PostModelSwitch', 'UserPromptSubmit'])
    expect(inputsOf({ events }, 'PostModelSwitch')).toMatchObject([
      {
        from_model: 'one',
        to_model: 'two',
        requested_model: null,
        source: 'resume',
        context_tokens: 1020,
        prompt_cache_warm: true,
        estimated_cache_write_usd: 0.00204,
        pricing: 'configured'
      }
    ])
    expect(sent[0]!.map(words).join()).toContain('You are two now.')
    expect((await again('two')).names).not.toContain('PostModelSwitch')
    expect(inputsOf(await again('one'), 'PostModelSwitch')).toMatchObject([{ from_model: 'two', to_model: 'one' }])
  })

  test('as a copy says so as well', async () => {
    const { events } = await resumed('two', { more: { forkSession: true } })
    expect(inputsOf({ events }, 'PostModelSwitch')).toMatchObject([{ from_model: 'one', source: 'resume' }])
  })

  test('with the same model says nothing, also if its provider gives it another name', async () => {
    expect((await resumed('one')).names).not.toContain('PostModelSwitch')
    expect((await resumed('one', { called: 'one-20261101' })).names).not.toContain('PostModelSwitch')
    expect((await resumed('two', { called: 'two' })).names).toContain('PostModelSwitch')
  })

  test.each(['/compact', '/clear'])('knows its model also after %s', async command => {
    const place = project()
    const options = { in: place, persistSession: true }
    const { result } = await ask(scriptedModel(['One.'], { name: 'one' }), options)
    const resume = result.session_id
    await ask(scriptedModel(['Summary.'], { name: 'one' }), { ...options, resume, prompt: command })
    const { events } = await ask(scriptedModel(['Two.'], { name: 'two' }), { ...options, resume })
    expect(inputsOf({ events }, 'PostModelSwitch')).toMatchObject([{ from_model: 'one', to_model: 'two' }])
  })
})
