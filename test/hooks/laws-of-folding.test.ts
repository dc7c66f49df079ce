import * as fc from '../support/fast-check.ts'
import { describe, expect, test, vi } from 'vitest'
import { type Decision, type Precedence } from '../../src/hooks.ts'
import { fold, type Said } from '../../src/lib/hooks/outcome.ts'
import { deepFreeze } from './any-hooks.ts'

// So many runs take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const PRECEDENCES = ['allow-over-ask', 'ask-over-allow'] as const

describe('folding', () => {
  const text = fc.string({ maxLength: 4 })
  const said: fc.Arbitrary<Said> = fc.record({
    by: fc.constantFrom('a', 'b', 'c'),
    decision: fc.constantFrom<Decision | undefined>(undefined, 'allow', 'ask', 'deny', 'defer'),
    reason: fc.option(text, { nil: undefined }),
    rest: fc.option(
      fc.record(
        {
          continue: fc.boolean(),
          stopReason: text,
          suppressOutput: fc.boolean(),
          suppressLogging: fc.boolean(),
          systemMessages: fc.array(
            fc.record({ by: text, text, to: fc.constantFrom('model' as const, 'user' as const) }),
            { maxLength: 2 }
          ),
          contexts: fc.array(fc.record({ by: text, text }), { maxLength: 2 }),
          fields: fc.dictionary(fc.constantFrom('sessionTitle', 'retry', 'interrupt'), fc.integer(), { maxKeys: 3 })
        },
        { requiredKeys: [] }
      ),
      { nil: undefined }
    )
  })
  const order = fc.constantFrom<Precedence>(...PRECEDENCES)

  test('in pieces is the same as at once, and changes none of the answers', () => {
    fc.assert(
      fc.property(
        fc.array(said, { maxLength: 8 }),
        fc.array(fc.nat(8), { maxLength: 3 }),
        order,
        (answers, cuts, precedence) => {
          const kept = deepFreeze(structuredClone(answers))
          const whole = fold(kept, precedence)
          const places = [
            0,
            ...cuts.map(cut => Math.min(cut, answers.length)).toSorted((a, b) => a - b),
            answers.length
          ]
          let pieces = fold([], precedence)
          for (let index = 1; index < places.length; index++) {
            pieces = fold(kept.slice(places[index - 1], places[index]), precedence, deepFreeze(pieces))
          }
          expect(pieces).toEqual(whole)
          expect(kept).toEqual(answers)
        }
      ),
      { numRuns: 3000 }
    )
  })

  test('gives the strongest decision, in whatever order', () => {
    const strength: Record<Precedence, readonly (Decision | undefined)[]> = {
      'allow-over-ask': [undefined, 'ask', 'allow', 'defer', 'deny'],
      'ask-over-allow': [undefined, 'allow', 'ask', 'defer', 'deny']
    }
    fc.assert(
      fc.property(fc.array(said, { maxLength: 6 }), order, fc.nat(), (answers, precedence, seed) => {
        const strongest = Math.max(0, ...answers.map(answer => strength[precedence].indexOf(answer.decision)))
        const turned = answers.map((_, index) => answers[(index + seed) % answers.length]!)
        for (const list of [answers, turned, answers.toReversed()]) {
          expect(fold(list, precedence).decision).toBe(strength[precedence][strongest])
        }
      }),
      { numRuns: 3000 }
    )
  })
})
