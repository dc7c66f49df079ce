/** Answers that must be JSON of a schema. */
import { expect, test } from 'vitest'
import { scriptedModel } from '../../src/lib/model/scripted.ts'
import { ask, inputsOf, registry, words } from './kit.ts'

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

test('a schema that is none is an error', async () => {
  const { result } = await ask(['{}'], { outputFormat: { type: 'json_schema', schema: { type: 'nonsense' } } })
  expect(result).toMatchObject({ is_error: true })
})
