/** Groups: hooks that belong together. Scopes: hooks that are active only for a while. */
import { HookRegistry, allow, deny } from 'carabiner'

const hooks = new HookRegistry()

// One matcher and one timeout for the whole group. `continue: false` skips the rest of it and ends the agent's run.
let edits = 0
hooks.group(
  'PostToolUse',
  'Edit|Write',
  [
    { name: 'format', run: ctx => console.log(`  format ${ctx.toolInput.file_path}`) },
    { name: 'limit', run: () => (++edits < 2 ? undefined : { continue: false, stopReason: 'two edits are enough' }) },
    { name: 'test', run: () => console.log('  run the tests') }
  ],
  { name: 'after-edit', timeout: 30 }
)

for (const file_path of ['main.ts', 'util.ts']) {
  console.log(`${file_path} was written`)
  const outcome = await hooks.fire('PostToolUse', {
    tool_name: 'Write',
    tool_input: { file_path, content: '' },
    tool_use_id: 'call-1',
    tool_response: 'ok'
  })
  if (outcome.continue === false) console.log(`  the run should end: ${outcome.stopReason}`)
}

// A reviewer is read-only. Its scope has all hooks from above, and these two.
const reviewer = hooks.scope('reviewer')
reviewer.on('PreToolUse', '^(?!Read$|Grep$)', () => deny('a reviewer is read-only'), { name: 'read-only' })
reviewer.on('PreToolUse', 'Read|Grep', () => allow(), { name: 'reading-is-fine' })

const bash = { tool_name: 'Bash', tool_input: { command: 'git push' }, tool_use_id: 'call-2' }
const check = async (who: string, registry: HookRegistry) => {
  const { decision = 'no objection', reason } = await registry.fire('PreToolUse', bash)
  console.log(`git push, ${who}: ${decision}${reason === undefined ? '' : `, ${reason}`}`)
}

await check('by the reviewer', reviewer)
await check('by other agents', hooks)

reviewer.release()
const left = reviewer.list().map(hook => hook.name)
console.log(`after release: ${left.join(', ')}`)
