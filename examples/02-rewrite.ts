/** A hook rewrites a call, and the gate before it judges the result. */
import { HookRegistry, allow, deny } from 'carabiner'

const hooks = new HookRegistry()

hooks.on(
  'PreToolUse',
  'Write',
  ctx => (ctx.toolInput.file_path.startsWith('/srv/') ? deny('agents may not write to /srv') : allow()),
  { name: 'only-outside-srv' }
)

// Runs after the gate, so the gate has judged the path before it was changed.
hooks.on('PreToolUse', 'Write', ctx => void (ctx.toolInput.file_path = move(ctx.toolInput.file_path)), {
  name: 'relocate'
})

const move = (path: string): string => path.replace(/^\/tmp\//, '/home/agent/').replace(/^\/www\//, '/srv/')

for (const file_path of ['/tmp/notes.txt', '/www/index.html']) {
  const input = { file_path, content: 'hello' }
  const call = { tool_name: 'Write', tool_input: input, tool_use_id: 'call-1' }
  const outcome = await hooks.fire('PreToolUse', call, { report: true })

  console.log(file_path)
  console.log(`  becomes   ${outcome.updatedInput?.['file_path']}`)
  for (const line of outcome.report)
    console.log(`  ${line.name}${line.rejudged ? ', judged the new path as well' : ''}`)
  console.log(`  outcome   ${outcome.decision}${outcome.reason === undefined ? '' : `: ${outcome.reason}`}`)
  console.log(`  your own object still has ${input.file_path}`)
}
