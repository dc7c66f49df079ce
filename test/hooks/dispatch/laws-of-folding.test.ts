import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { ask, HookRegistry, type Decision, type Precedence } from '../../../src/hooks.ts'
import { foldReplies, type DecodedReply } from '../../../src/lib/hooks/dispatch/outcome.ts'
import { deepFreeze } from './any-hooks.ts'
import { repetitions } from '../../support/seed.ts'

// So many runs take their time on a busy machine.
const PRECEDENCES = ['allow-over-ask', 'ask-over-allow'] as const

describe('folding', () => {
  const text = fc.string({ maxLength: 4 })
  const said: fc.Arbitrary<DecodedReply> = fc.record({
    by: fc.constantFrom('a', 'b', 'c'),
    decision: fc.constantFrom<Decision | undefined>(undefined, 'allow', 'ask', 'deny', 'defer'),
    reason: fc.option(text, { nil: undefined }),
    extras: fc.option(
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
  test('in pieces is the same as at once, and changes none of the answers', () => {
    fc.assert(
      fc.property(fc.array(said, { maxLength: 8 }), fc.array(fc.nat(8), { maxLength: 3 }), (answers, cuts) => {
        const kept = deepFreeze(structuredClone(answers))
        const whole = foldReplies(kept)
        const places = [0, ...cuts.map(cut => Math.min(cut, answers.length)).toSorted((a, b) => a - b), answers.length]
        let pieces = foldReplies([])
        for (let index = 1; index < places.length; index++) {
          pieces = foldReplies(kept.slice(places[index - 1], places[index]), deepFreeze(pieces))
        }
        expect(pieces).toEqual(whole)
        expect(kept).toEqual(answers)
      }),
      { numRuns: repetitions(3000) }
    )
  })

  test('gives the strongest decision, in whatever order', () => {
    const strength = [undefined, 'allow', 'ask', 'defer', 'deny'] as const
    fc.assert(
      fc.property(fc.array(said, { maxLength: 6 }), fc.nat(), (answers, turn) => {
        const strongest = Math.max(0, ...answers.map(answer => strength.indexOf(answer.decision)))
        const turned = answers.map((_, index) => answers[(index + turn) % answers.length]!)
        for (const list of [answers, turned, answers.toReversed()])
          expect(foldReplies(list).decision).toBe(strength[strongest])
      }),
      { numRuns: repetitions(3000) }
    )
  })
})

describe('precedence', () => {
  const ORDERS: Record<Precedence, readonly Decision[]> = {
    'allow-over-ask': ['ask', 'allow', 'defer', 'deny'],
    'ask-over-allow': ['allow', 'ask', 'defer', 'deny']
  }
  const strongest = (order: Precedence, decisions: readonly Decision[]): Decision | undefined =>
    ORDERS[order].findLast(decision => decisions.includes(decision))
  const decisions = fc.array(fc.constantFrom<Decision>('allow', 'ask', 'deny', 'defer'), { maxLength: 4 })
  const precedence = fc.constantFrom<Precedence>('allow-over-ask', 'ask-over-allow')
  const call = { tool_name: 'Bash', tool_input: {}, tool_use_id: 'c1' }

  test('S1: hooks fold by the setting they were added under, and across settings an ask wins over an allow', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(precedence, precedence),
        fc.array(fc.tuple(fc.boolean(), fc.constantFrom<Decision>('allow', 'ask', 'deny', 'defer')), { maxLength: 6 }),
        fc.boolean(),
        async ([outer, inner], said, isAsync) => {
          const around = new HookRegistry({ precedence: outer })
          const within = around.scope('files', { precedence: inner })
          for (const [isInner, decision] of said) {
            const run = () => (isAsync ? Promise.resolve({ decision }) : { decision })
            ;(isInner ? within : around).on('PreToolUse', run)
          }
          const group = (wanted: Precedence): readonly Decision[] =>
            said.flatMap(([isInner, decision]) => ((isInner ? inner : outer) === wanted ? [decision] : []))
          const folded = PRECEDENCES.flatMap(each => strongest(each, group(each)) ?? [])
          const { decision } = await within.fire('PreToolUse', call)
          expect(decision).toBe(strongest('ask-over-allow', folded))
        }
      ),
      { numRuns: repetitions(1000) }
    )
  })

  test('S1: the allow of another registry silences no ask, whatever else is said', async () => {
    await fc.assert(
      fc.asyncProperty(decisions, async others => {
        const library = new HookRegistry()
        const files = library.scope('files', { precedence: 'ask-over-allow' })
        for (const decision of others) library.on('PreToolUse', () => ({ decision }))
        files.on('PreToolUse', () => ask('look at it'))
        const { decision } = await files.fire('PreToolUse', call)
        expect(decision).toBe(strongest('ask-over-allow', [...others, 'ask']))
      })
    )
  })

  test('S1: the reason of an allow that wins over an ask is that of the allow', async () => {
    const library = new HookRegistry()
    library.on('PreToolUse', () => ({ decision: 'allow', reason: 'known' }), { name: 'knows' })
    library.on('PreToolUse', () => ask('look'), { name: 'asks' })
    const outcome = await library.scope('files', { precedence: 'ask-over-allow' }).fire('PreToolUse', call)
    expect(outcome).toMatchObject({ decision: 'allow', by: 'knows', reason: 'known' })
    expect(outcome.reasons.map(({ decision }) => decision)).toEqual(['allow', 'ask'])
  })
})
