/** `fire` and hooks that continue after their event. */
import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { type Fired, cliStage } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, prints } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const context = (event: string): object => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: 'the build is green' }
})

test('C2: an async hook is waited for: its effect happens and its answer is shown', async () => {
  const { user, run, read } = cliStage()
  user(
    commandOn('PostToolUse', `sleep 0.5; touch "$HOME/built"; ${prints(context('PostToolUse'))}`, 'Bash', {
      async: true
    })
  )
  const ran = await run(['fire', 'PostToolUse', '--tool', 'Bash'])
  expect(read('home/built')).toBe('')
  expect(ran.code).toBe(0)
  expect(ran.stdout).toContain('the build is green')
  expect(ran.stdout).toContain('exit code 0')
  expect(ran.stdout).not.toContain('no opinion')
  expect(ran.stderr).toContain('waiting up to 60 seconds for 1 hook in the background')
})

test('C2: so is one whose first line says async, for machines as well', async () => {
  const { user, json } = cliStage()
  const second = prints({ systemMessage: 'later' })
  user(commandOn('PostToolUse', `echo '{"async":true}'; sleep 0.3; ${second}`, 'Bash'))
  const { hooks } = await json<Fired>(['fire', 'PostToolUse', '--tool', 'Bash'])
  expect(hooks).toMatchObject([{ status: 'late', exitCode: 0, reply: { systemMessage: 'later' } }])
})

test('C2: one that fails later is shown with its failure', async () => {
  const { user, run } = cliStage()
  user(commandOn('PostToolUse', 'echo broken >&2; exit 3', 'Bash', { async: true }))
  const ran = await run(['fire', 'PostToolUse', '--tool', 'Bash'])
  expect(ran.stdout).toMatch(/failed \(exit\): .*exit code 3.*broken/)
})

test('C2: asyncRewake shows what the agent would be woken with', async () => {
  const { user, run } = cliStage()
  user(commandOn('Stop', 'sleep 0.2; echo the tests fail >&2; exit 2', '', { asyncRewake: true }))
  const ran = await run(['fire', 'Stop', '--exit-code'])
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('the tests fail') })
  expect(ran.stdout).toContain('with asyncRewake it wakes the agent')
})

test('C2: where no hook continues nothing is said of waiting, and a signal ends the waiting', async () => {
  const { user, run, start, path } = cliStage()
  user(commandOn('PostToolUse', 'true', 'Bash'))
  expect((await run(['fire', 'PostToolUse', '--tool', 'Bash'])).stderr).toBe('')
  user(commandOn('PostToolUse', 'touch "$HOME/begun"; exec sleep 600', 'Bash', { async: true }))
  const child = start(['fire', 'PostToolUse', '--tool', 'Bash'])
  child.stdin?.end()
  await vi.waitFor(() => expect(existsSync(path('home/begun'))).toBe(true), HANG)
  const over = new Promise(resolve => child.once('exit', (code, signal) => resolve(signal ?? code)))
  child.kill('SIGINT')
  expect(['SIGINT', 130]).toContain(await over)
})
