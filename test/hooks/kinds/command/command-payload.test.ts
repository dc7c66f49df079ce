import { readFileSync, rmSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { EVENT_NAMES, type EventName, type FireInput } from '../../../../src/hooks.ts'
import payloads from '../../../fixtures/payloads.json' with { type: 'json' }
import { hookScene, type HookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

/** Keeps what a command was given. */
const keeping = (events: EventName | readonly EventName[] = 'PreToolUse'): HookScene =>
  hookScene().command({ events, command: 'cat > "$CLAUDE_PROJECT_DIR/given"' })

// F101
test('the event arrives as one compact line, and then standard input ends', async () => {
  const { hooks, read } = keeping()
  await hooks.fire('PreToolUse', bash('echo "zwölf\n"'))
  const given = read('given')
  expect(given.endsWith('}\n')).toBe(true)
  expect(given.indexOf('\n')).toBe(given.length - 1)
  expect(given.trim()).toBe(JSON.stringify(JSON.parse(given)))
  expect(JSON.parse(given)).toMatchObject({
    event: 'pre_tool_use',
    session_id: 'session-1',
    tool_name: 'Bash',
    tool_input: { command: 'echo "zwölf\n"' }
  })
})

// F102
test.each(Object.entries(payloads))(
  '%s has the fields of the contract, in its order, and ours after them',
  async (name, payload) => {
    const event = name as EventName
    const { hooks, read } = keeping(event)
    const { hook_event_name: _, ...input } = payload
    await hooks.fire(event, input as unknown as FireInput<typeof event>)
    const given = JSON.parse(read('given')) as Record<string, unknown>
    expect(given).toMatchObject(payload)
    // We say it on every event; the contract, on some.
    const keys = Object.keys(given).filter(key => key !== 'permission_mode' || key in payload)
    const own = 'event' in payload ? [] : ['event']
    const prompt = event === 'UserPromptSubmit' ? ['user_prompt'] : []
    const subagent = 'agent_id' in payload && 'agent_type' in payload ? ['subagent_id', 'subagent_type'] : []
    const ours = [...own, ...prompt, ...subagent, 'timestamp']
    expect(keys).toEqual([...Object.keys(payload), ...ours])
  }
)

test('the payload of every event is compared', () => {
  expect(Object.keys(payloads).toSorted()).toEqual(EVENT_NAMES.toSorted())
})

test('a prompt has both of its names', async () => {
  const { hooks, read } = keeping('UserPromptSubmit')
  await hooks.fire('UserPromptSubmit', { prompt: 'Tidy up' })
  expect(JSON.parse(read('given'))).toMatchObject({ prompt: 'Tidy up', user_prompt: 'Tidy up' })
})

test('within a subagent, who it is comes after the permission mode', async () => {
  const { hooks, read } = keeping()
  await hooks.fire('PreToolUse', { ...bash(), agent_id: 'agent-1', agent_type: 'Explore', prompt_id: 'p' })
  const base = ['session_id', 'transcript_path', 'cwd', 'prompt_id', 'permission_mode', 'agent_id', 'agent_type']
  expect(Object.keys(JSON.parse(read('given')) as object).slice(0, 8)).toEqual([...base, 'hook_event_name'])
})

// F112, FM17
test('megabytes of input arrive whole', async () => {
  const { hooks, read } = keeping()
  const command = 'x'.repeat(5_000_000)
  await hooks.fire('PreToolUse', bash(command))
  expect((JSON.parse(read('given')) as { tool_input: object }).tool_input).toEqual({ command })
})

// F112, FM17
test.each(['exit 0', 'exec <&-; exit 0', 'sleep 0.05; echo "{}"'])(
  'a command that never reads its input is no failure: %s',
  async command => {
    const { hooks } = hookScene().command({ command })
    const outcome = await hooks.fire('PreToolUse', bash('x'.repeat(3_000_000)))
    expect(outcome).toMatchObject({ decision: undefined, failures: [] })
  }
)

// F112
test('a command that reads a part of megabytes may refuse for it', async () => {
  const { hooks } = hookScene().command({ command: 'head -c 100 > /dev/null; echo enough >&2; exit 2' })
  expect(await hooks.fire('PreToolUse', bash('x'.repeat(3_000_000)))).toMatchObject({ blocked: true, reason: 'enough' })
})

// F112
test('of nearly a megabyte the beginning is shown, and the whole is in a file', async () => {
  const { hooks } = hookScene().command({
    command: `printf '{"hookSpecificOutput":{"additionalContext":"'; head -c 900000 /dev/zero | tr '\\0' x; printf '"}}'`
  })
  const { additionalContext } = await hooks.fire('PreToolUse', bash())
  const [, shown, file] = /^(x+)… \(900000 characters; all of it is in (.*)\)$/.exec(additionalContext ?? '') ?? []
  expect(shown).toHaveLength(2000)
  expect(readFileSync(file!, 'utf8')).toBe('x'.repeat(900_000))
  rmSync(file!)
})

test('a hook that is asked again is told so', async () => {
  const { hooks, read } = hookScene().command({ command: 'cat >> given' })
  hooks.on('PreToolUse', () => ({ updatedInput: { command: 'ls -l' } }), { priority: -1 })
  await hooks.fire('PreToolUse', bash('ls'))
  const asked = read('given')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
  expect(asked.map(({ tool_input, rejudge }) => ({ tool_input, rejudge }))).toEqual([
    { tool_input: { command: 'ls' }, rejudge: undefined },
    { tool_input: { command: 'ls -l' }, rejudge: true }
  ])
})

test('S7: a command on SubagentStart reads the subagent under both of its names', async () => {
  const { hooks, read } = keeping('SubagentStart')
  await hooks.fire('SubagentStart', { agent_id: 'a1', agent_type: 'Explore', description: 'look' })
  expect(JSON.parse(read('given'))).toMatchObject({ subagent_id: 'a1', subagent_type: 'Explore', description: 'look' })
})
