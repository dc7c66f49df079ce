/** What may not be read is not found by searching either. */
import { expect, test } from 'vitest'
import { ask, project } from '../../support/agent-kit.ts'

const FILES = { 'a.txt': 'a secret word\n', 'keys/b.txt': 'another secret word\n', '.env': 'SECRET=secret\n' }

test.each([
  ['files', { name: 'Grep', input: { pattern: 'secret' } }],
  ['lines', { name: 'Grep', input: { pattern: 'secret', output_mode: 'content' } }],
  ['counts', { name: 'Grep', input: { pattern: 'secret', output_mode: 'count' } }],
  ['names', { name: 'Glob', input: { pattern: '**/*' } }]
])('%s: a search goes through the whole project, and leaves out what a rule forbids to read', async (_, call) => {
  const { sent, result } = await ask([{ calls: [call] }, 'done'], {
    in: project(FILES),
    settings: { permissions: { deny: ['Read(./keys/**)'], ask: ['Read(.env)'] } }
  })
  const told = JSON.stringify(sent.at(-1)!.at(-1))
  expect(result.permission_denials).toEqual([])
  expect(told).toContain('a.txt')
  expect(told).not.toMatch(/b\.txt|another|\.env|SECRET/)
  expect(told).toContain('2 files are left out')
})

test('without such rules everything is shown', async () => {
  const { sent } = await ask([{ calls: [{ name: 'Glob', input: { pattern: '**/*' } }] }, 'done'], {
    in: project(FILES)
  })
  expect(JSON.stringify(sent.at(-1)!.at(-1))).toMatch(/\.env.*|b\.txt/)
  expect(JSON.stringify(sent.at(-1)!.at(-1))).not.toContain('left out')
})
