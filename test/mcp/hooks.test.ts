/** Hooks that are tools of servers. */
import { expect, test, vi } from 'vitest'
import { createSdkMcpServer } from '../../src/index.ts'
import { ask, informed, resultsIn, type Asking } from '../agent/kit.ts'
import { call, logged } from './kit.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A run in which the model wants to run a command, and a tool of the server is asked about it. */
async function judged(hook: object, options: Asking = {}) {
  const { server, place, lines } = logged()
  const settings = {
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'mcp_tool', server: 'own', ...hook }] }] }
  }
  const asked = await ask([call('Bash', { command: 'echo hi' }), 'Done.'], {
    in: place,
    settings,
    mcpServers: { own: server },
    allowedTools: ['Bash'],
    ...options
  })
  return { ...asked, lines: lines(), result: resultsIn(asked.sent.at(-1)!)[0]! }
}

const DENY = JSON.stringify({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'not ${tool_input.command}${nothing.here}!'
  }
})

test('the tool is called with fields of the event, and what it says is read as what a command prints', async () => {
  const { lines, result } = await judged({
    tool: 'judge',
    input: { text: '${tool_input.command}', all: ['${tool_name}'] }
  })
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('the server own has no tool judge') })
  expect(lines).toEqual([])
  const allowed = await judged({ tool: 'pid', input: { text: '${tool_input.command}', all: ['${tool_name}', 1] } })
  expect(allowed.lines).toEqual(['call pid {"text":"echo hi","all":["Bash",1]}'])
  expect(allowed.result).toMatchObject({ isError: false, text: 'hi' })
})

test('a tool of a server refuses', async () => {
  const { result } = await judged({ tool: 'say', input: { text: DENY } })
  expect(result.isError).toBe(true)
  expect(result.text).toContain('not echo hi!')
})

test.each([
  ['a tool that fails', { tool: 'fail' }, 'it is broken'],
  ['a tool that dies', { tool: 'die' }, 'was lost during the call'],
  ['a server that is not there', { server: 'other', tool: 'x' }, 'there is no server other'],
  ['a server in this process', { server: 'here', tool: 'x' }, 'is in this process: use a function as hook']
])('%s closes the gate', async (_, hook, words) => {
  const here = createSdkMcpServer({ name: 'here' })
  const { result } = await judged(hook, { mcpServers: { own: logged().server, here } })
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining(words) })
})

test('in the compat profile it lets pass, and that is said', async () => {
  const asked = await judged({ tool: 'fail' }, { profile: 'compat' })
  expect(asked.result.isError).toBe(false)
  expect(informed(asked).join()).toContain('it is broken; it was let pass')
})
