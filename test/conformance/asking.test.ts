/** What hooks that ask a model have in common with all others: time, aborts, matchers, conditions, order, reports. */
import { describe, expect, test } from 'vitest'
import { agentHook, promptHook, type HookEnvironment, type PromptSpec } from '../../src/external.ts'
import { HookRegistry, type HookMessage, type RegistryOptions } from '../../src/hooks.ts'
import { harness, scriptedModel, type TurnOrMaker } from '../../src/testing.ts'
import { withModel } from '../hooks/kinds/model-drivers.ts'

const YES = '{"ok": true}'
const NO = '{"ok": false, "reason": "not today"}'

const never: TurnOrMaker = () => new Promise(() => undefined)

describe.each([
  ['prompt', promptHook, 30],
  ['agent', agentHook, 60]
] as const)('a hook of the kind %s', (_, make, usual) => {
  const spec = { name: 'hook', events: 'PreToolUse', prompt: 'Is it all right?', continueOnBlock: true } as const

  /** A registry with these hooks, and a model that says this; `asked` tells how often it was asked. */
  async function judging<T>(
    turns: readonly TurnOrMaker[],
    specs: readonly Partial<PromptSpec>[],
    use: (hooks: HookRegistry, asked: () => number, place: HookEnvironment) => Promise<T>,
    options: RegistryOptions = {}
  ): Promise<T> {
    const model = scriptedModel(turns)
    const matchesRule = (rule: string): boolean => rule === 'Bash(git *)'
    return withModel(
      model,
      place => {
        const hooks = new HookRegistry(options)
        for (const more of specs) hooks.register(make({ ...spec, ...more }, place))
        return use(hooks, () => model.requests.length, place)
      },
      { matchesRule }
    )
  }

  const fire = (hooks: HookRegistry, input = {}, options = {}) => harness(hooks).fire('PreToolUse', input, options)

  // FM2
  test('a model that never answers: closed in strict, open and marked in compat, and it is told to stop', async () => {
    for (const profile of ['strict', 'compat'] as const) {
      const stopped = Promise.withResolvers<void>()
      const slow: TurnOrMaker = (_request, signal) =>
        new Promise(() => signal.addEventListener('abort', () => stopped.resolve()))
      const outcome = await judging([slow], [{ timeout: 0.05 }], hooks => fire(hooks), { profile })
      await stopped.promise
      expect(outcome.failures).toMatchObject([{ kind: 'timeout', failedOpen: profile === 'compat' }])
      expect([outcome.blocked, outcome.failedOpen]).toEqual([profile === 'strict', profile === 'compat'])
    }
  })

  test('an answer that comes too late changes nothing', async () => {
    const answer = Promise.withResolvers<string>()
    await judging([() => answer.promise], [{ timeout: 0.05 }], async hooks => {
      const outcome = await fire(hooks)
      const before = JSON.stringify(outcome)
      answer.resolve(NO)
      await answer.promise
      expect(outcome).toMatchObject({ decision: 'deny', failures: [{ kind: 'timeout' }] })
      expect(JSON.stringify(outcome)).toBe(before)
    })
  })

  test('it has its usual time, and less at the end of a session', async () => {
    await judging([], [{ name: 'a' }, { name: 'b', events: 'SessionEnd' }, { name: 'c', timeout: 7 }], async hooks => {
      expect(hooks.list().map(({ timeout }) => timeout)).toEqual([usual, 1.5, 7])
    })
  })

  test('an abort while the model thinks closes the gate', async () => {
    const abort = new AbortController()
    const thinking: TurnOrMaker = () => (abort.abort(), new Promise(() => undefined))
    const outcome = await judging([thinking], [{}], hooks => fire(hooks, {}, { signal: abort.signal }))
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'aborted' }] })
  })

  test('it is asked only where its matcher and its condition fit', async () => {
    await judging([YES], [{ matcher: 'Write' }, { name: 'other', if: 'Bash(npm *)' }], async (hooks, asked) => {
      await fire(hooks, { tool_name: 'Bash' })
      expect(asked()).toBe(0)
      await fire(hooks, { tool_name: 'Write' })
      expect(asked()).toBe(1)
    })
  })

  test('once: until it has neither failed nor refused', async () => {
    await judging([NO, 'what?', YES], [{ once: true }], async (hooks, asked) => {
      for (let count = 0; count < 5; count++) await fire(hooks)
      expect([asked(), hooks.has('hook')]).toEqual([3, false])
    })
  })

  test('two that ask the same are one; two that do not are asked side by side, and the first has the word', async () => {
    await judging([NO], [{}, { name: 'twin' }], async (hooks, asked) => {
      expect((await fire(hooks)).report.map(({ name, ran }) => [name, ran])).toEqual([
        ['hook', false],
        ['twin', true]
      ])
      expect(asked()).toBe(1)
    })
    const both = Promise.withResolvers<void>()
    const waits: TurnOrMaker = async () => (await both.promise, NO)
    const last: TurnOrMaker = () => (both.resolve(), '{"ok": false, "reason": "nor tomorrow"}')
    const outcome = await judging([waits, last], [{}, { name: 'second', prompt: 'And this?' }], hooks => fire(hooks))
    expect(outcome).toMatchObject({ by: 'hook', reason: 'not today' })
    expect(outcome.report.map(({ name, ran }) => [name, ran])).toEqual([
      ['hook', true],
      ['second', true]
    ])
  })

  test('a refusal stands, whatever a function allows', async () => {
    await judging([NO], [{}], async hooks => {
      hooks.on('PreToolUse', () => ({ decision: 'allow' }), { name: 'friend', priority: 10 })
      expect(await fire(hooks)).toMatchObject({ decision: 'deny', by: 'hook' })
    })
  })

  test('onFailure turns round what its failure means', async () => {
    const lax = await judging(['what?'], [{ onFailure: 'continue' }], hooks => fire(hooks))
    expect(lax).toMatchObject({ blocked: false, failedOpen: true })
    const tight = await judging(['what?'], [{ onFailure: 'block' }], hooks => fire(hooks), { profile: 'compat' })
    expect(tight).toMatchObject({ blocked: true, failedOpen: false })
  })

  test('reports and messages say what the model said', async () => {
    const messages: HookMessage[] = []
    const outcome = await judging([NO], [{ statusMessage: 'thinking' }], hooks => fire(hooks), {
      sink: message => messages.push(message)
    })
    expect(outcome.report).toMatchObject([{ name: 'hook', ran: true, matched: true }])
    expect(messages).toMatchObject([
      { subtype: 'hook_started', status_message: 'thinking' },
      { subtype: 'hook_response', outcome: 'success', stdout: NO }
    ])
  })

  test('an observer is asked and decides nothing', async () => {
    await judging([NO], [{ observe: true }], async (hooks, asked) => {
      expect(await fire(hooks)).toMatchObject({ blocked: false })
      expect(asked()).toBe(1)
    })
  })

  test('without an agent there is no one to ask', async () => {
    const hooks = new HookRegistry().register(make(spec))
    expect(await fire(hooks)).toMatchObject({ blocked: true, failures: [{ kind: 'spawn' }] })
  })

  test('what never answers is no burden for the place: it closes', async () => {
    await judging([never], [{}], async (hooks, asked) => {
      void fire(hooks)
      await expect.poll(asked).toBe(1)
    })
  })
})
