/** An agent with two hooks: reading is allowed, and destructive commands never run. The model is scripted. */
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
  ctx => (/rm -rf|:\(\)\s*\{/.test(ctx.toolInput.command) ? deny('this command is destructive') : undefined),
  { name: 'bash-guard' }
)

const bash = (command: string) => ({ name: 'Bash', input: { command } })
const model = scriptedModel([
  { text: 'I will look first.', calls: [{ name: 'Read', input: { file_path: 'notes.txt' } }] },
  { calls: [bash('rm -rf /'), bash(':(){ :|:& };:'), bash('npm publish')] },
  'I read the notes and changed nothing.'
])

const options = { cwd: folder, hooks, model, persistSession: false, settingSources: [] }
for await (const message of query({ prompt: 'Tidy up', options })) {
  if (message.type === 'system' && message.subtype === 'permission_denied') console.log(`denied: ${message.message}`)
  if (message.type === 'result') console.log(`${message.result} (${message.num_turns} turns)`)
}
rmSync(folder, { recursive: true })
