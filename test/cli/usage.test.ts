/** A usage error is one line that says what to do, and exits with 64. */
import { expect, test, vi } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'
import { HANG } from '../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

test.each([
  ['an unknown event', ['fire', 'PreToolUes'], /no event "PreToolUes"; did you mean PreToolUse\?/],
  ['an event like no other', ['fire', 'Qqqqqqqqqqq'], /no event "Qqqqqqqqqqq"; use one of .*PreToolUse/],
  ['no event', ['fire'], /missing required argument 'event'/],
  ['two events', ['fire', 'Stop', 'PreToolUse'], /too many arguments/],
  ['an unknown command', ['frie'], /unknown command 'frie'[\s\S]*Did you mean fire\?/],
  ['an unknown command about hooks', ['hooks', 'lits'], /unknown command 'lits'[\s\S]*Did you mean list\?/],
  ['an unknown flag', ['hooks', 'list', '--jsn'], /unknown option '--jsn'[\s\S]*Did you mean --json\?/],
  ['a flag without its value', ['fire', 'Stop', '--tool'], /argument missing/],
  ['a profile that there is not', ['fire', 'Stop', '--profile', 'lax'], /strict, compat/],
  ['--set without a value', ['fire', 'Stop', '--set', 'x'], /--set takes key=value, not "x"/],
  ['--set without a key', ['fire', 'Stop', '--set', '=x'], /--set takes key=value/],
  ['a payload that is not there', ['fire', 'Stop', '--input', 'nowhere.json'], /no such file.*nowhere\.json/],
  ['a payload that is a folder', ['fire', 'Stop', '--input', '.'], /directory/],
  ['a payload that is no JSON', ['fire', 'Stop', '--input', '{ no'], /the payload is not valid JSON/],
  ['a test file that is not there', ['hooks', 'test', 'nowhere.yaml'], /nowhere\.yaml is not there/],
  ['no tests at all', ['hooks', 'test'], /no tests found: write .*\.hooktest\.yaml/]
])('%s', async (_, args, words) => {
  const { run } = cliStage()
  const { code, stdout, stderr } = await run(args)
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toMatch(words)
  expect(stderr).not.toMatch(/^ +at /m)
})

test.each([
  [['--settings', '{"permissions":{"deny":["Bash"]}}', '--settings', '{}'], /--settings.*It can be given only once/],
  [['--max-turns', '1', '--max-turns', '50'], /--max-turns.*It can be given only once/],
  [['--permission-mode', 'plan', '--permission-mode', 'default'], /--permission-mode.*It can be given only once/],
  [['--profile', 'strict', '--profile', 'compat'], /--profile.*It can be given only once/],
  [['--permission-mode', 'plan', '--dangerously-skip-permissions'], /exclude each other/],
  [['--disallowedTools', ''], /--disallowedTools names no tool/]
])('A1: what restricts is not lost among flags: %j', async (flags, words) => {
  const { run, write } = cliStage()
  const script = write('script.json', { turns: ['Done.'] })
  const { code, stdout, stderr } = await run(['run', '-p', 'go', '--model', `script:${script}`, ...flags])
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toMatch(words)
})

test.each([
  ['broken', '{', /not valid JSON/],
  ['a list', '[]', /not a JSON object/],
  ['text', '"x"', /not a JSON object/],
  ['null', 'null', /not a JSON object/]
])('a payload on standard input that is %s', async (_, stdin, words) => {
  const { run } = cliStage()
  const { code, stderr } = await run(['fire', 'Stop'], { stdin })
  expect(code).toBe(64)
  expect(stderr).toMatch(words)
})

test.each(['HOME', 'CARABINER_HOME', 'CARABINER_MANAGED_DIR'])('%s must not depend on where one stands', async name => {
  const { run } = cliStage()
  const { code, stderr } = await run(['hooks', 'list'], { env: { [name]: 'home' } })
  expect(code).toBe(64)
  expect(stderr).toContain(`${name} should be an absolute path`)
})
