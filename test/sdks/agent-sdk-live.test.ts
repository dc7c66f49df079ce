/** What Claude Code makes of the answers; only where `npm run check:agent-sdk -- --run` has installed it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HookRegistry, type Reply } from '../../src/hooks.ts'
import { agentSdkDriver, DOT, DRAWING, runClaudeCode } from './drivers/agent-sdk.ts'

const ECHO = [{ type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'echo top secret' } }] as const

/** A call of a tool of Claude Code itself, after which a hook gives this reply. */
async function afterUse(reply: Reply, name: string, input: object): Promise<{ modelCalls: number; request: string }> {
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', () => reply)
  const uses = [{ type: 'tool_use', id: 'call_1', name, input }] as const
  return runClaudeCode({ policy: '', hooks, calls: [], streaming: false }, uses)
}
const afterEcho = (reply: Reply) => afterUse(reply, 'Bash', { command: 'echo top secret' })
const output = (request: string): unknown => /"tool_use_id":"call_1".*?"content":"(.*?)"/.exec(request)?.[1]

describe.skipIf(agentSdkDriver.missing !== undefined)('Claude Code', () => {
  test('gets a text in place of the output of a tool of its own', async () => {
    const { request, modelCalls } = await afterEcho({ updatedToolOutput: '[redacted]' })
    expect(output(request)).toBe('[redacted]')
    expect(modelCalls).toBe(2)
  })

  test('does not get an output that a hook hides', async () => {
    expect(output((await afterEcho({ suppressOutput: true })).request)).toBe('[The output was hidden by a hook.]')
  })

  test.each([{ updatedToolOutput: null }, { updatedMCPToolOutput: '[hidden]' }])(
    'gets what a hook puts in place of the output of an MCP tool: %j',
    async reply => {
      const hooks = new HookRegistry()
      hooks.on('PostToolUse', () => reply)
      const calls = [{ id: 'call_1', input: { path: '/a', text: 'top secret' } }]
      const { modelCalls, results } = await runClaudeCode({ policy: '', hooks, calls, streaming: false })
      expect({ modelCalls, results }).toEqual({ modelCalls: 2, results: [expect.stringContaining('hidden')] })
      expect(results[0]).not.toContain('top secret')
    }
  )

  test('gets a text in place of a picture that a hook hides', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-picture-'))
    const file_path = join(folder, 'dot.png')
    writeFileSync(file_path, Buffer.from(DOT, 'base64'))
    const { request, modelCalls } = await afterUse({ suppressOutput: true }, 'Read', { file_path })
    rmSync(folder, { recursive: true })
    expect(modelCalls).toBe(2)
    expect(output(request)).toContain('[The output was hidden by a hook.]')
    expect(request).not.toContain('"image"')
  })

  test('gets a text in place of the pictures and texts of an MCP tool that a hook hides', async () => {
    const hooks = new HookRegistry()
    hooks.on('PostToolUse', () => ({ suppressOutput: true }))
    const calls = [{ id: 'call_1', input: { path: DRAWING, text: 'top secret' } }]
    const { modelCalls, results } = await runClaudeCode({ policy: '', hooks, calls, streaming: false })
    expect(modelCalls).toBe(2)
    expect(results).toEqual([JSON.stringify([{ type: 'text', text: '[The output was hidden by a hook.]' }])])
  })

  test('ignores an output of another shape, also if its lines are short', async () => {
    const seen = await afterUse({ updatedToolOutput: { lines: 1 } }, 'Bash', { command: 'echo 42; echo 7' })
    expect(seen).toMatchObject({ modelCalls: 1, request: '' })
  })

  test('ignores an output of another shape: the run ends, and the model does not get the old one', async () => {
    expect(await afterEcho({ updatedToolOutput: { lines: 1 } })).toMatchObject({ modelCalls: 1, request: '' })
  })

  test('blocks a prompt that a hook changes', async () => {
    const hooks = new HookRegistry()
    hooks.on('UserPromptSubmit', ctx => {
      ctx.prompt = 'another'
    })
    expect(await runClaudeCode({ policy: '', hooks, calls: [], streaming: false }, ECHO)).toMatchObject({
      modelCalls: 0
    })
  })

  test('fires these events in a run with one call, in this order', async () => {
    const hooks = new HookRegistry()
    const fired: string[] = []
    for (const event of [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolBatch',
      'Stop'
    ] as const)
      hooks.on(event, () => void fired.push(event))
    await runClaudeCode({ policy: '', hooks, calls: [], streaming: false }, ECHO)
    // SessionStart is not among them: `notCarried` says so.
    expect(fired).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop'])
  })
})
