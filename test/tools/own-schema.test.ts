/** What hooks, rules and people see of an input, and what the handler gets: schemas of tools of one's own. */
import * as fc from '../support/fast-check.ts'
import { z as z3 } from 'zod/v3'
import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { tool, type Shape, type StandardSchema } from '../../src/index.ts'
import { customTool } from '../../src/lib/tools/custom.ts'
import { makeSession, use } from './tool-kit.ts'

const session = makeSession('/')

/** A tool that tells what its handler is given. */
async function made(schema: Shape | StandardSchema) {
  const got: unknown[] = []
  const own = await customTool(tool('own', 'own', schema, input => (got.push(input), { content: [] })))
  return { own, got, check: (input: unknown) => own.check(input, session) }
}

const number = z.string().transform(Number)
const loud = z.string().transform(word => `${word}!`)

describe('an input that is shown', () => {
  test.each<[string, Shape | StandardSchema, object, object]>([
    ['is as it was given, if nothing is made of it', { a: z.string() }, { a: 'x' }, { a: 'x' }],
    ['has its defaults', { a: z.string(), days: z.number().default(1) }, { a: 'x' }, { a: 'x', days: 1 }],
    ['has nothing that does not count', { a: z.string() }, { a: 'x', b: 1 }, { a: 'x' }],
    ['is what runs, where the schema leaves that alone', { a: z.string().trim() }, { a: ' x ' }, { a: 'x' }],
    ['is not what a transform makes of it', { n: number, word: loud }, { n: '5', word: 'a' }, { n: '5', word: 'a' }],
    ['has defaults beside transforms', { n: number, days: z.number().default(1) }, { n: '5' }, { n: '5', days: 1 }],
    [
      'has defaults beside what JSON cannot say',
      { at: z.string().transform(text => new Date(text)), days: z.number().default(1) },
      { at: '2020-01-01', junk: 1 },
      { at: '2020-01-01', days: 1 }
    ],
    ['lacks a default that would be transformed', { word: loud.default('a') }, {}, {}],
    ['lacks a default that is no input', { n: number.default(5) }, {}, {}],
    ['has a default of which a transform makes more', { n: z.string().default('5').transform(Number) }, {}, { n: '5' }],
    ['has one default, and lacks another', { word: loud.default('a'), days: z.number().default(1) }, {}, { days: 1 }],
    [
      'is as it was given, where all of it becomes something else',
      z.object({ a: z.string() }).transform(({ a }) => ({ b: a })),
      { a: 'x' },
      { a: 'x' }
    ],
    [
      'is as it was given, also where no object comes of it',
      z.object({ a: z.string() }).transform(({ a }) => [a]),
      { a: 'x' },
      { a: 'x' }
    ]
  ])('%s', async (_, schema, given, shown) => {
    const { own, got, check } = await made(schema)
    const checked = check(given)
    expect(checked).toEqual({ input: shown })
    // Returning the input that was shown changes nothing.
    expect(check(shown)).toEqual({ input: shown })
    await use(own, given, session)
    await use(own, shown, session)
    expect(got[1]).toEqual(got[0])
  })

  test('belongs to no one else', async () => {
    const { check } = await made({ a: z.any() })
    const given = { a: { b: 1 } }
    const checked = (await check(given)) as { input: { a: { b: number } } }
    checked.input.a.b = 2
    expect(given).toEqual({ a: { b: 1 } })
  })

  test('is known at once, unless the schema takes its time', async () => {
    const soon = await made({ a: z.string().default('x') })
    expect(soon.check({})).toEqual({ input: { a: 'x' } })
    expect(soon.check({ a: 1 })).toEqual({ problem: expect.stringMatching(/^a: .*expected string/) })
    const late = await made({
      n: number,
      a: z.string().refine(async word => word !== 'no'),
      b: z.string().default('x')
    })
    const checked = late.check({ n: '5', a: 'yes' })
    expect(checked).toBeInstanceOf(Promise)
    expect(await checked).toEqual({ input: { n: '5', a: 'yes', b: 'x' } })
    expect(await late.check({ n: '5', a: 'no' })).toEqual({ problem: expect.stringMatching(/^a: /) })
  })

  test('must be an object, and what a schema throws is a problem', async () => {
    const { check } = await made(z.string().transform(a => ({ a })))
    expect(check('x')).toEqual({ problem: 'it is not an object' })
    const broken = await made({
      a: z.string().transform(() => {
        throw new Error('broken')
      })
    })
    expect(await broken.check({ a: 'x' })).toEqual({ problem: 'its schema failed to check it: broken' })
  })
})

const fields = {
  plain: z.string().optional(),
  days: z.number().default(1),
  n: number.optional(),
  word: loud.default('a'),
  trimmed: z.string().trim().optional(),
  at: z
    .string()
    .transform(text => new Date(text.length))
    .optional(),
  more: z.object({ deep: z.array(loud).default(['b']), size: z.number().default(3) }).optional()
}

test('law: what was shown is shown again, and the handler gets the same of it', async () => {
  const { own, got, check } = await made(fields)
  const text = fc.string()
  const input = fc.record(
    {
      plain: text,
      days: fc.integer(),
      n: fc.integer().map(String),
      word: text,
      trimmed: text,
      at: text,
      more: fc.record({ deep: fc.array(text), size: fc.integer() }, { requiredKeys: [] }),
      stray: text
    },
    { requiredKeys: [] }
  )
  await fc.assert(
    fc.asyncProperty(input, async given => {
      const first = check(given) as { input: object }
      expect(check(first.input)).toEqual(first)
      expect(JSON.parse(JSON.stringify(first.input))).toEqual(first.input)
      got.length = 0
      await use(own, given, session)
      expect(got).toEqual([z.object(fields).parse(given)])
    })
  )
})

describe('a schema', () => {
  /** As arktype makes them: a function. */
  const callable: StandardSchema = Object.assign(() => undefined, {
    '~standard': {
      version: 1,
      vendor: 'arktype',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object', properties: { a: { type: 'string' } } }) }
    } as const
  })

  test('may be a function', async () => {
    const { own, got } = await made(callable)
    expect(own.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
    await use(own, { a: 'x' }, session)
    expect(got).toEqual([{ a: 'x' }])
  })

  const silent = { '~standard': { version: 1, vendor: 'valibot', validate: (value: unknown) => ({ value }) } } as const
  const old = z3.string() as unknown as StandardSchema
  test.each<[string, unknown, RegExp]>([
    ['a field of zod 3', { a: old }, /field "a" .*tool own cannot be of zod 3; use a schema of zod 4/],
    ['a field of another library', { a: z.string(), b: silent }, /field "b" .*tool own cannot be of valibot; use/],
    ['a field that is none', { a: 'string' }, /field "a" .*tool own cannot be "string"; use a schema of zod 4/],
    ['zod 3', z3.object({}), /schema of the tool own cannot be printed as JSON Schema \(it is of zod 3\); use zod 4/],
    ['no JSON Schema', silent, /tool own cannot be printed as JSON Schema \(it is of valibot\); use/],
    ['a date', { a: z.coerce.date() }, /tool own cannot be printed as JSON Schema \(.*Date.*\); use .*JSON values/]
  ])('that cannot be used is named, with its tool: %s', async (_, schema, words) => {
    await expect(made(schema as StandardSchema)).rejects.toThrow(words)
  })
})
