/** The extension for pi, with handlers called as pi calls them: what cannot be judged does not run, and is not shown. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

type Handler = (event: Record<string, unknown>, ctx: object) => Promise<Record<string, unknown> | undefined>

/** `script`: what runs instead of the client, with the event as its first argument. */
async function extension(script: string, seconds = 20) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const client = join(folder, 'client.sh')
  writeFileSync(client, script)
  const names = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop']
  const lines = Object.fromEntries(names.map(name => [name, `bash ${client} ${name}`]))
  const program = readFileSync(new URL('../../../hosts/pi-extension.js', import.meta.url), 'utf8')
  const file = join(folder, 'carabiner.mjs')
  writeFileSync(
    file,
    program.replace(/(?<=^const INSTALLED = ).*/m, () => JSON.stringify({ lines, seconds }))
  )
  const module = (await import(pathToFileURL(file).href)) as { default: (pi: object) => void }
  const handlers = new Map<string, Handler>()
  module.default({ on: (name: string, handler: Handler) => void handlers.set(name, handler) })
  const notices: string[] = []
  let aborted = 0
  const ctx = {
    cwd: folder,
    hasUI: true,
    ui: { notify: (text: string) => void notices.push(text), confirm: async () => false },
    sessionManager: { getSessionId: () => 'session', getSessionFile: () => undefined },
    abort: () => void aborted++
  }
  const fire = (name: string, event: Record<string, unknown>) => handlers.get(name)?.(event, ctx)
  const call = { toolName: 'bash', toolCallId: 'call', input: { command: 'ls', timeout: 5 } }
  return {
    ...{ fire, ctx, notices, call },
    aborts: () => aborted,
    result: { ...call, content: [{ type: 'text', text: 'SECRET' }], details: { raw: 'SECRET' }, isError: false }
  }
}

const says = (answer: object): string => `cat > "$0.$1"; cat <<'END'\n${JSON.stringify(answer)}\nEND\n`
const specific = (fields: object): object => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })

const FAILURES: readonly (readonly [string, string])[] = [
  ['exit 2 with text', 'echo "no such thing" >&2; exit 2'],
  ['exit 1', 'exit 1'],
  ['no answer', 'exit 0'],
  ['half an answer', `printf '{"hookSp'`],
  ['another kind of answer', 'echo "[]"'],
  ['killed', 'kill -9 $$'],
  ['late', 'exec sleep 60']
]

test.each(FAILURES)('%s: the call, the prompt and the output are refused', async (_, script) => {
  const { fire, call, result, notices } = await extension(script, 1)
  await expect(fire('tool_call', call)).rejects.toThrow(/\S/)
  expect(await fire('input', { text: 'Please work' })).toEqual({ action: 'handled' })
  const hidden = await fire('tool_result', result)
  expect(hidden).toMatchObject({ isError: true, details: null })
  expect(JSON.stringify(hidden)).not.toContain('SECRET')
  expect(await fire('agent_before_settle', { outcome: 'completed', entries: [] })).toBe(undefined)
  await fire('session_start', { reason: 'startup' })
  expect(notices).toHaveLength(3)
})

test('what it sends is what Claude Code sends', async () => {
  const { fire, call, ctx } = await extension(says({}))
  expect(await fire('tool_call', call)).toBe(undefined)
  expect(JSON.parse(readFileSync(join(ctx.cwd, 'client.sh.PreToolUse'), 'utf8'))).toEqual({
    ...{ hook_event_name: 'PreToolUse', session_id: 'session', transcript_path: '', cwd: ctx.cwd },
    ...{ tool_name: 'bash', tool_input: call.input, tool_use_id: 'call' }
  })
})

test.each([
  [specific({ permissionDecision: 'deny', permissionDecisionReason: 'not this' }), 'not this'],
  [specific({ permissionDecision: 'ask', permissionDecisionReason: 'may it?' }), 'may it?'],
  [specific({ permissionDecision: 'defer', permissionDecisionReason: 'later' }), 'later'],
  [specific({ permissionDecision: 'nonsense' }), 'refused by Carabiner'],
  [{ decision: 'block', reason: 'blocked' }, 'blocked'],
  [{ continue: false, stopReason: 'it ends' }, 'it ends']
])('%j: the call does not run', async (answer, reason) => {
  const { fire, call, aborts } = await extension(says(answer))
  expect(await fire('tool_call', call)).toEqual({ block: true, reason })
  expect(aborts()).toBe('continue' in answer ? 1 : 0)
})

test('a person at the terminal may approve what is asked about', async () => {
  const { fire, call, ctx } = await extension(says(specific({ permissionDecision: 'ask' })))
  ctx.ui.confirm = async () => true
  expect(await fire('tool_call', call)).toBe(undefined)
  ctx.hasUI = false
  expect(await fire('tool_call', call)).toMatchObject({ block: true })
})

test('a rewrite replaces the whole input, in place; context comes with the result', async () => {
  const answer = specific({ updatedInput: { command: 'pwd' }, additionalContext: 'know this' })
  const { fire, call, result } = await extension(`[ "$1" = PreToolUse ] || { echo '{}'; exit; }; ${says(answer)}`)
  const { input } = call
  await fire('tool_call', call)
  expect(input).toEqual({ command: 'pwd' })
  expect(await fire('tool_result', result)).toEqual({
    content: [...result.content, { type: 'text', text: 'know this' }]
  })
  expect(await fire('tool_result', result)).toBe(undefined)
})

test('replaced output, also in the details', async () => {
  const { fire, result } = await extension(says(specific({ updatedToolOutput: 'nothing to see' })))
  expect(await fire('tool_result', result)).toEqual({
    content: [{ type: 'text', text: 'nothing to see' }],
    details: null
  })
})

test('context of the session and the prompt reaches the next run, once', async () => {
  const { fire } = await extension(says(specific({ additionalContext: 'known' })))
  await fire('session_start', { reason: 'new' })
  expect(await fire('input', { text: 'x' })).toEqual({ action: 'continue' })
  expect(await fire('before_agent_start', {})).toMatchObject({ message: { content: 'known\nknown' } })
  expect(await fire('before_agent_start', {})).toBe(undefined)
  expect(await fire('input', { text: 'x', streamingBehavior: 'steer' })).toEqual({
    action: 'transform',
    text: 'x\n\nknown'
  })
})

test('a hook keeps it from stopping once', async () => {
  const { fire } = await extension(says({ decision: 'block', reason: 'tests fail' }))
  const ending = { outcome: 'completed', entries: [{ type: 'custom', customType: 'other' }] }
  const kept = await fire('agent_before_settle', ending)
  expect(kept).toMatchObject({ continue: true, entries: [{ customType: 'other' }, { content: 'tests fail' }] })
  expect(await fire('agent_before_settle', ending)).toBe(undefined)
  expect(await fire('agent_before_settle', { ...ending, outcome: 'aborted' })).toBe(undefined)
})
