/** Rules about reading apply to commands in every working directory of the agent. */
import { symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, bashTurn, project, resultsIn } from '../../support/agent-kit.ts'

const MAY = { allowedTools: ['Bash(cat *)', 'Bash(cd *)'] }

test('a command is judged from the folder in which it will run', async () => {
  const place = project({ 'secrets/a': 'hidden', 'src/b': 'open' })
  const turns = [bashTurn('cd src'), bashTurn('cat ../secrets/a'), bashTurn('cat b'), 'Done.']
  const { sent } = await ask(turns, { in: place, ...MAY, disallowedTools: ['Read(secrets/**)'] })
  expect(resultsIn(sent.at(-1)!).slice(1)).toMatchObject([
    { isError: true, text: expect.stringContaining('Read(secrets/**)') },
    { isError: false, text: expect.stringContaining('open') }
  ])
})

test('a link is what it leads to', async () => {
  const place = project({ '.env': 'hidden' })
  symlinkSync(place.path('.env'), place.path('link'))
  const { sent } = await ask([bashTurn('cat link'), 'Done.'], { in: place, ...MAY, disallowedTools: ['Read(.env)'] })
  expect(resultsIn(sent.at(-1)!)).toMatchObject([{ isError: true, text: expect.stringContaining('Read(.env)') }])
})

test('S6: Edit shows nothing of a file that may not be read, and does not change it', async () => {
  const place = project({ 'secrets/k': 'the key is 42\n' })
  const { sent } = await ask(
    [
      { calls: [{ name: 'Edit', input: { file_path: 'secrets/k', old_string: 'the key is 4', new_string: 'x' } }] },
      { calls: [{ name: 'Edit', input: { file_path: 'secrets/k', old_string: 'the key is 9', new_string: 'x' } }] },
      'done'
    ],
    {
      in: place,
      permissionMode: 'acceptEdits',
      settings: { permissions: { deny: ['Read(./secrets/**)'] } }
    }
  )
  expect(place.text('secrets/k')).toBe('the key is 42\n')
  expect(JSON.stringify(sent.at(-1))).not.toContain('42')
})
