/** A Stop hook that makes the agent continue until the tests pass. The tests are real. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { block, HookRegistry, query } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const folder = mkdtempSync(join(tmpdir(), 'example-'))
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
write('double.mjs', 'export const double = n => n * n\n')
write(
  'double.test.mjs',
  `import assert from 'node:assert'
import test from 'node:test'
import { double } from './double.mjs'
test('three becomes six', () => assert.equal(double(3), 6))
`
)

const hooks = new HookRegistry()
hooks.on(
  'Stop',
  async ctx => {
    const tests = promisify(execFile)(process.execPath, ['--test'], { cwd: folder, signal: ctx.signal })
    const passed = await tests.then(
      () => true,
      () => false
    )
    console.log(`tests: ${passed ? 'pass' : 'fail'}`)
    return passed ? undefined : block('the tests fail')
  },
  { name: 'tests-first' }
)

const model = scriptedModel([
  'It is done.',
  { calls: [{ name: 'Read', input: { file_path: 'double.mjs' } }] },
  { calls: [{ name: 'Edit', input: { file_path: 'double.mjs', old_string: 'n * n', new_string: 'n * 2' } }] },
  'Now it is done.'
])

const options = {
  cwd: folder,
  hooks,
  model,
  permissionMode: 'acceptEdits' as const,
  persistSession: false,
  settingSources: []
}
for await (const message of query({ prompt: 'Make double() right', options })) {
  if (message.type === 'assistant')
    for (const each of message.message.content) console.log(`agent: ${each.type === 'text' ? each.text : each.type}`)
  if (message.type === 'user' && message.isSynthetic)
    console.log(`feedback: ${JSON.stringify(message.message.content)}`)
  if (message.type === 'result') console.log(`${message.terminal_reason} after ${message.num_turns} turns`)
}
rmSync(folder, { recursive: true })
