/** An agent in a project with hook files in Claude Code's format. They only run when the project is trusted. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CarabinerError, query } from 'carabiner'
import { scriptedModel } from 'carabiner/testing'

const project = mkdtempSync(join(tmpdir(), 'example-'))
mkdirSync(join(project, '.claude'))
const command = `grep -q 'push --force' && { echo 'force-pushing needs approval' >&2; exit 2; }; exit 0`
const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] }
writeFileSync(
  join(project, '.claude/settings.json'),
  JSON.stringify({ hooks, permissions: { allow: ['Bash(git *)'] } })
)

const push = { calls: [{ name: 'Bash', input: { command: 'git push --force' } }] }
for (const trust of [undefined, true] as const) {
  const options = { cwd: project, model: scriptedModel([push, 'Then not.']), trust, persistSession: false }
  try {
    for await (const message of query({ prompt: 'Publish', options })) {
      if (message.type === 'system' && message.subtype === 'permission_denied')
        console.log(`${message.tool_name}: ${message.decision_reason}`)
      if (message.type === 'result') console.log(message.result)
    }
  } catch (error) {
    if (!(error instanceof CarabinerError) || error.code !== 'E_UNTRUSTED') throw error
    console.log('not trusted, not started')
  }
}
rmSync(project, { recursive: true })
