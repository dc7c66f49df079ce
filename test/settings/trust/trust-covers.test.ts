/** Which files trust covers: those that a command names, in any form, and those beside them. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { giveTrust, loadSettings, trustOf } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** Whether a change of this file voids the trust in a hook. */
function covers(here: SettingsScene, settings: object, file = 'project/.claude/hooks/check.sh'): boolean {
  here.write(file, 'exit 0\n')
  here.ofProject(settings)
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  here.write(file, 'exit 1\n')
  return trustOf(here.load(), here.where).state === 'changed'
}

// S11
test.each([
  '.claude/hooks/check.sh',
  './.claude/hooks/check.sh',
  '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh',
  '"$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh"',
  '$CLAUDE_PROJECT_DIR/.claude/hooks/check.sh --fast',
  '${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh',
  '"${CLAUDE_PROJECT_DIR}"/.claude/hooks/check.sh',
  '${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/check.sh',
  '"${CLAUDE_PROJECT_DIR:-$(pwd)}"/.claude/hooks/check.sh',
  'bash .claude/hooks/check.sh',
  'bash -e .claude/hooks/check.sh',
  'FOO=1 bash .claude/hooks/check.sh',
  'env FOO=1 .claude/hooks/check.sh',
  `'.claude/hooks/check.sh'`,
  `sh -c 'exec .claude/hooks/check.sh'`,
  `bash -c "cd . && .claude/hooks/check.sh"`,
  'cd "$CLAUDE_PROJECT_DIR" && .claude/hooks/check.sh',
  'cd .claude/hooks && ./check.sh',
  'cd "$CLAUDE_PROJECT_DIR"/.claude/hooks; sh check.sh',
  '$(git rev-parse --show-toplevel)/.claude/hooks/check.sh',
  '"$(git rev-parse --show-toplevel)"/.claude/hooks/check.sh',
  '$PWD/.claude/hooks/check.sh',
  'true; .claude/hooks/check.sh',
  'jq . | .claude/hooks/check.sh',
  '.claude/hooks/check.sh>/dev/null',
  '(.claude/hooks/check.sh)',
  'node --import=./.claude/hooks/check.sh x',
  '. .claude/hooks/check.sh',
  '.claude/../.claude/hooks/check.sh'
])('%s', command => {
  expect(covers(settingsScene(), commandOn('PreToolUse', command))).toBe(true)
})

test.each([
  '.claude/my hooks/check.sh',
  '"$CLAUDE_PROJECT_DIR/.claude/my hooks/check.sh"',
  String.raw`.claude/my\ hooks/check.sh`
])('a path with a blank in it: %s', command => {
  expect(covers(settingsScene(), commandOn('Stop', command), 'project/.claude/my hooks/check.sh')).toBe(true)
})

test('an absolute path into the project', () => {
  const here = settingsScene()
  expect(covers(here, commandOn('Stop', here.path('project/.claude/hooks/check.sh')))).toBe(true)
})

test('the arguments of a program, and the program itself', () => {
  for (const hook of [
    { command: 'bash', args: ['-e', '${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh'] },
    { command: '.claude/hooks/check.sh', args: [] },
    { command: 'node', args: ['--require=.claude/hooks/check.sh'] }
  ])
    expect(covers(settingsScene(), { hooks: { Stop: [{ hooks: [{ type: 'command', ...hook }] }] } })).toBe(true)
})

test('a worker and a module as well', () => {
  expect(
    covers(settingsScene(), {
      carabiner: { hooks: { Stop: [{ hooks: [{ type: 'worker', command: 'sh .claude/hooks/check.sh' }] }] } }
    })
  ).toBe(true)
  expect(covers(settingsScene(), { carabiner: { modules: ['.claude/hooks/check.sh'] } })).toBe(true)
})

test('files beside a script, but not beside one in the root of the project', () => {
  const here = settingsScene()
  here.write('project/tools/run.sh', 'exit 0\n')
  expect(covers(here, commandOn('Stop', 'tools/run.sh'), 'project/tools/lib.py')).toBe(true)
  here.write('project/run.sh', 'exit 0\n')
  expect(covers(here, commandOn('Stop', './run.sh'), 'project/lib.py')).toBe(false)
  expect(covers(here, commandOn('Stop', './run.sh'), 'project/run.sh')).toBe(true)
})

test('a script among thousands of files', () => {
  const here = settingsScene()
  mkdirSync(here.path('project/.claude/hooks'), { recursive: true })
  for (let number = 0; number < 2500; number++) writeFileSync(here.path(`project/.claude/hooks/a${number}.sh`), '')
  expect(covers(here, commandOn('Stop', '.claude/hooks/zzz.sh'), 'project/.claude/hooks/zzz.sh')).toBe(true)
  expect(covers(here, commandOn('Stop', '.claude/hooks/zzz.sh'), 'project/.claude/hooks/a1.sh')).toBe(true)
})

test.each([
  ['of megabytes', `true ${'x'.repeat(2_000_000)} .claude/hooks/check.sh`],
  ['that goes to many folders', `${'cd .claude; '.repeat(100_000)} hooks/check.sh`]
])('a command %s is told of at once, and refused rather than run unseen', async (_, command) => {
  const here = settingsScene()
  here.write('project/.claude/hooks/check.sh', 'exit 0\n')
  here.ofProject(commandOn('PreToolUse', command))
  giveTrust(here.load(), here.where)
  expect(trustOf(here.load(), here.where).state).toBe('trusted')
  const { blocked, failures } = await fireArmed(await here.arm())
  expect(blocked).toBe(true)
  expect(failures).toMatchObject([{ kind: 'untrusted', message: expect.stringContaining('put it into a script') }])
})

test('what cannot be read or is no file is no trouble', () => {
  const here = settingsScene()
  mkdirSync(here.path('project/.claude/hooks/check.sh'), { recursive: true })
  symlinkSync('nowhere', here.path('project/.claude/hooks/broken'))
  symlinkSync('loop', here.path('project/.claude/hooks/loop'))
  symlinkSync('/dev/zero', here.path('project/.claude/hooks/zero'))
  here.ofProject(commandOn('Stop', '.claude/hooks/check.sh .claude/hooks/broken .claude/hooks/loop .claude/hooks/zero'))
  expect(trustOf(here.load(), here.where).state).toBe('untrusted')
})

test('parts do not run into one another: no file can pass for a declaration, or two for one', () => {
  const here = settingsScene()
  const digests = [
    commandOn('Stop', 'true', undefined, { timeout: 1 }),
    commandOn('Stop', 'true", "x'),
    commandOn('Stop', 'true\u0000\nx'),
    commandOn('Stop', 'true\n["x","y"]\n')
  ].map(settings => {
    here.ofProject(settings)
    return trustOf(here.load(), here.where).digest
  })
  expect(new Set(digests).size).toBe(4)
  here.ofProject(commandOn('Stop', 'hook Stop  hook'))
  const before = trustOf(here.load(), here.where).digest
  here.write('project/hook Stop  hook', 'x')
  expect(trustOf(here.load(), here.where).digest).not.toBe(before)
})

describe('a program without a path', () => {
  /** A PATH of its own for a test. */
  function searching(...folders: readonly string[]): void {
    const before = process.env['PATH']
    process.env['PATH'] = folders.join(':')
    onTestFinished(() => void (process.env['PATH'] = before))
  }

  // S11
  test.each([
    ['by its full path', (root: string) => `${root}/bin`],
    ['by a relative path', () => 'bin'],
    ['by an empty entry', () => '']
  ])('that PATH finds in the project itself (%s) is refused', async (_, folder) => {
    const { write, path, ofProject, arm } = settingsScene()
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    write('project/guard', '#!/bin/sh\nexit 0\n')
    searching(folder(path('project')), ...process.env['PATH']!.split(':'))
    ofProject(commandOn('PreToolUse', 'guard --now'))
    const { blocked, failures } = await fireArmed(await arm())
    expect(blocked).toBe(true)
    expect(failures).toMatchObject([
      { kind: 'untrusted', message: expect.stringContaining('guard would be found in the project') }
    ])
  })

  test('through a link, too', async () => {
    const { write, path, ofProject, arm } = settingsScene()
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    symlinkSync(path('project'), path('link'))
    searching(path('link/bin'), ...process.env['PATH']!.split(':'))
    ofProject(commandOn('PreToolUse', 'guard'))
    expect((await fireArmed(await arm())).failures).toMatchObject([{ kind: 'untrusted' }])
  })

  test('what may not be executed is passed over, as a shell would', async () => {
    const { write, path, ofProject, arm } = settingsScene()
    write('other/guard', '')
    rmSync(path('other/guard'))
    writeFileSync(path('other/guard'), '', { mode: 0o644 })
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    searching(path('other'), path('project/bin'), ...process.env['PATH']!.split(':'))
    ofProject(commandOn('PreToolUse', 'guard'))
    expect((await fireArmed(await arm())).failures).toMatchObject([{ kind: 'untrusted' }])
  })

  test('one from elsewhere runs, and so does a hook of the user’s that is found there', async () => {
    const { write, path, ofProject, user, arm } = settingsScene()
    write('project/bin/guard', '#!/bin/sh\nexit 0\n')
    searching(path('project/bin'), ...process.env['PATH']!.split(':'))
    ofProject(commandOn('PreToolUse', 'true'))
    user(commandOn('PreToolUse', 'guard'))
    expect((await fireArmed(await arm())).failures).toEqual([])
  })
})

test('a folder of managed policy or of the user is not the project’s: its scripts need no trust', () => {
  const { user, write, where } = settingsScene()
  write('home/.claude/hooks/check.sh', 'exit 0\n')
  user(commandOn('Stop', '~/.claude/hooks/check.sh'))
  expect(trustOf(loadSettings(where), where).state).toBe('nothing')
})
