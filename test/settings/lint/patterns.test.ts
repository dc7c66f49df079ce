/** Patterns from files: a match of any pattern stays within its time limit. */
import { createContext, runInContext } from 'node:vm'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { compileSafely } from '../../../src/lib/settings/lint/patterns.ts'
import { repetitions } from '../../support/seed.ts'

const LONG = 'a'.repeat(10_000)

// R1, R2, R4
describe('patterns that keep others busy for ever', () => {
  test.each([
    ['(a+)+$', `${LONG}!`, false],
    ['^(a+)+$', LONG, true],
    ['(a|aa)+$', `${LONG}!`, false],
    ['(a|a?)+b$', `${LONG}!`, false],
    ['(.*a){25}$', `${LONG}!`, false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', LONG, false],
    ['(?:(?:(?:a|b)*)*)*$', `${LONG}!`, true],
    ['(?:(?:(?:a|b)*)*)*c$', `${LONG}!`, false],
    ['^(?:a?){500}a{500}$', 'a'.repeat(500), true],
    ['(x+x+)+y', 'x'.repeat(10_000), false]
  ])('%s', (source, text, matches) => {
    expect(compileSafely(source).test(text)).toBe(matches)
  })
})

describe('a leading negation', () => {
  test.each([
    ['^(?!Bash)', { Bash: false, BashOutput: false, Edit: true, '': true }],
    ['^(?!Bash$)', { Bash: false, BashOutput: true, Edit: true }],
    ['^(?!Bash$).*', { Bash: false, BashOutput: true, Edit: true }],
    ['^(?!Bash$).*$', { Bash: false, Edit: true }],
    ['^(?!(Bash|Edit)$).*$', { Bash: false, Edit: false, Write: true }],
    ['^(?!Bash|Edit)', { Bash: false, Edit: false, NotebookEdit: true }],
    ['^(?!mcp__).*', { mcp__a__b: false, Bash: true }],
    ['^(?!.*Edit)', { NotebookEdit: false, Edit: false, Write: true }],
    ['^(?!)', { Bash: false, '': false }],
    ['^(?![)])', { ')': false, '(': true }],
    ['^(?!\\))', { ')': false, a: true }],
    // A second group is no part of the negation.
    ['^(?!Bash)(Edit|Write)', { Bash: false, Edit: true, Write: true, Read: false }],
    ['^(?!A)(B)|(C)', { A: false, B: true, C: true, D: false }],
    ['^(?!a)(?!b)', { a: false, b: false, c: true }]
  ])('%s', (source, expected) => {
    const pattern = compileSafely(source)
    const found = Object.fromEntries(Object.keys(expected).map(text => [text, pattern.test(text)]))
    expect(found).toEqual(expected)
  })

  test('takes no longer than it should, either', () => {
    expect(compileSafely('^(?!(a+)+$)').test(`${LONG}!`)).toBe(true)
    expect(compileSafely('^(?!(a+)+$).*$').test(LONG)).toBe(false)
  })
})

describe('other ways of looking around', () => {
  test.each([
    ['(?=.*Edit)Note', { NotebookEdit: true, Notes: false }],
    ['(?<=Notebook)Edit', { NotebookEdit: true, Edit: false }],
    ['(?<!Notebook)Edit', { NotebookEdit: false, Edit: true }],
    ['Edit(?!or)', { Editor: false, Edit: true }],
    ['(a)\\1', { aa: true, a: false }]
  ])('%s does what it says', (source, expected) => {
    const pattern = compileSafely(source)
    const found = Object.fromEntries(Object.keys(expected).map(text => [text, pattern.test(text)]))
    expect(found).toEqual(expected)
  })

  // R1
  test.each(['(?=(a+)+$)a', '(?<!b)(a+)+$', '(a+)+\\1$', '(?=a)(a|aa)+$'])(
    '%s thinks too long: then it matches, and the hook runs',
    source => {
      const pattern = compileSafely(source)
      for (let time = 0; time < 2; time++) expect(pattern.test(`${LONG}!`)).toBe(true)
      // It has not lost its mind over it.
      expect(pattern.test('zz')).toBe(false)
    }
  )
})

// R5
test.each([
  '[',
  '(',
  ')',
  '(?<',
  '\\',
  '*',
  '+x',
  'a**',
  'a{2,1}',
  '(?P<n>a)',
  '(?i)bash',
  '[z-a]',
  '(?<n>a)(?<n>b)',
  '(?'
])('%s is no pattern', source => {
  expect(() => compileSafely(source)).toThrow(/./)
})

// R10
test('a pattern of a megabyte is none', () => {
  expect(() => compileSafely('(a)'.repeat(350_000))).toThrow('longer than')
})

test('a pattern remembers nothing', () => {
  for (const source of ['a', '^(?!b)', '(?=a)a']) {
    const pattern = compileSafely(source)
    expect([1, 2, 3].map(() => pattern.test('a'))).toEqual([true, true, true])
  }
})

/** Patterns of these pieces, put together in all the ways there are. */
const patternsOf = (...atoms: readonly string[]): fc.Arbitrary<string> =>
  fc.letrec<{ pattern: string; piece: string; repeated: string }>(tie => ({
    repeated: fc
      .tuple(tie('piece'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?', '+?', '??'))
      .map(parts => parts.join('')),
    piece: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...atoms),
      tie('pattern').map(inner => `(?:${inner})`),
      tie('pattern').map(inner => `(${inner})`)
    ),
    pattern: fc.oneof(
      fc.array(tie('repeated'), { maxLength: 4 }).map(parts => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map(parts => parts.join('|'))
    )
  })).pattern

const textsOf = (...letters: readonly string[]): fc.Arbitrary<string[]> =>
  fc.array(fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 }), { minLength: 1, maxLength: 8 })

const PLAIN = ['a', 'b', 'A', '0', '_', '-', ' ', '.', '^', '$', '\\b', '\\B', '\\/', '\\w', '\\W', '\\d', '\\D', '\\s']
const CLASSES = ['\\S', '\\x61', '\\-', '[ab]', '[^ab]', '[a-z]', '[^\\w]', '[\\s-]', '[.^$]', '(?:)', '(?i:ab)', ']']
/** What engines differ about. */
const ODD = [
  ...['\\A', '\\z', '\\Z', '\\Q', '\\E', '\\a', '\\e', '\\h', '\\pL', '\\C', '\\1', '\\8', '\\_', '\\n', '\\v', '\\0'],
  ...['\\u0061', '\\cA', '[]', '[^]', '[[:alpha:]]', '[a[:alpha:]]', '[a&&b]', '[\\b]', '{', '}', 'a{', 'a{1', 'a{,2}']
]
const LETTERS = ['a', 'b', 'A', 'B', '0', '_', '-', ' ']
const ODD_LETTERS = ['é', '\n', '\r', '\v', '\u00A0', '\u2028', '😀', 'K', '\0']

const COMPARISON = createContext({ __proto__: null })

/** What RegExp says about these texts, unless it does not say it soon: its time may double with each letter. */
function answersOf(native: RegExp, texts: readonly string[]): readonly boolean[] | undefined {
  try {
    Object.assign(COMPARISON, { native, texts })
    return runInContext('texts.map(text => native.test(text))', COMPARISON, { timeout: 1_000 }) as boolean[]
  } catch (error) {
    expect(error).toHaveProperty('code', 'ERR_SCRIPT_EXECUTION_TIMEOUT')
    return undefined
  }
}

const compiled = (source: string): RegExp | undefined => {
  try {
    return new RegExp(source)
  } catch {
    return undefined
  }
}

describe('it means what RegExp means', () => {
  // R1
  test('where names and patterns are plain', () => {
    fc.assert(
      fc.property(patternsOf(...PLAIN, ...CLASSES), textsOf(...LETTERS), (source, texts) => {
        const native = compiled(source)
        if (native === undefined) {
          expect(() => compileSafely(source)).toThrow(/./)
          return
        }
        const safe = compileSafely(source)
        const answers = answersOf(native, texts)
        fc.pre(answers !== undefined)
        expect(texts.map(text => safe.test(text))).toEqual(answers)
      }),
      { numRuns: repetitions(5_000) }
    )
  })

  test('in a negation', () => {
    const end = fc.constantFrom('', '.*', '.*$')
    fc.assert(
      fc.property(patternsOf(...PLAIN, ...CLASSES), end, textsOf(...LETTERS), (inner, rest, texts) => {
        const source = `^(?!${inner})${rest}`
        const native = compiled(source)
        if (native === undefined) return
        const safe = compileSafely(source)
        const answers = answersOf(native, texts)
        fc.pre(answers !== undefined)
        expect(texts.map(text => safe.test(text))).toEqual(answers)
      }),
      { numRuns: repetitions(2_000) }
    )
  })

  // Here it may give up on a machine that is busy; then it matches.
  test('whatever they hold, it misses nothing', () => {
    const around = fc.constantFrom(['', ''], ['^(?!', ')'], ['^(?!', ')(a)'], ['^(?!b)', ''], ['^(?!a)(b)|(', ')'])
    const patterns = patternsOf(...PLAIN, ...CLASSES, ...ODD)
    fc.assert(
      fc.property(patterns, around, textsOf(...LETTERS, ...ODD_LETTERS), (inner, [before, after], texts) => {
        const source = `${before}${inner}${after}`
        const native = compiled(source)
        if (native === undefined) return
        const safe = compileSafely(source)
        const answers = answersOf(native, texts)
        fc.pre(answers !== undefined)
        expect(texts.filter((text, index) => answers[index] === true && !safe.test(text))).toEqual([])
      }),
      { numRuns: repetitions(3_000) }
    )
  })
})
