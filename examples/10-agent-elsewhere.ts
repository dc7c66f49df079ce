/** A hook redirects every file of an agent to another directory: /notes.txt becomes /tmp/…/notes.txt. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allow, HookRegistry, query } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const remote = mkdtempSync(join(tmpdir(), 'example-'))
writeFileSync(join(remote, 'notes.txt'), 'Buy milk.')

const hooks = new HookRegistry()
hooks.on(
  'PreToolUse',
  'Read|Write|Edit',
  ctx => {
    if (!ctx.toolInput.file_path.startsWith(remote)) ctx.toolInput.file_path = join(remote, ctx.toolInput.file_path)
    return allow()
  },
  { name: 'remote' }
)

const file_path = '/notes.txt'
const model = scriptedModel([
  { calls: [{ name: 'Read', input: { file_path } }] },
  { calls: [{ name: 'Edit', input: { file_path, old_string: 'milk', new_string: 'bread' } }] },
  { calls: [{ name: 'Write', input: { file_path: '/done.txt', content: 'Yes.' } }] },
  'Done.'
])

const options = { cwd: remote, hooks, model, persistSession: false, settingSources: [] }
for await (const message of query({ prompt: 'Get bread instead', options })) {
  if (message.type !== 'assistant') continue
  for (const block of message.message.content)
    if (block.type === 'tool_use') console.log(`the agent calls   ${block.name} ${JSON.stringify(block.input)}`)
}
for (const name of ['notes.txt', 'done.txt'])
  console.log(`${name} contains`.padEnd(18), readFileSync(join(remote, name), 'utf8'))
rmSync(remote, { recursive: true })
