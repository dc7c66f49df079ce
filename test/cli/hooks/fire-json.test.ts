/** `carabiner fire --json`: one object, always with the same keys. */
import { expect, test, vi } from 'vitest'
import { escaped, type Fired, cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides, refuses, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** What programs may rely on. */
const KEYS = ['event', 'precedence', 'profile', 'outcome', 'hooks']
const OF_OUTCOME = [
  ...['decision', 'reason', 'reasons', 'updatedInput', 'additionalContext', 'systemMessage', 'continue'],
  ...['stopReason', 'suppressOutput', 'conflicts']
]
const OF_HOOK = [
  ...['name', 'source', 'kind', 'matched', 'ran', 'why', 'status', 'reply', 'failure', 'exitCode', 'stderr', 'ms']
]

test('it has these keys, whatever happened', async () => {
  const { user, write, json } = cliStage()
  user({
    hooks: {
      PreToolUse: [
        rule(refuses('no'), 'Bash'),
        rule('true', 'Edit'),
        rule('exit 3', 'Bash'),
        { hooks: [{ type: 'agent', prompt: 'Is it safe?' }] }
      ]
    }
  })
  const module = write('home/own.mjs', `export default hooks => hooks.on('PreToolUse', '', () => undefined)`)
  for (const args of [['PreToolUse', '--explain', '--hooks', module], ['Stop'], ['UserPromptSubmit', '--explain']]) {
    const fired = await json<Fired>(['fire', ...args])
    expect(Object.keys(fired)).toEqual(KEYS)
    expect(Object.keys(fired.outcome)).toEqual(expect.arrayContaining(OF_OUTCOME))
    for (const hook of fired.hooks) expect(Object.keys(hook)).toEqual(expect.arrayContaining(OF_HOOK))
  }
})

test('nothing was said: null, and nothing is missing', async () => {
  const { json } = cliStage()
  const { event, precedence, profile, outcome, hooks } = await json<Fired>(['fire', 'PreToolUse'])
  expect([event, precedence, profile, hooks]).toEqual(['PreToolUse', 'ask-over-allow', 'strict', []])
  expect(outcome).toMatchObject({
    ...{ decision: null, reason: null, reasons: [], updatedInput: null, additionalContext: null },
    ...{ systemMessage: null, continue: null, stopReason: null, suppressOutput: false, conflicts: [] }
  })
})

test('a hook that refused', async () => {
  const { user, json } = cliStage()
  const file = user(commandOn('PreToolUse', refuses('no'), 'Bash', { name: 'gate' }))
  const { outcome, hooks } = await json<Fired>(['fire', 'PreToolUse'])
  expect(outcome).toMatchObject({
    decision: 'deny',
    reason: 'no',
    reasons: [{ by: 'gate', decision: 'deny', reason: 'no' }]
  })
  expect(hooks).toEqual([
    {
      name: 'gate',
      source: expect.stringMatching(new RegExp(`^${escaped(file)}:\\d+:\\d+$`)),
      kind: 'command',
      matched: true,
      ran: true,
      why: 'matcher "Bash" fits',
      status: 'answered',
      reply: { decision: 'deny', reason: 'no' },
      failure: null,
      exitCode: 2,
      stderr: 'no\n',
      ms: expect.any(Number),
      notes: []
    }
  ])
})

test('a hook that failed says how, and its gate is closed', async () => {
  const { user, json } = cliStage()
  user(commandOn('PreToolUse', 'echo oh >&2; exit 5'))
  const { outcome, hooks } = await json<Fired>(['fire', 'PreToolUse'])
  expect(outcome).toMatchObject({ decision: 'deny', blocked: true })
  expect(hooks).toMatchObject([
    {
      status: 'failed',
      reply: null,
      failure: { kind: 'exit', message: expect.stringContaining('5') },
      exitCode: 5,
      stderr: 'oh\n'
    }
  ])
})

test('what changes the input, and who it conflicts with', async () => {
  const { user, json } = cliStage()
  const rewrite = (command: string): object =>
    rule(decides('allow', { updatedInput: { command } }), 'Bash', { name: command })
  user({ hooks: { PreToolUse: [rewrite('ls -a'), rewrite('ls -b')] } })
  const { outcome } = await json<Fired>(['fire', 'PreToolUse'])
  expect(outcome['updatedInput']).toMatchObject({ command: 'ls -b' })
  expect(outcome['conflicts']).toMatchObject([{ key: 'command' }])
})

test('each kind is named: command, worker, http, callback', async () => {
  const { user, write, json } = cliStage()
  const command = { type: 'command', command: 'true' }
  const http = { type: 'http', url: 'http://127.0.0.1:9/' }
  const worker = { type: 'worker', command: 'exit 1' }
  user({ hooks: { Stop: [{ hooks: [command, http] }] }, carabiner: { hooks: { Stop: [{ hooks: [worker] }] } } })
  const module = write('home/own.mjs', `export default hooks => hooks.on('Stop', '', () => undefined)`)
  const { hooks } = await json<Fired>(['fire', 'Stop', '--hooks', module])
  expect(hooks).toHaveLength(4)
  expect(hooks.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['callback', 'command', 'http', 'worker']))
})

test('what ran is listed; with --explain what did not, too', async () => {
  const { user, write, json } = cliStage()
  user({ hooks: { PreToolUse: [rule('true', 'Edit'), rule('true', 'Bash')] } })
  const lines = ['PreToolUse', 'Stop'].map(event => `  ${event}: [{ hooks: [{ type: command, command: "exit 2" }] }]`)
  write('home/.claude/skills/careful/SKILL.md', ['---', 'hooks:', ...lines, '---', ''].join('\n'))
  const standing = ({ hooks }: Fired): unknown => hooks.map(({ matched, ran, status }) => [matched, ran, status])
  expect(standing(await json<Fired>(['fire', 'PreToolUse']))).toEqual([[true, true, 'silent']])
  const explained = await json<Fired>(['fire', 'PreToolUse', '--explain'])
  expect(standing(explained)).toEqual(
    expect.arrayContaining([
      [true, true, 'silent'],
      [false, false, 'skipped'],
      [false, false, 'skipped']
    ])
  )
  expect(explained.hooks.map(({ why }) => why)).toEqual(
    expect.arrayContaining(['matcher "Edit" does not fit "Bash"', 'only active while skill careful is active'])
  )
  expect(explained.hooks).toHaveLength(3)
})

test('nothing but the object is on standard output, whatever hooks print', async () => {
  const { user, run } = cliStage()
  user(commandOn('PreToolUse', 'echo noise; echo more noise >&2'))
  const { stdout, stderr } = await run(['fire', 'PreToolUse', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ event: 'PreToolUse' })
  expect(stderr).toBe('')
})
