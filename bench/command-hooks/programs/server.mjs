/** A hook that is a server: reads the event, looks at it, answers. Prints its port; ends with its standard input. */
import { createServer } from 'node:http'

const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const event = JSON.parse(text)
  const permissionDecision = /rm -rf \//.test(event.tool_input.command) ? 'deny' : 'allow'
  const answer = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().once('end', () => process.exit())
