/** Results of tools that are more than a text, behind the programs of examples/sdks. */
import { describe, expect, test } from 'vitest'
import { deny, HookRegistry, type Reply } from '../../src/hooks.ts'
import { sdksMissing } from './driver.ts'

/** What came of one call of the tool `t`. */
export interface OwnResult {
  readonly modelCalls: number
  /** The result of the call as JSON: with Mastra as the model got it, else as it is in the history. */
  readonly shown: string
}
type RunTool = (hooks: HookRegistry, returned: string) => Promise<OwnResult>
const FILE = './installed/own-results.ts'
const { langchainResult, strandsResult, mastraResult } = (
  sdksMissing === undefined ? await import(FILE) : {}
) as Readonly<Record<'langchainResult' | 'strandsResult' | 'mastraResult', RunTool>>

/** A registry whose hooks give this reply after a call. */
function after(reply: Reply): HookRegistry {
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', () => reply)
  return hooks
}
const SECRET = 'the secret'
const COMMANDS = ['command', 'command of tuples', 'command without a message']

describe.skipIf(sdksMissing !== undefined)('LangChain', () => {
  test.each(['message', ...COMMANDS])('context follows the result of a tool that returns a %s', async returned => {
    const { shown, modelCalls } = await langchainResult(after({ additionalContext: 'from after' }), returned)
    expect(modelCalls).toBe(2)
    expect(shown).toContain('from after')
    if (!returned.includes('without')) expect(shown).toContain(SECRET)
  })

  test.each(['message', ...COMMANDS])('a hook ends the run after a tool that returns a %s', async returned => {
    const { modelCalls } = await langchainResult(after({ continue: false }), returned)
    expect(modelCalls).toBe(1)
  })

  test.each(['text', 'message', 'failed message', ...COMMANDS])('nothing of a hidden %s is left', async returned => {
    const { shown, modelCalls } = await langchainResult(after({ suppressOutput: true }), returned)
    expect(modelCalls).toBe(2)
    expect(shown).toContain('hidden by a hook')
    expect(shown).not.toContain(SECRET)
  })
})

describe.skipIf(sdksMissing !== undefined)('Strands', () => {
  test.each(['text', 'failed message'])('nothing of a hidden %s is left', async returned => {
    const { shown, modelCalls } = await strandsResult(after({ suppressOutput: true }), returned)
    expect(modelCalls).toBe(2)
    expect(shown).toContain('hidden by a hook')
    expect(shown).not.toContain(SECRET)
  })

  test.each([{ a: 1 }, null, 0, [{ type: 'text', text: 'new' }]])('an output that is not a text: %j', async output => {
    const { shown } = await strandsResult(after({ updatedToolOutput: output }), 'text')
    expect(shown).toContain(JSON.stringify({ text: JSON.stringify(output) }))
  })
})

describe.skipIf(sdksMissing !== undefined)('Mastra, with a tool whose toModelOutput shows a part', () => {
  const deniesAll = (matcher: string | RegExp): HookRegistry => {
    const hooks = new HookRegistry()
    hooks.on('PreToolUse', matcher, () => deny('not today'), { name: 'gate' })
    return hooks
  }

  test.each([
    ['hidden', { suppressOutput: true }, 'hidden by a hook'],
    ['replaced by another type', { updatedToolOutput: '[none]' }, '[none]'],
    ['replaced by the same type', { updatedToolOutput: { public: 'another', secret: SECRET } }, 'ANOTHER'],
    ['left as it is', {}, 'A PART'],
    ['left as it is, with context', { additionalContext: 'from after' }, 'A PART"},{"type":"text","text":"from after']
  ])('an output that is %s', async (_, reply, text) => {
    const { shown, modelCalls } = await mastraResult(after(reply), '')
    expect(modelCalls).toBe(2)
    expect(shown).toContain(text)
    expect(shown).not.toContain(SECRET)
  })

  test('its own output is not shown in place of what toModelOutput throws', async () => {
    await expect(mastraResult(after({}), 'broken')).rejects.toThrow('toUpperCase')
  })

  test('a refusal is a result: hooks see the key, by which the model calls', async () => {
    const { shown, modelCalls } = await mastraResult(deniesAll('t'), '')
    expect(modelCalls).toBe(2)
    expect(shown).toContain('refused by gate: not today')
  })

  test.each(['other-id', 'other-id|Bash', /^other-id$/])('a gate on its id, %s, is an error', async matcher => {
    await expect(mastraResult(deniesAll(matcher), '')).rejects.toThrow('the model calls this tool t: use that')
  })
})
