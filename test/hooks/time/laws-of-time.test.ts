import * as fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { HookRegistry, later, type HookMessage, type HookResult } from '../../../src/hooks.ts'
import { manualClock } from '../../../src/testing.ts'
import { after, unhandledDuring } from '../../support/hook-kit.ts'
import { bash, loopTurn } from '../../support/hook-inputs.ts'
import { repetitions } from '../../support/seed.ts'

// So many runs take their time on a busy machine.
const MANNERS = [
  'at once',
  'in time',
  'late',
  'never',
  'throws',
  'rejects late',
  'later',
  'later, late',
  'aborts'
] as const

const anyHook = fc.record({
  manner: fc.constantFrom(...MANNERS),
  concurrent: fc.boolean(),
  observe: fc.constantFrom(false, false, false, true),
  grouped: fc.boolean(),
  once: fc.boolean()
})

const isLater = (spec: { manner: string }, name: string, index: number): boolean =>
  name === `hook ${index}` && spec.manner.startsWith('later')

const anyFire = fc.record({
  hooks: fc.array(anyHook, { minLength: 1, maxLength: 6 }),
  abortAt: fc.option(fc.integer({ min: 0, max: 6000 }), { nil: undefined }),
  budget: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  event: fc.constantFrom('PreToolUse' as const, 'PostToolUse' as const)
})

// FM1, FM2, FM7, F99
test('whatever hooks do, and whenever the run is aborted, every fire ends and tells the truth', async () => {
  const unhandled = await unhandledDuring(() =>
    fc.assert(
      fc.asyncProperty(anyFire, async ({ hooks: specs, abortAt, budget, event }) => {
        const clock = manualClock()
        const messages: HookMessage[] = []
        const controller = new AbortController()
        const hooks = new HookRegistry({ clock, budget, sink: message => void messages.push(message) })
        const wait = (ms: number): Promise<void> => new Promise(resolve => void clock.after(ms, resolve))
        const behave = (manner: (typeof MANNERS)[number]): HookResult | Promise<HookResult> => {
          switch (manner) {
            case 'at once':
              return { additionalContext: 'quick' }
            case 'in time':
              return wait(500).then(() => ({ additionalContext: 'slow' }))
            case 'late':
              return wait(2500).then(() => ({ decision: 'deny' }))
            case 'never':
              return new Promise(() => undefined)
            case 'throws':
              throw new Error('broken')
            case 'rejects late':
              return wait(2500).then(() => Promise.reject(new Error('late')))
            case 'later':
              return later(wait(500).then(() => ({ additionalContext: 'later' })))
            case 'later, late':
              return later(
                wait(2500).then(() => Promise.reject(new Error('late'))),
                { asyncTimeout: 1 }
              )
            case 'aborts':
              controller.abort()
              return undefined
          }
        }
        specs.forEach(({ manner, grouped, ...options }, index) => {
          const hook = { name: `hook ${index}`, timeout: 1, run: () => behave(manner), ...options }
          if (grouped) hooks.group(event, '', [hook])
          else hooks.register({ ...hook, events: event })
        })
        if (abortAt !== undefined) clock.after(abortAt, () => controller.abort())

        const input = event === 'PreToolUse' ? bash() : { ...bash(), tool_response: 'ok' }
        const outcome = await after(clock, 20, () =>
          hooks.fire(event, input, { report: true, signal: controller.signal })
        )
        if (outcome === 'waiting') throw new Error('the fire never ended')
        await hooks.drain()
        await loopTurn()

        const watching = new Set(specs.flatMap((spec, index) => (spec.observe ? [`hook ${index}`] : [])))
        const failed = outcome.failures.filter(failure => !watching.has(failure.by))
        expect(outcome.decision).toBe(event === 'PreToolUse' && failed.length > 0 ? 'deny' : undefined)
        expect(new Set(outcome.failures.map(failure => failure.by)).size).toBe(outcome.failures.length)
        for (const { name, status, ran, failure } of outcome.report) {
          expect(failure?.by ?? name).toBe(name)
          // A failure of background work is not a failure of the event, which has already continued.
          const handedOver = event === 'PostToolUse' && specs.some((spec, index) => isLater(spec, name, index))
          if (!handedOver) expect(outcome.failures.some(({ by }) => by === name)).toBe(status === 'failed')
          const told = messages.filter(message => message.hook_name === name).map(message => message.subtype)
          expect(told.filter(subtype => subtype === 'hook_started')).toHaveLength(ran ? 1 : 0)
          expect(told.filter(subtype => subtype === 'hook_response')).toHaveLength(ran ? 1 : 0)
        }
      }),
      { numRuns: repetitions(400) }
    )
  )
  expect(unhandled).toEqual([])
})
