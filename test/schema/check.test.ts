import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { checkInput } from '../../src/lib/schema/check.ts'
import { tableSchema } from '../../src/lib/schema/json-schema.ts'
import type { FieldTable, Infer } from '../../src/lib/schema/table.ts'

const FIELDS = {
  name: { type: 'string', words: 'A name' },
  'size?': { type: 'integer', min: 1, max: 9, words: 'A size' },
  'part?': { type: 'number', words: 'A part' },
  'all?': { type: 'boolean', default: false, words: 'All' },
  'mode?': { type: ['fast', 'slow'], default: 'fast', words: 'A mode' }
} as const satisfies FieldTable

/** What is wrong with it. */
function problem(input: unknown): string {
  const checked = checkInput(FIELDS, input)
  return 'problem' in checked ? checked.problem : 'nothing'
}

test('the schema says what the table says', () => {
  expect(tableSchema(FIELDS)).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'A name' },
      size: { type: 'integer', description: 'A size', minimum: 1, maximum: 9 },
      part: { type: 'number', description: 'A part' },
      all: { type: 'boolean', description: 'All', default: false },
      mode: { type: 'string', enum: ['fast', 'slow'], description: 'A mode', default: 'fast' }
    },
    required: ['name'],
    additionalProperties: false
  })
})

test('the type says so, too', () => {
  const input: Infer<typeof FIELDS> = { name: 'a', all: true, mode: 'slow' }
  const mode: 'fast' | 'slow' = input.mode
  const size: number | undefined = input.size
  // @ts-expect-error A name must be there.
  const without: Infer<typeof FIELDS> = { all: true, mode }
  expect([mode, size, without]).toHaveLength(3)
})

test('defaults are filled in, in the order of the table', () => {
  const checked = checkInput(FIELDS, { mode: 'slow', name: 'a', size: null, part: undefined })
  expect(checked).toEqual({ input: { name: 'a', all: false, mode: 'slow' } })
  expect(Object.keys('input' in checked ? checked.input : {})).toEqual(['name', 'all', 'mode'])
})

test('problems name the key', () => {
  expect(problem({})).toBe('"name" is missing: add a string')
  expect(problem({ name: null })).toBe('"name" must be a string, not null')
  expect(problem({ name: ['a'] })).toBe('"name" must be a string, not a list')
  expect(problem({ name: 'a', size: 0 })).toBe('"size" must be a whole number from 1 to 9, not 0')
  expect(problem({ name: 'a', size: 10 })).toBe('"size" must be a whole number from 1 to 9, not 10')
  expect(problem({ name: 'a', size: 1.5 })).toBe('"size" must be a whole number from 1 to 9, not 1.5')
  expect(problem({ name: 'a', part: Number.POSITIVE_INFINITY })).toBe('"part" must be a number, not Infinity')
  expect(problem({ name: 'a', part: '1' })).toBe('"part" must be a number, not "1"')
  expect(problem({ name: 'a', all: 'yes' })).toBe('"all" must be true or false, not "yes"')
  expect(problem({ name: 'a', mode: 'quick' })).toBe('"mode" must be "fast" or "slow", not "quick"')
  expect(problem({ name: 'a', nmae: 'b' })).toBe('there is no key "nmae" (did you mean name?)')
  expect(problem({ name: 'a', something: 1 })).toBe(
    'there is no key "something" (the keys are name, size, part, all, mode)'
  )
  expect(problem(null)).toBe('the input must be a plain object, not null')
  expect(problem([])).toBe('the input must be a plain object, not a list')
  expect(problem(new Date(0))).toBe('the input must be a plain object, not an object')
})

test('whatever comes, there is an answer', () => {
  const anything = fc.oneof(
    fc.anything(),
    fc.dictionary(fc.constantFrom('name', 'size', '__proto__', 'toString'), fc.anything())
  )
  fc.assert(fc.property(anything, input => void checkInput(FIELDS, input)))
  expect(problem(JSON.parse('{"name":"a","__proto__":{"all":true}}'))).toContain('"__proto__"')
})

const LISTS = {
  items: { type: { list: { object: { id: 'string', 'note?': 'string' }, open: true } }, min: 1, max: 2 },
  'secret?': { type: 'string', hidden: true }
} as const satisfies FieldTable

test('a list has its number of items; objects in it may have other keys, and null for what they leave out', () => {
  const check = (items: unknown): unknown => checkInput(LISTS, { items })
  expect(check([{ id: 'a', note: null, other: 1 }])).toEqual({ input: { items: [{ id: 'a', note: null, other: 1 }] } })
  expect(check([])).toEqual({ problem: '"items" must be a list of { id, note? }, 1 to 2 of them, not a list' })
  expect(check([{ id: 'a' }, {}])).toEqual({ problem: '"items[1].id" is missing: add a string' })
  expect(check([{ id: 'a', notes: 'b' }])).toEqual({
    problem: 'there is no key "items[0].notes" (did you mean note?)'
  })
  expect(tableSchema(LISTS)).toEqual({
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] },
        minItems: 1,
        maxItems: 2
      }
    },
    required: ['items'],
    additionalProperties: false
  })
})
