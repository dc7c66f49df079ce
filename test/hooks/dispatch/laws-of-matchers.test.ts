import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { HookRegistry, type Outcome } from '../../../src/hooks.ts'
import { callOf } from '../../support/hook-inputs.ts'
import { repetitions } from '../../support/seed.ts'

// This number of runs takes long on a busy machine.
describe('matchers', () => {
  const letters = 'abcXYZ019_-'.split('')
  // Old names are aliases of new ones; separate tests cover them.
  const name = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 })
  const gap = fc.constantFrom('', ' ', '  ')
  const takes = (matcher: string | readonly string[], target: string): boolean => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => ({ decision: 'deny' }))
    return (hooks.fire('PreToolUse', callOf(target)) as Outcome).blocked
  }

  // F86
  test('a list of names takes exactly its names', () => {
    const list = fc.array(fc.tuple(name, gap, gap), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(list, fc.constantFrom('|', ','), name, (parts, joint, other) => {
        const names = parts.map(([part]) => part)
        const written = parts.map(([part, before, behind]) => `${before}${part}${behind}`).join(joint)
        for (const target of [...names, other, `${names[0]}x`, `x${names[0]}`, names.join('|')]) {
          expect(takes(written, target)).toBe(names.includes(target))
          expect(takes(names, target)).toBe(names.includes(target))
        }
      }),
      { numRuns: repetitions(300) }
    )
  })

  // F88
  test('a glob takes what begins and ends so', () => {
    fc.assert(
      fc.property(name, name, name, (head, middle, tail) => {
        expect(takes(`${head}*`, `${head}${middle}`)).toBe(true)
        expect(takes(`${head}*`, head)).toBe(true)
        expect(takes(`*${tail}`, `${middle}${tail}`)).toBe(true)
        expect(takes(`${head}*${tail}`, `${head}${middle}${tail}`)).toBe(true)
        expect(takes(`${head}*`, middle)).toBe(middle.startsWith(head))
        expect(takes(`*${tail}`, middle)).toBe(middle.endsWith(tail))
      }),
      { numRuns: repetitions(300) }
    )
  })
})
