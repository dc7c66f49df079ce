/** An agent with two hooks: reading is approved, and commands that would end badly never run. The model is a script. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allow, deny, HookRegistry, query } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const folder = mkdtempSync(join(tmpdir(), 'example-'))
writeFileSync(join(folder, 'notes.txt'), 'Buy milk.')

const hooks = new HookRegistry()
hooks.on('PreToolUse', '^(Read|Glob|Grep)$', () => allow(), { name: 'reading-is-fine' })
hooks.on(
  'PreToolUse',
  'Bash',
  ctx => (/rm -rf|:\(\)\s*\{/.test(ctx.toolInput.command) ? deny('that would end badly') : undefined),
  { name: 'bash-guard' }
)

const bash = (command: string) => ({ name: 'Bash', input: { command } })
const model = scriptedModel([
  { text: 'I look first.', calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
  { calls: [bash('rm -rf /'), bash(':(){ :|:& };:'), bash('npm publish')] },
  'I read the notes and left everything in place.'
])

const options = { cwd: folder, hooks, model, persistSession: false, settingSources: [] }
for await (const message of query({ prompt: 'Tidy up', options })) {
  if (message.type === 'system' && message.subtype === 'permission_denied') console.log(`no: ${message.message}`)
  if (message.type === 'result') console.log(`${message.result} (${message.num_turns} turns)`)
}
rmSync(folder, { recursive: true })
