import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { EVENT_NAMES, HookRegistry, type Outcome, type Reply } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { anyHooks, anyInput, microtasks, registryOf, type HookBehaviour, type HookSpec } from './any-hooks.ts'
import { fireSample } from '../../support/hook-kit.ts'
import { callOf } from '../../support/hook-inputs.ts'
import { SEED, repetitions, seeded } from '../../support/seed.ts'

// So many runs take their time on a busy machine.
const PRECEDENCES = ['allow-over-ask', 'ask-over-allow'] as const

describe('nothing said changes nothing', () => {
  const NOTHING: readonly Reply[] = [
    {},
    { decision: undefined },
    { decision: '' },
    { suppressOutput: false },
    { suppressLogging: false },
    { updatedInput: null },
    { additionalContext: undefined },
    { hookSpecificOutput: {} },
    { async: true },
    { ...({ unknown_key: 7 } as Reply) }
  ]
  const hook = fc.record({
    reply: fc.constantFrom<Reply | undefined | null>(undefined, null, ...NOTHING),
    late: fc.boolean(),
    concurrent: fc.boolean(),
    observe: fc.boolean(),
    looks: fc.boolean(),
    dialect: fc.constantFrom('library' as const, 'contract' as const)
  })

  test.each(EVENT_NAMES)('on %s', async event => {
    const neutral = await fireSample(new HookRegistry(), event)
    await fc.assert(
      fc.asyncProperty(fc.array(hook, { maxLength: 5 }), async specs => {
        const hooks = new HookRegistry()
        for (const { reply, late, looks, ...options } of specs) {
          const run = (ctx: { toolInput?: unknown; prompt?: unknown; messages: unknown }) => {
            if (looks) void [ctx.toolInput, ctx.prompt, ctx.messages]
            return late ? Promise.resolve(reply) : reply
          }
          hooks.register({ events: event, run, ...options })
        }
        expect(await fireSample(hooks, event)).toEqual(neutral)
      }),
      { numRuns: repetitions(60) }
    )
  })

  test('nor does an input that is given back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(anyInput, fc.boolean(), async (input, concurrent) => {
        const hooks = new HookRegistry()
        hooks.register({ events: 'PreToolUse', concurrent, run: () => ({ updatedInput: structuredClone(input) }) })
        hooks.register({
          events: 'PreToolUse',
          concurrent,
          run: ctx => void (ctx.toolInput = structuredClone(ctx.toolInput))
        })
        expect((await hooks.fire('PreToolUse', callOf('Any', input))).updatedInput).toBeUndefined()
      })
    )
  })
})

const BREAKS = new Set<HookBehaviour>(['deny', 'throw', 'nonsense'])
const peaceful = anyHooks.map(specs => specs.filter(spec => !BREAKS.has(spec.behaviour)))

const isDeny = (spec: HookSpec): boolean => spec.behaviour === 'deny' && !spec.observe

describe('a deny is never lost', () => {
  // FM37
  test('whatever others say, in whatever order, however late', async () => {
    const withDeny = fc.tuple(anyHooks, fc.nat(), fc.nat(4)).map(([specs, place, ticks]) => {
      const denier: HookSpec = {
        behaviour: 'deny',
        key: 'a',
        value: 0,
        ticks,
        concurrent: false,
        priority: 0,
        observe: false
      }
      return specs.toSpliced(place % (specs.length + 1), 0, denier)
    })
    await fc.assert(
      fc.asyncProperty(withDeny, fc.constantFrom(...PRECEDENCES), async (specs, precedence) => {
        const hooks = registryOf(specs, microtasks, { precedence })
        const outcome = await hooks.fire('PreToolUse', callOf('Any', { a: 1, b: 2 }))
        expect(outcome).toMatchObject({ decision: 'deny', blocked: true })
        const denials = outcome.reasons.filter(
          ({ decision, reason }) => decision === 'deny' && reason?.startsWith('deny by')
        )
        expect(denials).toHaveLength(specs.filter(isDeny).length)
      }),
      { numRuns: repetitions(2000) }
    )
  })

  // FM37
  test('nor made up: without one, and without a failure, there is none', async () => {
    await fc.assert(
      fc.asyncProperty(peaceful, async specs => {
        const outcome = await registryOf(specs, microtasks).fire('PreToolUse', callOf('Any', { a: 1 }))
        expect(outcome.decision).not.toBe('deny')
        expect(outcome.failures).toEqual([])
      }),
      { numRuns: repetitions(500) }
    )
  })
})

describe('the outcome does not depend on who was fastest', () => {
  const outcomeWith = async (specs: readonly HookSpec[], latencies: readonly number[]): Promise<Outcome> => {
    const timed = specs.map((spec, index) => ({ ...spec, ticks: latencies[index % latencies.length]! }))
    return registryOf(timed, microtasks).fire('PreToolUse', callOf('Any', { a: 1, b: 2 }))
  }

  test('for any hooks', async () => {
    const latencies = fc.array(fc.nat(6), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyHooks, latencies, latencies, async (specs, some, others) => {
        expect(await outcomeWith(specs, others)).toEqual(await outcomeWith(specs, some))
      }),
      { numRuns: repetitions(1000) }
    )
  })

  // FM27
  test('for hooks side by side that rewrite the same input, over a thousand shuffles', async () => {
    const side = { concurrent: true, observe: false, priority: 0, ticks: 0 } as const
    const specs: readonly HookSpec[] = [
      { ...side, behaviour: 'allow', key: 'a', value: 0, concurrent: false },
      { ...side, behaviour: 'rewrite', key: 'a', value: 1 },
      { ...side, behaviour: 'edit', key: 'b', value: 2 },
      { ...side, behaviour: 'rewrite', key: 'a', value: 3 },
      { ...side, behaviour: 'drop', key: 'c', value: 0 },
      { ...side, behaviour: 'context', key: 'a', value: 4 },
      { ...side, behaviour: 'ask', key: 'a', value: 5, concurrent: false }
    ]
    const seen = new Set<string>()
    const random = seeded(SEED)
    for (let round = 0; round < 1000; round++) {
      const clock = manualClock()
      const wait = (): Promise<void> => new Promise(resolve => void clock.after(1 + Math.floor(random() * 5), resolve))
      const hooks = registryOf(
        specs.map(spec => ({ ...spec, ticks: 1 })),
        wait,
        { clock }
      )
      const fired = hooks.fire('PreToolUse', callOf('Any', { a: 0, b: 0, c: 0 }))
      await clock.advance(0.1)
      seen.add(JSON.stringify(await fired))
    }
    expect([...seen].map(text => JSON.parse(text) as unknown)).toMatchObject([
      {
        decision: 'allow',
        updatedInput: { a: 3, b: 2 },
        additionalContext: 'context 4',
        conflicts: [{ key: 'a' }],
        failures: []
      }
    ])
  })
})

// FM28
test('what runs is what every gate judged last', async () => {
  const gates = fc.array(fc.record({ place: fc.nat(), ticks: fc.nat(3), concurrent: fc.boolean() }), {
    minLength: 1,
    maxLength: 3
  })
  await fc.assert(
    fc.asyncProperty(peaceful, gates, async (specs, added) => {
      const input = { a: 1, b: 2 }
      const judged = new Map<string, unknown>()
      const hooks = new HookRegistry()
      for (let index = 0; index <= specs.length; index++) {
        added.forEach(({ place, ticks, concurrent }, gate) => {
          if (place % (specs.length + 1) !== index) return
          const look = async (ctx: { toolInput: object }): Promise<void> => {
            await microtasks(ticks)
            judged.set(`gate ${gate}`, structuredClone(ctx.toolInput))
          }
          hooks.register({ name: `gate ${gate}`, events: 'PreToolUse', concurrent, run: look })
        })
        registryOf(specs.slice(index, index + 1), microtasks, {}, hooks, index)
      }
      const outcome = await hooks.fire('PreToolUse', callOf('Any', input))
      expect(judged.size).toBe(added.length)
      for (const seen of judged.values()) expect(seen).toEqual(outcome.updatedInput ?? input)
    }),
    { numRuns: 1000 }
  )
})
