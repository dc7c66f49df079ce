/** A formatter that runs after a write does not count as a foreign change of the file. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { HookRegistry } from '../../../src/index.ts'
import { ask, project } from '../../support/agent-kit.ts'

const shout = (file: string): void => writeFileSync(file, readFileSync(file, 'utf8').toUpperCase())

// FM44
test.each(['Write', 'Edit'])('%s, a formatter, and an edit of what it made', async name => {
  const place = project({ 'a.txt': 'one\n' })
  const hooks = new HookRegistry()
  hooks.on('PostToolUse', 'Write|Edit', ctx => shout(ctx.toolInput.file_path))
  const first =
    name === 'Write'
      ? { name, input: { file_path: 'a.txt', content: 'two\n' } }
      : { name, input: { file_path: 'a.txt', old_string: 'one', new_string: 'two' } }
  const { sent } = await ask(
    [
      { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
      { calls: [first] },
      { calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'TWO', new_string: 'three' } }] },
      'done'
    ],
    { in: place, hooks, permissionMode: 'acceptEdits' }
  )
  expect(place.text('a.txt')).toBe('THREE\n')
  expect(JSON.stringify(sent.at(-1))).toContain('was changed by a hook after this call')
})

test('someone else who changes the file is still noticed', async () => {
  const place = project({ 'a.txt': 'one\n' })
  const { sent } = await ask(
    [
      { calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] },
      () => {
        place.write('a.txt', 'One\n')
        return { calls: [{ name: 'Edit', input: { file_path: 'a.txt', old_string: 'One', new_string: 'two' } }] }
      },
      'done'
    ],
    { in: place, permissionMode: 'acceptEdits' }
  )
  expect(JSON.stringify(sent.at(-1))).toContain('has changed since it was read')
  expect(place.text('a.txt')).toBe('One\n')
})
