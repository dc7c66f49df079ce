/** `carabiner fire`: one event through the hooks in force, and a report for people. */
import { describe, expect, test, vi } from 'vitest'
import { EVENTS } from '../../../src/hooks.ts'
import { type Fired, cliStage, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, prints, refuses, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

test('no hook at all: no one objects, and the report says so', async () => {
  const { run } = cliStage()
  expect(await run(['fire', 'PreToolUse'])).toEqual({
    code: 0,
    signal: null,
    stdout: 'PreToolUse  profile strict\n  no hook ran\n  → add --explain to see why\n  outcome  no objection\n',
    stderr: ''
  })
})

test('a hook that refuses: who, how long, with which code, and why', async () => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', refuses('not on a Friday'), 'Bash', { name: 'calendar' }))
  const { code, stdout, stderr } = await run(['fire', 'PreToolUse'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^ {2}calendar {2}\d+ ms, exit code 2$/m)
  expect(stdout).toMatch(/^ {2}outcome {2}deny, by calendar: not on a Friday$/m)
})

test('a hook without a name is named by its command, and where it stands', async () => {
  const { user, run } = cliStage()
  user(commandOn('Stop', 'true'))
  expect((await run(['fire', 'Stop'])).stdout).toMatch(
    /^ {2}true \(\S*settings\.json:\d+\) {2}\d+ ms, exit code 0\n {4}no opinion$/m
  )
})

test('a rewrite, context and messages are shown', async () => {
  const { user, run } = cliStage()
  user({
    hooks: {
      PreToolUse: [
        rule(decides('allow', { updatedInput: { command: 'ls' }, additionalContext: 'listing only' }), 'Bash'),
        rule(prints({ systemMessage: 'mind the gap' }), 'Bash')
      ]
    }
  })
  const { stdout } = await run(['fire', 'PreToolUse', '--tool', 'Bash'])
  expect(stdout).toContain('  input    {"command":"ls"}\n')
  expect(stdout).toContain('  context  listing only\n')
  expect(stdout).toContain('  message  mind the gap (to the user)\n')
})

test('a run that would end says so', async () => {
  const { user, run } = cliStage()
  user(commandOn('PostToolUse', prints({ continue: false, stopReason: 'enough' })))
  expect((await run(['fire', 'PostToolUse'])).stdout).toContain('  the run would end: enough\n')
})

test('a hook that fails closes the gate, and the report says how it failed', async () => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', 'exit 7'))
  const { code, stdout } = await run(['fire', 'PreToolUse'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/failed \(exit\): .*\b7\b/)
  expect(stdout).toMatch(/outcome {2}deny/)
})

test('--profile compat lets pass what Claude Code lets pass, and says that', async () => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', 'exit 7'))
  const { stdout } = await run(['fire', 'PreToolUse', '--profile', 'compat'])
  expect(stdout).toContain('PreToolUse  profile compat\n')
  expect(stdout).toContain('no objection')
  expect(stdout).toContain('a hook failed and the call was allowed anyway')
})

test('--explain adds the hooks that did not run, each with its reason and its place', async () => {
  const { user, write, run } = cliStage()
  const file = user({
    hooks: {
      PreToolUse: [rule('true', 'Edit'), rule('true', 'Bash', { if: 'Bash(git *)' })]
    }
  })
  const owned = '---\nhooks:\n  Stop:\n    - hooks:\n        - { type: command, command: is-it-done }\n---\n'
  write('home/.claude/skills/careful/SKILL.md', owned)
  const { stdout } = await run(['fire', 'PreToolUse', '--explain', '--set', 'tool_input.command=ls'])
  expect(stdout).toContain(`did not run: matcher "Edit" does not fit "Bash"  (${file}:`)
  expect(stdout).toMatch(/did not run: .*Bash\(git \*\)/)
  expect(stdout).not.toContain('is-it-done')
  const stop = await run(['fire', 'Stop', '--explain'])
  expect(stop.stdout).toMatch(/is-it-done {2}is not active: only active while skill careful is active/)
})

describe('a hook that needs an agent', () => {
  const gated = (): CliStage => {
    const here = cliStage()
    here.user({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'prompt', prompt: 'Is it safe?' }] }] } })
    return here
  }

  test('cannot be asked: it is named, and its gate is closed', async () => {
    const { run, json } = gated()
    const { code, stdout } = await run(['fire', 'PreToolUse', '--exit-code'])
    expect(stdout).toMatch(/Is it safe\? .*\n {4}failed \(spawn\): there is no model to ask without an agent/)
    expect(stdout).toMatch(/outcome {2}deny, by Is it safe\?/)
    expect(code).toBe(2)
    expect(await json<Fired>(['fire', 'PreToolUse'])).toMatchObject({
      outcome: { decision: 'deny', blocked: true },
      hooks: [{ kind: 'prompt', matched: true, ran: true, status: 'failed', failure: { kind: 'spawn' } }]
    })
  })

  test('whose failure lets pass has not agreed either', async () => {
    const { run } = gated()
    const { code, stdout } = await run(['fire', 'PreToolUse', '--exit-code', '--profile', 'compat'])
    expect(stdout).toContain('there is no model to ask without an agent')
    expect(code).toBe(1)
  })

  test('that does not fit has nothing to say', async () => {
    const { run } = gated()
    const { code, stdout } = await run(['fire', 'PreToolUse', '--exit-code', '--tool', 'Read'])
    expect([code, stdout.includes('Is it safe?')]).toEqual([0, false])
  })
})

test('a hook of the home says so where it is named, a hook of the project does not', async () => {
  const { user, settings, run } = cliStage()
  user(commandOn('Stop', refuses('mine')))
  settings(commandOn('Stop', 'true'))
  const { stdout } = await run(['fire', 'Stop', '--trust-project-hooks'])
  expect(stdout).toMatch(/^ {2}echo 'mine' >&2; exit 2 \(~\/\.claude\/settings\.json:\d+\) {2}\d+ ms/m)
  expect(stdout).toMatch(/^ {2}true \(\.claude\/settings\.json:\d+\) {2}\d+ ms/m)
  expect(stdout).toMatch(/^ {2}outcome {2}deny, by echo 'mine' >&2; exit 2 \(~\/\.claude\/settings\.json:\d+\): mine$/m)
})

test('--exit-code ends with 2 when the event is blocked, and only then', async () => {
  const { user, run } = cliStage()
  user({ hooks: { PreToolUse: [rule(refuses('no'), 'Bash')], PostToolUse: [rule('exit 1')] } })
  expect((await run(['fire', 'PreToolUse', '--exit-code'])).code).toBe(2)
  expect((await run(['fire', 'PreToolUse', '--exit-code', '--json'])).code).toBe(2)
  expect((await run(['fire', 'PreToolUse', '--exit-code', '--tool', 'Read'])).code).toBe(0)
  expect((await run(['fire', 'PostToolUse', '--exit-code'])).code).toBe(0)
})

test.each(['PreToolUse', 'pre_tool_use', 'preToolUse'])('the event may be written %s', async name => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', refuses('no')))
  expect((await run(['fire', name, '--exit-code'])).code).toBe(2)
})

test('an entry that is wrong costs that entry: it is said, and the others run', async () => {
  const { user, run } = cliStage()
  const file = user({ hooks: { PreToolUse: [{ hooks: [{ type: 'comand', command: 'x' }] }, rule(refuses('no'))] } })
  const { code, stdout, stderr } = await run(['fire', 'PreToolUse'])
  expect(code).toBe(0)
  expect(stdout).toContain('deny')
  expect(stderr).toContain(`error ${file}:`)
  expect(stderr).toContain('did you mean "command"?')
})

test('a rewrite that a run refuses is refused, by fire, check --run and test', async () => {
  const { user, run, write } = cliStage()
  const reply = (event: string, updatedInput: object): string =>
    prints({ hookSpecificOutput: { hookEventName: event, updatedInput } })
  for (const [event, part, words] of [
    ['PreModelRequest', { tools: ['Evil'] }, 'request.tools can only leave out tools'],
    ['PostModelResponse', { content: [{ type: 'text', text: '' }] }, 'only the texts of an answer can be changed']
  ] as const) {
    user(commandOn(event, reply(event, part)))
    const fired = await run(['fire', event, '--exit-code'])
    expect([fired.code, fired.stdout]).toEqual([2, expect.stringContaining(words)])
    expect((await run(['hooks', 'check', '--run'])).stdout).toContain(words)
    const sample = JSON.stringify(EVENTS[event].sample)
    write('project/t.hooktest.yaml', `- name: t\n  event: ${event}\n  input: ${sample}\n  expect: { blocked: false }\n`)
    expect((await run(['hooks', 'test', 't.hooktest.yaml'])).stdout).toContain('1 failed')
  }
})
