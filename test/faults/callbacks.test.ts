import { expect, test } from 'vitest'
import { HookRegistry, type HookFunction } from '../../src/hooks.ts'
import { manualClock } from '../../src/testing.ts'
import { effectOf, fireFault, HOOK } from './scene.ts'
import { FAULTS } from './table.ts'
import { PROFILES } from '../support/hook-inputs.ts'

const CAUSES: Readonly<Record<string, readonly HookFunction[]>> = {
  'it throws, or its promise is rejected': [
    () => {
      throw new Error('kaput')
    },
    () => Promise.reject(new Error('kaput'))
  ],
  'it returns an invalid reply': [() => 'yes' as never, async () => [] as never],
  'it never answers': [() => new Promise(() => {})]
}

// FM1, FM2
test.each(FAULTS.filter(({ kinds }) => kinds.join() === 'callback'))('a callback: $fault', async fault => {
  expect(CAUSES[fault.fault]?.length).toBeGreaterThan(0)
  for (const run of CAUSES[fault.fault]!) {
    for (const profile of PROFILES) {
      for (const event of ['PreToolUse', 'PostToolUse'] as const) {
        const clock = manualClock()
        const hooks = new HookRegistry({ profile, clock })
        hooks.register({ name: HOOK, events: event, timeout: 1, run })
        const outcome = fireFault(hooks, { event })
        await clock.advance(1)
        expect(effectOf(await outcome)).toBe(event === 'PreToolUse' ? fault[profile] : fault.elsewhere)
      }
    }
  }
})
