/** A hook as people write them: read the event, look at it, answer. Nothing in it knows of Carabiner. */
let text = ''
for await (const chunk of process.stdin) text += chunk
const event = JSON.parse(text)
if (/rm -rf \//.test(event.tool_input.command)) {
  console.error('not that')
  process.exit(2)
}
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } }))
