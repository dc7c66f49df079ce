import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contextOf, hookScene, type HookScene } from '../../../support/external-scene.ts'
import { HANG } from '../../../support/waiting.ts'
import { bash } from '../../../support/hook-inputs.ts'

vi.setConfig({ testTimeout: HANG })

const MINE = `${contextOf('mine')}\n`
const PLANTED = `${contextOf('planted')}\n`

/** A project whose agent has gone into one of its folders, or out of it. */
function away(): HookScene & { readonly cwd: string } {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-away-')))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  return { ...hookScene({ cwd }), cwd }
}

const PWD = contextOf('$(pwd)')

// F109
test('a command runs in the folder of its event', async () => {
  const { command, hooks, cwd } = away()
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: cwd })
})

// F109
test('an event may name a folder of its own', async () => {
  const { command, hooks, path } = hookScene()
  mkdirSync(path('sub'))
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', { ...bash(), cwd: path('sub') })).toMatchObject({
    additionalContext: path('sub')
  })
})

test('where the event names no folder, it is the root of the project', async () => {
  const { command, hooks, folder } = hookScene({ cwd: '' })
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: folder })
})

test.each([
  ['a path', './check.sh', 'check.sh'],
  ['a path without a dot', 'hooks/check.sh', 'hooks/check.sh'],
  ['a path in the settings folder', '.claude/hooks/check.sh', '.claude/hooks/check.sh'],
  ['a path for an interpreter', 'bash .claude/hooks/check.sh', '.claude/hooks/check.sh'],
  ['a path for an interpreter, without a dot', 'bash hooks/check.sh', 'hooks/check.sh'],
  ['a bare name for an interpreter', 'bash check.sh', 'check.sh'],
  ['a path in quotes', '"./hooks/check.sh"', 'hooks/check.sh'],
  ['a path with a blank', 'bash "my hooks/check.sh"', 'my hooks/check.sh'],
  ['a path after a variable', 'LANG=C bash hooks/check.sh', 'hooks/check.sh'],
  ['a path in a pipe', 'cat | bash hooks/check.sh', 'hooks/check.sh']
])('the file of the project is run, not a planted one of the same name: %s', async (_, line, file) => {
  const { command, hooks, write, cwd } = away()
  write(file, MINE)
  const planted = hookScene()
  planted.write(file, PLANTED)
  command({ command: line })
  for (const folder of [cwd, planted.folder]) {
    const outcome = await hooks.fire('PreToolUse', { ...bash(), cwd: folder })
    expect(outcome).toMatchObject({ additionalContext: 'mine', failures: [] })
  }
})

test.each([
  ['a path', ['./check.sh']],
  ['a path without a dot', ['hooks/check.sh']],
  ['a bare name', ['check.sh']]
])('the same in exec form: %s', async (_, args) => {
  const { command, hooks, write } = away()
  const planted = hookScene()
  write(args[0]!, MINE)
  planted.write(args[0]!, PLANTED)
  command({ command: 'bash', args })
  expect(await hooks.fire('PreToolUse', { ...bash(), cwd: planted.folder })).toMatchObject({
    additionalContext: 'mine',
    failures: []
  })
})

test.each(['./check.sh', 'hooks/check.sh', 'bash hooks/check.sh', 'bash ./check.sh', 'bash .claude/hooks/check.sh'])(
  'where the project has no such file, a planted one is not taken for it: %s',
  async line => {
    const { command, hooks } = away()
    const planted = hookScene()
    planted.write(line.replace('bash ', ''), PLANTED)
    command({ command: line })
    const outcome = await hooks.fire('PreToolUse', { ...bash(), cwd: planted.folder })
    expect(outcome.additionalContext).toBeUndefined()
    expect(outcome).toMatchObject({ blocked: true, failures: [{ kind: 'spawn' }] })
  }
)

test('an absolute path runs in the folder of the event', async () => {
  const { command, hooks, write, cwd } = away()
  const file = write('pwd.sh', `${PWD}\n`)
  command({ command: `bash ${file}` })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: cwd })
})

test('a command in the project by its variable runs in the folder of the event', async () => {
  const { command, hooks, write, cwd } = away()
  write('.claude/hooks/pwd.sh', `${PWD}\n`)
  command({ command: 'bash "$CLAUDE_PROJECT_DIR"/.claude/hooks/pwd.sh' })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: cwd })
})

// FM49
test('a folder that is gone is no failure: the command runs in the root of the project', async () => {
  const { command, hooks, folder, cwd } = away()
  rmSync(cwd, { recursive: true })
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: folder, failures: [] })
})

// FM49
test('when the project is gone too, it runs at home', async () => {
  const home = realpathSync(homedir())
  const { command, hooks } = hookScene({ cwd: '/nowhere/at/all' }, { projectDir: '/nowhere/else' })
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', bash())).toMatchObject({ additionalContext: home, failures: [] })
})

test('a file where a folder should be is no folder', async () => {
  const { command, hooks, write, folder } = hookScene()
  const file = write('file', '')
  command({ command: PWD })
  expect(await hooks.fire('PreToolUse', { ...bash(), cwd: file })).toMatchObject({ additionalContext: folder })
})

test.each([
  ['another folder', 'cd tools && ./check.sh', 'tools/check.sh'],
  ['a pattern', 'for f in tools/*.sh; do sh $f; done', 'tools/check.sh'],
  ['a variable of its own', 'D=tools; sh $D/check.sh', 'tools/check.sh']
])('what came with the project is run from its root, by way of %s too', async (_, line, file) => {
  const { command, hooks, write, path } = hookScene()
  write(file, MINE)
  chmodSync(path(file), 0o755)
  write(`sub/${file}`, PLANTED)
  chmodSync(path(`sub/${file}`), 0o755)
  command({ command: line, ofProject: true })
  expect(await hooks.fire('PreToolUse', { ...bash(), cwd: path('sub') })).toMatchObject({ additionalContext: 'mine' })
})

test('what came with the project and names none of its folders runs in the folder of its event', async () => {
  const { command, hooks, path, write } = hookScene()
  write('tools/x', '')
  mkdirSync(path('sub'))
  command({ command: PWD, ofProject: true })
  expect(await hooks.fire('PreToolUse', { ...bash(), cwd: path('sub') })).toMatchObject({
    additionalContext: path('sub')
  })
})
