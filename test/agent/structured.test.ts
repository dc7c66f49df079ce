/** Answers that must be JSON of a schema. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../src/testing.ts'
import { ask, inputsOf, registry, words } from '../support/agent-kit.ts'

const outputFormat = {
  type: 'json_schema',
  schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
} as const

test.each(['{"n": 1}', '```json\n{"n": 1}\n```'])('what fits is given as a value: %j', async said => {
  const model = scriptedModel([said])
  const { result } = await ask(model, { outputFormat })
  expect(result).toMatchObject({ subtype: 'success', structured_output: { n: 1 }, result: said })
  expect(model.requests[0]!.request.outputSchema).toBe(outputFormat.schema)
})

test('what does not is sent back with what is wrong, and hooks see only the end', async () => {
  const run = await ask(['one', '{"n": "one"}', '{"n": 1}'], { outputFormat })
  expect(words(run.sent[1]!.at(-1)!)).toContain('not JSON')
  expect(words(run.sent[2]!.at(-1)!)).toContain('/n must be number')
  expect(run.result).toMatchObject({ structured_output: { n: 1 }, num_turns: 3 })
  expect(inputsOf(run, 'Stop')).toHaveLength(1)
})

test('after five repairs it is given up', async () => {
  const run = await ask(scriptedModel(['no'], { repeatLast: true }), { outputFormat })
  expect(run.sent).toHaveLength(6)
  expect(run.result).toMatchObject({
    subtype: 'error_max_structured_output_retries',
    terminal_reason: 'structured_output_retry_exhausted',
    is_error: true
  })
  expect(run.result).not.toHaveProperty('structured_output')
})

test('a Stop hook may send a good answer back, and the last one counts', async () => {
  let times = 0
  const hooks = registry(all => all.on('Stop', () => (++times === 1 ? { continue: true } : undefined)))
  const { result } = await ask(['{"n": 1}', '{"n": 2}'], { outputFormat, hooks })
  expect(result).toMatchObject({ structured_output: { n: 2 } })
})

describe('a Standard Schema', () => {
  const Count = z.object({ n: z.coerce.number().max(9), unit: z.string().default('files') })

  test.each([
    ['alone', Count],
    ['as outputFormat.schema', { type: 'json_schema', schema: Count } as const]
  ])(
    '%s: the model gets its JSON Schema, errors go back, and the result is what the schema makes of it',
    async (_, format) => {
      const model = scriptedModel(['{"n": 12}', '{"n": "7"}'])
      const { result, sent } = await ask(model, { outputFormat: format })
      expect(model.requests[0]!.request.outputSchema).toMatchObject({
        type: 'object',
        properties: { n: { type: 'number', maximum: 9 }, unit: { type: 'string', default: 'files' } }
      })
      expect(words(sent[1]!.at(-1)!)).toMatch(/n: Too big/)
      expect(result).toMatchObject({ structured_output: { n: 7, unit: 'files' }, num_turns: 2 })
    }
  )

  test('one that checks asynchronously, or throws, is asked like any other', async () => {
    const even = Count.refine(({ n }) => {
      if (n === 3) throw new Error('three')
      return true
    }).refine(async ({ n }) => n % 2 === 0, 'an odd number')
    const { result, sent } = await ask(['{"n": 1}', '{"n": 3}', '{"n": 2}'], { outputFormat: even })
    expect(words(sent[1]!.at(-1)!)).toContain('an odd number')
    expect(words(sent[2]!.at(-1)!)).toContain('its schema failed to check it: three')
    expect(result).toMatchObject({ structured_output: { n: 2 } })
  })
})

describe('before the model is asked', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'a schema that is none',
      { type: 'json_schema', schema: { type: 'objct' } },
      /outputFormat\.schema .*"objct".*data\/type/
    ],
    [
      'a reference to nothing',
      { type: 'json_schema', schema: { $ref: '#/$defs/none' } },
      /outputFormat\.schema .*can't resolve reference #\/\$defs\/none/
    ],
    ['no schema', { type: 'json_schema' }, /outputFormat\.schema cannot be undefined; use a JSON Schema/],
    [
      'a text',
      { type: 'json_schema', schema: '{}' },
      /outputFormat\.schema cannot be {}; use a JSON Schema, as an object/
    ],
    [
      'a schema that JSON cannot hold',
      z.object({ n: z.bigint() }),
      /outputFormat cannot be printed as JSON Schema .*BigInt/
    ],
    ['another type', { type: 'json', schema: {} }, /outputFormat\.type cannot be json; use 'json_schema', or a schema/],
    ['a further key', { type: 'json_schema', schema: {}, strict: true }, /a key of outputFormat cannot be strict/],
    [
      'a draft that nobody knows',
      { type: 'json_schema', schema: { $schema: 'http://json-schema.org/draft-03/schema#' } },
      /outputFormat\.schema\.\$schema cannot be .*draft-03.*; use draft-07/
    ]
  ])('%s is refused', async (_, format, why) => {
    const model = scriptedModel(['{}'])
    const { result } = await ask(model, { outputFormat: format as typeof outputFormat })
    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: 'turn_setup_failed',
      error_code: 'E_OPTION_INVALID'
    })
    expect(result.result).toMatch(why)
    expect(model.requests).toEqual([])
  })
})

test.each([
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft-07/schema',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema'
])('a schema of %s is taken, and counts', async $schema => {
  const schema = { $schema, ...outputFormat.schema, $async: true }
  const run = await ask(['{"n": "one"}', '{"n": 1}'], { outputFormat: { type: 'json_schema', schema } })
  expect(run.result).toMatchObject({ structured_output: { n: 1 }, num_turns: 2, is_error: false })
})

test('lists of schemas mean what the draft says', async () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'array',
    items: [{ type: 'number' }],
    additionalItems: false
  }
  const run = await ask(['[1, 2]', '[1]'], { outputFormat: { type: 'json_schema', schema } })
  expect(run.result).toMatchObject({ structured_output: [1], num_turns: 2 })
})

test('a format that is not checked is no news for the console of whoever runs it', async () => {
  const said: unknown[] = []
  for (const name of ['log', 'warn', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((...line: unknown[]) => void said.push(line))
  onTestFinished(() => void vi.restoreAllMocks())
  const schema = { type: 'string', format: 'date-time' }
  const { result } = await ask(['"soon"'], { outputFormat: { type: 'json_schema', schema } })
  expect(result.structured_output).toBe('soon')
  expect(said).toEqual([])
})
