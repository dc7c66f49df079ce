import { expect, test } from 'vitest'
import { query, type QueryOptions } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing.ts'

/** The system prompt that the model receives, with this `systemPrompt`. */
async function systemWith(systemPrompt: QueryOptions['systemPrompt']): Promise<string> {
  let system = ''
  const model = scriptedModel([
    request => {
      system = request.system
      return 'done'
    }
  ])
  const options = { systemPrompt, model, env: { HOME: '/nonexistent' }, settingSources: [], persistSession: false }
  await query({ prompt: 'go', options }).result()
  return system
}

test('a system prompt may be given in every form that the Claude Agent SDK has', async () => {
  const usual = await systemWith(undefined)
  expect(await systemWith('Be brief.')).toMatch(/^Be brief\.\n\nWorking folder: /)
  expect(await systemWith(['Be brief.', 'Be kind.'])).toMatch(/^Be brief\.\n\nBe kind\.\n\nWorking folder: /)
  expect(await systemWith({ type: 'custom', prompt: 'Be brief.' })).toMatch(/^Be brief\.\n\nWorking folder: /)
  expect(await systemWith({ type: 'preset', preset: 'claude_code' })).toBe(usual)
  expect(await systemWith({ type: 'preset', preset: 'claude_code', append: 'Be kind.' })).toBe(`${usual}\n\nBe kind.`)
})
