/** Hooks that are tools of servers. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSdkMcpServer, tool } from '../../../src/index.ts'
import { ask, type Asking, callTurn, informed, inputsOf, resultsIn } from '../../support/agent-kit.ts'
import { logged } from './mcp-kit.ts'

/** A run in which the model wants to run a command, and a tool of the server is asked about it. */
async function judged(hook: object, options: Asking = {}) {
  const { server, place, lines } = logged()
  const settings = {
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'mcp_tool', server: 'own', ...hook }] }] }
  }
  const asked = await ask([callTurn('Bash', { command: 'echo hi' }), 'Done.'], {
    in: place,
    settings,
    mcpServers: { own: server },
    allowedTools: ['Bash'],
    ...options
  })
  const denials = asked.result.permission_denials
  return { ...asked, lines: lines(), denials, result: resultsIn(asked.sent.at(-1)!)[0]! }
}

/** A failed hook closed the gate: nothing ran, people see the reason, and the model sees only which hook failed. */
function expectClosed(asked: Awaited<ReturnType<typeof judged>>, hook: string, kind: string, words: string): void {
  const by = `${hook} (--settings:1)`
  const text = `PreToolUse:Bash hook error: [${by}]: gate_failed:${kind}: the hook ${by} failed`
  expect(asked.result).toMatchObject({ isError: true, text })
  expect(asked.names).not.toContain('PostToolUse')
  expect(JSON.stringify(asked.sent)).not.toContain(words)
  const why = expect.stringContaining(words)
  expect(asked.denials).toMatchObject([{ tool_name: 'Bash', decided_by: by, decision_reason: why }])
  expect(informed(asked)).toContainEqual(why)
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
  const refused = await judged({ tool: 'judge', input: { text: '${tool_input.command}', all: ['${tool_name}'] } })
  expectClosed(refused, 'own/judge', 'threw', 'the server own has no tool judge')
  expect(refused.lines).toEqual([])
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
  ['a tool that fails', 'own/fail', {}, 'threw', 'it is broken'],
  ['a tool that dies', 'own/die', {}, 'threw', 'was lost during the call'],
  ['a server that is not there', 'other/x', {}, 'threw', 'there is no server other'],
  ['a tool that a server in this process has not', 'here/x', {}, 'threw', 'the server here has no tool x'],
  ['a tool in this process that throws', 'here/throw', {}, 'threw', 'it threw'],
  ['a tool in this process that fails', 'here/fail', {}, 'threw', 'it failed'],
  ['a tool in this process that gives nothing back', 'here/nothing', {}, 'threw', 'gave back no result'],
  ['an input that its schema refuses', 'here/judge', { input: { text: 7 } }, 'threw', 'is not valid: text'],
  [
    'a tool in this process that takes too long',
    'here/hang',
    { timeout: 0.1 },
    'timeout',
    'gave no answer within 0.1 s'
  ]
])('%s closes the gate', async (_, hook, more, kind, words) => {
  const [server, name] = hook.split('/')
  const mcpServers = { own: logged().server, here: here() }
  expectClosed(await judged({ server, tool: name, ...more }, { mcpServers }), hook, kind, words)
})

test('in the compat profile it lets pass, and that is said', async () => {
  const asked = await judged({ tool: 'fail' }, { profile: 'compat' })
  expect(asked.result.isError).toBe(false)
  expect(informed(asked).join()).toContain('it is broken; allowed anyway')
})
