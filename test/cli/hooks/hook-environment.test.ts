/** Hooks that are tried out find what they would find in a run: variables of the settings, and a file for their own. */
import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { type Fired, cliStage, type CliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { rule } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

/** A stage with a hook that writes down a variable, and sets one. */
function setting(): CliStage & { seen(): readonly string[] } {
  const here = cliStage()
  const command = `echo "$MYVAR" > "$HOME/seen"; echo 'export X=1' >> "$CLAUDE_ENV_FILE" && echo "$CLAUDE_ENV_FILE" >> "$HOME/seen"`
  here.user({ env: { MYVAR: 'ours' }, hooks: { SessionStart: [rule(command)], CwdChanged: [rule(command)] } })
  return { ...here, seen: () => here.read('home/seen').trim().split('\n') }
}

test.each(['SessionStart', 'CwdChanged'])('fire %s: both are there, and the file is gone afterwards', async event => {
  const { json, seen } = setting()
  const { hooks } = await json<Fired>(['fire', event])
  expect(hooks).toMatchObject([{ status: 'silent', exitCode: 0 }])
  expect(seen()).toEqual(['ours', expect.stringMatching(/\/env\.sh$/)])
  expect(existsSync(seen()[1]!.replace('/env.sh', ''))).toBe(false)
})

test('hooks test', async () => {
  const { write, run, seen } = setting()
  write('project/a.hooktest.json', [{ event: 'SessionStart', expect: { failedOpen: false } }])
  expect(await run(['hooks', 'test'])).toMatchObject({ code: 0, stderr: '' })
  expect(seen()).toEqual(['ours', expect.stringMatching(/\/env\.sh$/)])
})

test('hooks check --run', async () => {
  const { run, seen } = setting()
  expect((await run(['hooks', 'check', '--run'])).stdout).toContain('0 errors, 0 warnings')
  expect(seen()).toEqual(['ours', expect.stringMatching(/\/env\.sh$/)])
})
