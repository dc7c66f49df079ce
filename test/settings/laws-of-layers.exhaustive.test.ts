/** A project may tighten, and never loosen: laws over any settings of a user, a project and managed policy. */
import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import type { Reported } from '../../src/hooks.ts'
import { anyLayers, INPUTS, lay, outcomeOfLayers } from './any-layers.ts'
import { fireArmed, settingsScene } from './settings-kit.ts'

// So many runs take their time on a busy machine.
const ALONE = { project: false, trusted: false }
const UNTRUSTED = { project: true, trusted: false }
const TRUSTED = { project: true, trusted: true }
const EVENTS = Object.keys(INPUTS) as (keyof typeof INPUTS)[]

const RANK = { deny: 2, ask: 1, defer: 0, allow: 0, none: 0 }
const rank = ({ blocked, decision }: Reported): number => (blocked ? 2 : RANK[decision ?? 'none'])
const brief = ({ decision, blocked, by, reason, failures, profile }: Reported): object => ({
  ...{ decision, blocked, by, reason, profile },
  failures: failures.map(({ kind }) => kind)
})

test('a project that is not trusted never turns a deny or an ask into an allow', async () => {
  const it = settingsScene()
  await fc.assert(
    fc.asyncProperty(anyLayers, fc.constantFrom(...EVENTS), async (layers, event) => {
      lay(it, layers)
      const alone = await outcomeOfLayers(it, ALONE, event)
      const together = await outcomeOfLayers(it, UNTRUSTED, event)
      expect(rank(together), JSON.stringify([brief(alone), brief(together)])).toBeGreaterThanOrEqual(rank(alone))
      if (alone.decision !== 'allow') expect(together.decision).not.toBe('allow')
      // Nor does it add a word of its own; but it may have asked for the strict profile.
      if (together.profile === alone.profile)
        expect(together.contexts.map(({ text }) => text)).toEqual(alone.contexts.map(({ text }) => text))
    }),
    { numRuns: 1_500 }
  )
})

test('a project that is trusted never lifts a deny', async () => {
  const it = settingsScene()
  await fc.assert(
    fc.asyncProperty(anyLayers, fc.constantFrom(...EVENTS), async (layers, event) => {
      lay(it, layers)
      const together = await outcomeOfLayers(it, TRUSTED, event)
      // What would run is what counts, where what hooks have changed is judged again.
      const final = together.profile === 'strict' ? together.updatedInput?.['command'] : undefined
      const alone = await outcomeOfLayers(it, ALONE, event, final as string | undefined)
      if (alone.blocked) expect(together.blocked, JSON.stringify([brief(alone), brief(together)])).toBe(true)
    }),
    { numRuns: 1_500 }
  )
})

test('the same with real processes', async () => {
  await fc.assert(
    fc.asyncProperty(anyLayers, async layers => {
      const it = settingsScene()
      lay(it, layers)
      const untrusted = await it.arm({ projectTrusted: false, owners: ['active'] })
      const alone = await outcomeOfLayers(it, ALONE, 'PreToolUse')
      const together = await fireArmed(untrusted, 'PreToolUse')
      expect(rank(together), JSON.stringify([brief(alone), brief(together)])).toBeGreaterThanOrEqual(rank(alone))
    }),
    { numRuns: 60 }
  )
})
