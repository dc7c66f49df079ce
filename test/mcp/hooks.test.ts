/** Hooks that are tools of servers. */
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createSdkMcpServer, tool } from '../../src/index.ts'
import { ask, informed, inputsOf, resultsIn, type Asking } from '../agent/kit.ts'
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

/** A server of the program's own. */
const here = (asked: unknown[] = []) =>
  createSdkMcpServer({
    name: 'here',
    tools: [
      tool('judge', 'says it again', { text: z.string(), times: z.number().default(1) }, async input => {
        asked.push(input)
        return { content: [{ type: 'text', text: input.text }] }
      }),
      tool('throw', 'throws', {}, async () => {
        throw new Error('it threw')
      }),
      tool('fail', 'fails', {}, async () => ({ content: [{ type: 'text', text: 'it failed' }], isError: true })),
      tool('nothing', 'gives nothing back', {}, async () => undefined as never),
      tool('hang', 'never answers', {}, () => new Promise(() => undefined))
    ]
  })

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

test('a tool of a server in this process judges as well; its schema is asked, and nothing else', async () => {
  const asked: unknown[] = []
  const servers = { mcpServers: { here: here(asked) } }
  const refused = await judged({ server: 'here', tool: 'judge', input: { text: DENY } }, servers)
  expect(refused.result).toMatchObject({ isError: true, text: expect.stringContaining('not echo hi!') })
  const passed = await judged({ server: 'here', tool: 'judge', input: { text: 'fine: ${tool_name}' } }, servers)
  expect(passed.result).toMatchObject({ isError: false, text: 'hi' })
  expect(asked.at(-1)).toEqual({ text: 'fine: Bash', times: 1 })
  expect(inputsOf(passed, 'PreToolUse').map(({ tool_name }) => tool_name)).toEqual(['Bash'])
})

test.each([
  ['a tool that fails', { tool: 'fail' }, 'it is broken'],
  ['a tool that dies', { tool: 'die' }, 'was lost during the call'],
  ['a server that is not there', { server: 'other', tool: 'x' }, 'there is no server other'],
  ['a tool that a server in this process has not', { server: 'here', tool: 'x' }, 'the server here has no tool x'],
  ['a tool in this process that throws', { server: 'here', tool: 'throw' }, 'it threw'],
  ['a tool in this process that fails', { server: 'here', tool: 'fail' }, 'it failed'],
  ['a tool in this process that gives nothing back', { server: 'here', tool: 'nothing' }, 'gave back no result'],
  ['an input that its schema refuses', { server: 'here', tool: 'judge', input: { text: 7 } }, 'is not valid: text'],
  ['a tool in this process that takes too long', { server: 'here', tool: 'hang', timeout: 0.1 }, 'timeout']
])('%s closes the gate', async (_, hook, words) => {
  const { result } = await judged(hook, { mcpServers: { own: logged().server, here: here() } })
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining(words) })
})

test('in the compat profile it lets pass, and that is said', async () => {
  const asked = await judged({ tool: 'fail' }, { profile: 'compat' })
  expect(asked.result.isError).toBe(false)
  expect(informed(asked).join()).toContain('it is broken; it was let pass')
})
