/** Hooks in `.claude/settings.json`, after trust, in a run. */
import { expect, test, vi } from 'vitest'
import { agent, callReply, streamLines, textReply, type Agent, type StreamLine } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, decides, prints, refuses, rule } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** A run in a project with these hooks, which are trusted. */
async function runWith(run: Agent, hooks: object, ...args: readonly string[]) {
  run.settings({ hooks })
  const ran = await run.ask(['Go', '--trust-project-hooks', '--output-format', 'stream-json', ...args])
  expect(ran.code).toBe(0)
  return streamLines(ran)
}

/** What the model received in the request with this index. */
const told = ({ server }: Agent, number: number): string => JSON.stringify(server.requests[number]?.body.messages)

const results = (lines: readonly StreamLine[]): readonly string[] =>
  lines.filter(({ type }) => type === 'user').map(line => JSON.stringify(line['message']))

// F130, F131
test('a hook refuses a call: it does not run, and the model is told who refused and why', async () => {
  const run = await agent([callReply(['Bash', { command: 'rm -rf build' }]), textReply('I see.')])
  run.write('project/build/a.txt', 'a')
  const guard = `grep -q 'rm -rf' && { echo 'not here' >&2; exit 2; }; exit 0`
  const lines = await runWith(run, { PreToolUse: [rule(guard, 'Bash')] }, '--dangerously-skip-permissions')
  expect(run.read('project/build/a.txt')).toBe('a')
  expect(results(lines)[0]).toContain('PreToolUse:Bash hook error')
  expect(told(run, 1)).toContain('not here')
  expect(lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] })
})

// F132, F134
test('a hook allows a call with another input, and that is what runs', async () => {
  const run = await agent([callReply(['Write', { file_path: 'draft.txt', content: 'x' }]), textReply('Done.')])
  const updatedInput = { file_path: run.path('project/final.txt'), content: 'better\n' }
  await runWith(run, { PreToolUse: [rule(decides('allow', { updatedInput }), 'Write')] })
  expect(run.read('project/final.txt')).toBe('better\n')
  expect(() => run.read('project/draft.txt')).toThrow('ENOENT')
})

// F143, F144, F145, F155
test('context: of SessionStart in every system prompt, of others once, in the next call', async () => {
  const run = await agent([callReply(['Glob', { pattern: '*' }]), textReply('Done.')])
  const adds = (hookEventName: string, additionalContext: string): string =>
    prints({ hookSpecificOutput: { hookEventName, additionalContext } })
  await runWith(run, {
    SessionStart: [rule('echo the shop is closed')],
    UserPromptSubmit: [rule('echo today is a Sunday')],
    PreToolUse: [rule(adds('PreToolUse', 'before the call'))],
    PostToolUse: [rule(adds('PostToolUse', 'after the call'))]
  })
  const systems = run.server.requests.map(({ body }) => JSON.stringify(body.system))
  expect(systems.every(system => system.includes('the shop is closed'))).toBe(true)
  expect(told(run, 0)).toContain('today is a Sunday')
  expect(told(run, 0)).not.toContain('the call')
  for (const words of ['today is a Sunday', 'before the call', 'after the call'])
    expect(told(run, 1).split(words)).toHaveLength(2)
})

// F140, F141, F142
test('a Stop hook keeps the agent going until a file is there', async () => {
  const run = await agent([
    textReply('I think I am done.'),
    callReply(['Write', { file_path: 'done.txt', content: '' }]),
    textReply('Now.')
  ])
  const lines = await runWith(
    run,
    { Stop: [rule('test -e done.txt || { echo "done.txt is missing" >&2; exit 2; }')] },
    '--permission-mode',
    'acceptEdits'
  )
  expect(told(run, 1)).toContain('done.txt is missing')
  expect(lines.at(-1)).toMatchObject({ result: 'Now.', num_turns: 3 })
})

test('variables that SessionStart hooks leave in CLAUDE_ENV_FILE reach commands', async () => {
  const run = await agent([callReply(['Bash', { command: 'echo "it is $SHADE"' }]), textReply('Blue.')])
  const hooks = { SessionStart: [rule(`echo "export SHADE='dark blue'" >> "$CLAUDE_ENV_FILE"`)] }
  const lines = await runWith(run, hooks, '--allowedTools', 'Bash')
  expect(results(lines)[0]).toContain('it is dark blue')
})

// F137
test('a prompt that a hook refuses reaches no model', async () => {
  const run = await agent([textReply('never')])
  const lines = await runWith(run, commandOn('UserPromptSubmit', refuses('not today')).hooks)
  expect(run.server.requests).toHaveLength(0)
  expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: false, result: expect.stringContaining('not today') })
})

// F153
test('a PermissionRequest hook answers where no one else can', async () => {
  const run = await agent([callReply(['Bash', { command: 'touch made.txt' }]), textReply('Done.')])
  const decision = { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } }
  await runWith(run, { PermissionRequest: [rule(prints(decision), 'Bash')] })
  expect(run.read('project/made.txt')).toBe('')
})

test('a hook that crashes closes its gate, and the call is refused in its name', async () => {
  const run = await agent([callReply(['Write', { file_path: 'a.txt', content: 'a' }]), textReply('I see.')])
  const lines = await runWith(run, { PreToolUse: [rule('exit 7')] }, '--permission-mode', 'acceptEdits')
  expect(() => run.read('project/a.txt')).toThrow('ENOENT')
  expect(results(lines)[0]).toContain('exit')
})

test('hooks in the stream: when they start, and what they answered', async () => {
  const run = await agent([callReply(['Glob', { pattern: '*' }]), textReply('Done.')])
  const hooks = { PreToolUse: [rule(decides('allow'), 'Glob')], PostToolUse: [rule('true', 'Bash')] }
  const lines = await runWith(run, hooks, '--include-hook-events')
  const ofHooks = lines.filter(({ subtype }) => subtype === 'hook_started' || subtype === 'hook_response')
  expect(ofHooks.map(({ subtype, hook_event }) => [subtype, hook_event])).toEqual([
    ['hook_started', 'PreToolUse'],
    ['hook_response', 'PreToolUse']
  ])
  expect(ofHooks[1]).toMatchObject({ outcome: 'success', exit_code: 0, stdout: expect.stringContaining('allow') })
})

test('--init-only prepares the project, and asks no model', async () => {
  const run = await agent()
  run.settings({ hooks: { Setup: [rule('cat > prepared.json', 'init')], SessionEnd: [rule('touch over')] } })
  const ran = await run.run(['run', '--init-only', '--trust-project-hooks', '--model', 'script:none.yaml'])
  expect(ran.stderr).toContain('none.yaml')
  run.write('project/none.yaml', '- never\n')
  expect(await run.run(['run', '--init-only', '--trust-project-hooks', '--model', 'script:none.yaml'])).toMatchObject({
    code: 0,
    stdout: ''
  })
  expect(JSON.parse(run.read('project/prepared.json'))).toMatchObject({ hook_event_name: 'Setup', trigger: 'init' })
  expect(run.read('project/over')).toBe('')
})
