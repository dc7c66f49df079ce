/** What the command line echoes, from arguments and from files, never acts on a terminal. */
import { expect, test } from 'vitest'
import { type Ran, cliStage } from '../../support/cli-stage.ts'
import { commandOn, rule } from '../../support/command-settings.ts'

/** A title, a colour by a C1 control, a turn of direction, a zero width, a tag, a delete, a way back. */
const HOSTILE = 'x\u001B]0;owned\u0007\u009B31m\u202Etxt\u200B\u2066\u{E0041}\u007F\u0085\u2028\rok'
const RAW = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

function expectTame({ stdout, stderr }: Ran): void {
  expect(stdout).not.toMatch(RAW)
  expect(stderr).not.toMatch(RAW)
  expect(stdout + stderr).not.toBe('')
}

test.each([
  [[HOSTILE]],
  [[`--${HOSTILE}`]],
  [['hooks', HOSTILE]],
  [['hooks', 'list', '--cwd', HOSTILE]],
  [['hooks', 'list', '--setting-sources', HOSTILE]],
  [['hooks', 'list', '--settings', HOSTILE]],
  [['hooks', 'list', '--plugin-dir', HOSTILE]],
  [['hooks', 'list', '--profile', HOSTILE]],
  [['hooks', 'test', HOSTILE]],
  [['hooks', 'trust', '--cwd', HOSTILE]],
  [['fire', HOSTILE]],
  [['fire', 'PreToolUse', '--tool', HOSTILE]],
  [['fire', 'PreToolUse', '--tool', 'Bash', '--set', HOSTILE]],
  [['fire', 'PreToolUse', '--tool', 'Bash', '--set', `tool_input.command=${HOSTILE}`, '--json']],
  [['fire', 'PreToolUse', '--trust', HOSTILE]],
  [['sessions', 'show', HOSTILE]],
  [['sessions', 'verify', HOSTILE]],
  [['sessions', 'export', 'x', '--format', HOSTILE]],
  [['run', '-p', 'hi', '--model', HOSTILE]],
  [['run', '-p', 'hi', '--permission-mode', HOSTILE]],
  [['run', '-p', 'hi', '--max-turns', HOSTILE]],
  [['run', '-p', 'hi', '--resume', HOSTILE]],
  [['run', '-p', 'hi', '--mcp-config', HOSTILE]],
  [['run', '-p', 'hi', '--allowedTools', HOSTILE]],
  [['completion', HOSTILE]]
])('B9: an argument is echoed, not obeyed (%#)', async args => {
  expectTame(await cliStage().run(args))
})

const hostileHook = {
  ...commandOn('PreToolUse', `echo '${HOSTILE}'; exit 1`, HOSTILE, { name: HOSTILE, statusMessage: HOSTILE })
}

test.each([
  ['hooks list', ['hooks', 'list']],
  ['hooks check', ['hooks', 'check']],
  ['hooks check --run', ['hooks', 'check', '--run']],
  ['fire', ['fire', 'PreToolUse', '--tool', HOSTILE]],
  ['run', ['run', '-p', 'hi', '--model', 'script:none.json']]
])('B9: what a settings file holds is shown, not obeyed: %s', async (_, args) => {
  const { user, run } = cliStage()
  user({ ...hostileHook, [HOSTILE]: 1, permissions: { deny: [`Bash(${HOSTILE})`] } })
  expectTame(await run(args))
})

test('B9: the names of files and folders are shown, not obeyed', async () => {
  const { write, run, path } = cliStage()
  const name = HOSTILE.replaceAll(/[/\0]/g, '')
  write(`project/${name}/.claude/settings.json`, { hooks: { PreToolUse: [rule('true')], Nope: [] } })
  for (const args of [
    ['hooks', 'list'],
    ['hooks', 'check'],
    ['hooks', 'trust'],
    ['run', '-p', 'hi']
  ])
    expectTame(await run(args, { cwd: path(`project/${name}`) }))
})

test.each([
  ['hooks list', ['hooks', 'list', '--json']],
  ['hooks check', ['hooks', 'check', '--json']],
  ['fire', ['fire', 'PreToolUse', '--tool', HOSTILE, '--json']]
])('B9: JSON says it in escapes, and says the same: %s', async (_, args) => {
  const { user, run } = cliStage()
  user({ hooks: { ...hostileHook.hooks, [HOSTILE]: [] } })
  const ran = await run(args)
  expectTame(ran)
  expect(JSON.stringify(JSON.parse(ran.stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1))
})

test('B9: a sign that is only made colourful is left alone', async () => {
  const { user, json } = cliStage()
  user(commandOn('PreToolUse', 'echo ❤️'))
  expect(JSON.stringify(await json(['hooks', 'list']))).toContain('❤️')
  const { stdout } = await cliStage().run(['fire', 'PreToolUse', '--tool', '❤️'])
  expect(stdout).not.toContain('\\ufe0f')
})
