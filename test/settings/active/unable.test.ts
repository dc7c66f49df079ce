/** Hooks that lack what they need: a gate of theirs is closed, and not absent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { query, type QueryOptions } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/testing.ts'

const HOOKS = [{ type: 'mcp_tool', server: 'police', tool: 'ask' }]

async function reading(hook: object, options: QueryOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'a.txt'), 'hello')
  const model = scriptedModel([{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, 'Done.'])
  const settings = { hooks: { PreToolUse: [{ matcher: 'Read', hooks: [hook] }] } }
  const env = { PATH: process.env['PATH'], HOME: folder }
  const running = query({
    prompt: 'Read',
    options: { cwd: project, env, model, settings, persistSession: false, ...options }
  })
  const messages = []
  for await (const message of running) messages.push(message)
  return { refused: (await running.result()).permission_denials.length > 0, text: JSON.stringify(messages) }
}

test.each(HOOKS)('a gate of type $type refuses, and says what it lacks', async hook => {
  const { refused, text } = await reading(hook)
  expect(refused).toBe(true)
  expect(text).toContain('there is no server police')
})

test('in the compat profile it lets pass, and says so', async () => {
  const { refused, text } = await reading(HOOKS[0]!, { profile: 'compat' })
  expect(refused).toBe(false)
  expect(text).toContain('there is no server police; allowed anyway')
})

test('and so does one that may fail', async () => {
  const { refused } = await reading({ ...HOOKS[0]!, onFailure: 'continue' })
  expect(refused).toBe(false)
})
