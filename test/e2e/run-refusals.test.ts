import { expect, test, vi } from 'vitest'
import { cliStage } from '../support/cli-stage.ts'
import { agent, textReply } from './agent.ts'
import { HANG } from '../support/waiting.ts'
import { commandOn, refuses } from '../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

test('a flag of the peer that is not there is an error that names it', async () => {
  const { run } = cliStage()
  const ran = await run(['run', '-p', 'Hi', '--fallback-model', 'sonnet'])
  expect(ran).toMatchObject({ code: 64, stdout: '' })
  expect(ran.stderr).toContain('--fallback-model')
})

test('without a key it says what to set', async () => {
  const { run } = cliStage()
  const ran = await run(['run', '-p', 'Hi'])
  expect(ran).toMatchObject({ code: 4, stdout: '' })
  expect(ran.stderr).toContain('ANTHROPIC_API_KEY')
  expect(ran.stderr).toContain('script:FILE')
})

test('a project that no one trusts runs nothing', async () => {
  const { ask, settings, server } = await agent([textReply('Hello.')])
  settings(commandOn('PreToolUse', refuses('no')))
  const ran = await ask(['Hi'])
  expect(ran).toMatchObject({ code: 3, stdout: '' })
  expect(ran.stderr).toContain('is not trusted')
  expect(ran.stderr).toContain('carabiner hooks trust')
  expect(ran.stderr).toContain('--trust sha256:')
  expect(server.requests).toHaveLength(0)
  expect((await ask(['Hi', '--no-project-hooks'])).stdout).toBe('Hello.\n')
})

test.each([
  [['-p'], 'there is no prompt'],
  [['-p', 'Hi', '--max-turns', 'many'], '--max-turns takes a number'],
  [['-p', 'Hi', '--json-schema', '{'], '--json-schema is not valid JSON'],
  [['-p', 'Hi', '--output-format', 'yaml'], 'Allowed choices are text, json, stream-json'],
  [['Hi'], 'needs -p']
])('run %j is a mistake', async (args, words) => {
  const ran = await cliStage().run(['run', ...args])
  expect(ran).toMatchObject({ code: 64, stdout: '' })
  expect(ran.stderr).toContain(words)
})

test.each([
  [['--permission-mode', 'bypassPermissions'], 'not allowed here'],
  [['--allowedTools', 'Bash('], 'Bash('],
  [['--model', 'script:nowhere.json'], 'nowhere.json'],
  [['--session-id', '../../x'], '--session-id cannot be']
])('run -p with %j is a bad configuration', async (args, words) => {
  const { ask, server } = await agent([textReply('Hello.')])
  const ran = await ask(['Hi', ...args])
  expect(ran).toMatchObject({ code: 4, stdout: '' })
  expect(ran.stderr).toContain(words)
  expect(server.requests).toHaveLength(0)
})

test('a run that ends in an error ends with 1, and says why', async () => {
  const { ask } = await agent([{ fail: { status: 400, message: 'the prompt is too strange' } }])
  const ran = await ask(['Hi'])
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain('the prompt is too strange')
  expect(ran.stderr).not.toContain('key-of-a-test')
})
