/** The gates around the model in `carabiner run -p`, with hooks in files. */
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { commandOn } from '../support/command-settings.ts'
import { HANG } from '../support/waiting.ts'
import { agent, textReply } from './agent.ts'

vi.setConfig({ testTimeout: HANG })

const GATE = `grep -q sk-live- && { echo 'leave the key out' >&2; exit 2; }; exit 0`

test.each([
  [['--verbose'], 'An answer of the model was withheld. PostModelResponse hook feedback:\nleave the key out'],
  [[], '']
])('answers that were withheld are named with %j', async (flags, said) => {
  const { ask, user } = await agent([textReply('It is sk-live-1.'), textReply('No.')])
  user(commandOn('PostModelResponse', GATE))
  const { code, stdout, stderr } = await ask(['Key?', ...flags])
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'No.\n' })
  expect(stderr.slice(0, said.length || undefined)).toBe(said)
})

test('the commands that docs/agent.md shows do what it says', async () => {
  const page = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8')
  const [, settings, few, keys] = /Hooks in files get.*?```json\n(.*?)```.*?```json\n(.*?)```.*?```js\n(.*?)```/s.exec(
    page
  )!
  const { ask, user, write, server } = await agent([textReply('It is sk-live-1.')])
  user(settings!)
  write('project/.claude/hooks/few-tools.json', few!)
  write('project/.claude/hooks/no-keys.mjs', keys!)
  expect((await ask(['Key?'])).stdout).toBe('It is [key].\n')
  expect(server.requests[0]!.body.tools?.map(({ name }) => name)).toEqual(['Read', 'Grep'])
})
