import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { EVENT_NAMES, HookRegistry, type EventName } from '../../../src/hooks.ts'
import { anyHooks, anyInput, deepFreeze, microtasks, registryOf } from '../dispatch/any-hooks.ts'
import { sampleOf } from '../../support/hook-kit.ts'
import { callOf } from '../../support/hook-inputs.ts'
import { repetitions } from '../../support/seed.ts'

// So many runs take their time on a busy machine.
describe('the caller’s input is never changed', () => {
  const spoil = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      spoil(inner)
      Object.assign(value, { [key]: 'spoilt' })
    }
    Object.assign(value, { more: 'spoilt' })
  }

  /** Hooks that write to every field that they can change. */
  const spoilers = (event: EventName, late: boolean, concurrent: boolean): HookRegistry => {
    const hooks = new HookRegistry()
    for (const dialect of ['library', 'contract'] as const) {
      hooks.register({
        events: event,
        dialect,
        concurrent,
        run: async ctx => {
          if (late) await null
          for (const part of [ctx.toolInput, ctx.toolResponse, ctx.messages]) spoil(part)
          spoil(ctx.input)
        }
      })
      const sync = (ctx: { toolInput?: unknown; input: unknown }): void => {
        spoil(ctx.toolInput)
        spoil(ctx.input)
      }
      hooks.register({ events: event, dialect, concurrent, run: sync })
      hooks.register({ events: event, dialect, concurrent, observe: true, run: sync })
    }
    return hooks
  }

  test.each(EVENT_NAMES)('by hooks on %s that write wherever they can', async event => {
    for (const [late, concurrent] of [
      [false, false],
      [true, false],
      [true, true]
    ] as const) {
      const input = structuredClone(sampleOf(event))
      const before = structuredClone(input)
      await spoilers(event, late, concurrent).fire(event, input)
      expect(input).toEqual(before)
      await spoilers(event, late, concurrent).fire(event, deepFreeze(input))
      expect(input).toEqual(before)
    }
  })

  test('whatever it holds and whatever hooks do', async () => {
    await fc.assert(
      fc.asyncProperty(anyInput, anyHooks, fc.boolean(), async (toolInput, specs, frozen) => {
        const input = callOf('Any', structuredClone(toolInput))
        const before = structuredClone(input)
        if (frozen) deepFreeze(input)
        const hooks = registryOf(specs, microtasks)
        hooks.on('PreToolUse', ctx => spoil(ctx.toolInput))
        await hooks.fire('PreToolUse', input)
        expect(input).toEqual(before)
        expect(Object.isFrozen(input)).toBe(frozen)
      }),
      { numRuns: repetitions(1000) }
    )
  })
})
