/** `carabiner hooks list`: every hook, where it comes from, and whether it is in force. */
import { expect, test, vi } from 'vitest'
import { cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, refuses, rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

interface Listed {
  readonly root: string
  readonly profile: string
  readonly trust: Readonly<Record<string, unknown>>
  readonly hooks: readonly Readonly<Record<string, unknown>>[]
  readonly modules: readonly object[]
  readonly findings: readonly object[]
}

test('an empty folder: no hooks, and no fault', async () => {
  const { run, project } = cliStage()
  expect(await run(['hooks', 'list'])).toEqual({
    code: 0,
    signal: null,
    stdout: `no hooks found for ${project}\n`,
    stderr: ''
  })
})

test('a table with a line for each hook', async () => {
  const { user, settings, run } = cliStage()
  user(commandOn('Stop', 'say   done', undefined, { timeout: 5 }))
  settings({ hooks: { PreToolUse: [rule('.claude/check.sh', 'Bash')] } })
  const { stdout, stderr, code } = await run(['hooks', 'list'])
  const [head, ...lines] = stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split(/ {2,}/))
  expect(head).toEqual(['EVENT', 'MATCHER', 'KIND', 'RUNS', 'SOURCE', 'TIMEOUT', 'IF IT FAILS', 'STATE'])
  expect(lines).toEqual([
    [
      'PreToolUse',
      'Bash',
      'command',
      '.claude/check.sh',
      '.claude/settings.json:7',
      '600 s',
      'block',
      'off: the project is not trusted'
    ],
    [
      'Stop',
      '*',
      'command',
      'say done',
      expect.stringMatching(/home\/\.claude\/settings\.json:\d+$/),
      '5 s',
      'continue',
      'in force'
    ]
  ])
  expect([code, stderr]).toEqual([0, 'The project is not trusted: carabiner hooks trust\n'])
})

test('--json: event, matcher, kind, source, trust, timeout and policy of each', async () => {
  const { user, settings, json, project } = cliStage()
  const own = user(commandOn('PreToolUse', 'a', 'Bash', { onFailure: 'continue', name: 'mine' }))
  const theirs = settings(commandOn('PreToolUse', 'b', 'Edit|Write', { timeout: 3 }))
  const listed = await json<Listed>(['hooks', 'list'])
  expect(listed).toMatchObject({
    root: project,
    profile: 'strict',
    trust: { state: 'untrusted' },
    modules: [],
    findings: []
  })
  expect(listed.hooks).toMatchObject([
    {
      ...{ matcher: 'Edit|Write', runs: 'b', scope: 'project', source: `${theirs}:7`, trust: 'untrusted' },
      ...{ inForce: false, off: 'the project is not trusted', timeout: 3, onFailure: 'block' }
    },
    {
      ...{ event: 'PreToolUse', matcher: 'Bash', kind: 'command', name: 'mine', runs: 'a', scope: 'user' },
      ...{ source: `${own}:7`, key: 'hooks.PreToolUse[0].hooks[0]', trust: 'not needed', inForce: true },
      ...{ timeout: 600, onFailure: 'continue' }
    }
  ])
})

test('why a hook is not in force is said for each', async () => {
  const { user, write, json } = cliStage()
  user({ disableAllHooks: true, ...commandOn('Stop', 'a') })
  write('managed/managed-settings.json', commandOn('Stop', 'b'))
  write(
    'home/.claude/skills/review/SKILL.md',
    '---\nname: review\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: c\n---\n'
  )
  const { hooks } = await json<Listed>(['hooks', 'list'])
  expect(hooks.map(({ runs, scope, inForce, off }) => [runs, scope, inForce, off])).toEqual([
    ['c', 'skill', false, 'switched off by disableAllHooks'],
    ['a', 'user', false, 'switched off by disableAllHooks'],
    ['b', 'managed', true, undefined]
  ])
})

test('--profile: what a failure means under it', async () => {
  const { user, json } = cliStage()
  user(commandOn('PreToolUse', 'a'))
  expect(await json<Listed>(['hooks', 'list', '--profile', 'compat'])).toMatchObject({
    profile: 'compat',
    hooks: [{ onFailure: 'continue' }]
  })
})

test('what a program is given stands in the line, and modules are listed', async () => {
  const { user, write, run } = cliStage()
  user({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'bash', args: ['-c', 'rm x', 'y'] }] }] } })
  write('project/.claude/settings.json', { carabiner: { modules: ['hooks.ts'] } })
  const { stdout } = await run(['hooks', 'list'])
  expect(stdout).toContain('bash -c "rm x" y')
  expect(stdout).toMatch(/^module \S*project\/hooks\.ts {2}off: the project is not trusted$/m)
})

test('what is wrong in a file is said, and the rest is listed', async () => {
  const { user, settings, run } = cliStage()
  user(commandOn('Stop', 'a'))
  const file = settings('{ "hooks": { "Stop": [ }')
  const { code, stdout, stderr } = await run(['hooks', 'list'])
  expect(code).toBe(0)
  expect(stdout).toContain('in force')
  expect(stderr).toContain(`error ${file}:1:`)
})

test('200 hooks are 200 lines', async () => {
  const { settings, run, write } = cliStage()
  const names = Array.from({ length: 200 }, (_, number) => `.claude/hooks/check-${number}.sh`)
  for (const name of names) write(`project/${name}`, '#!/bin/sh\n', 0o755)
  settings({ hooks: { PreToolUse: names.map(name => rule(name, 'Bash')) } })
  expect((await run(['hooks', 'list'])).stdout.trimEnd().split('\n')).toHaveLength(201)
})

test('nothing is run, whatever is there', async () => {
  const { user, settings, run, read, write } = cliStage()
  user(commandOn('Stop', 'touch "$HOME/ran"'))
  settings({ ...commandOn('SessionStart', refuses('x')), carabiner: { modules: ['own.mjs'] } })
  write('project/own.mjs', `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.HOME + '/ran', '')`)
  await run(['hooks', 'list', '--trust-project-hooks'])
  expect(() => read('home/ran')).toThrow('ENOENT')
})
