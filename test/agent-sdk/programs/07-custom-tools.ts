/** Tools of one's own, typed by zod. */
import { createSdkMcpServer, query, tool } from 'carabiner'
import { z } from 'zod'

const calculator = createSdkMcpServer({
  name: 'calculator',
  version: '1.0.0',
  tools: [
    tool(
      'add',
      'Adds two numbers',
      { a: z.number().describe('the first'), b: z.number().describe('the second') },
      async ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }] }),
      { annotations: { readOnlyHint: true } }
    ),
    tool('divide', 'Divides one number by another', { a: z.number(), b: z.number().optional() }, async ({ a, b }) => {
      if (b === undefined || b === 0) {
        return { content: [{ type: 'text', text: 'Nothing can be divided by nothing' }], isError: true }
      }
      return { content: [{ type: 'text', text: String(a / b) }] }
    })
  ]
})

for await (const message of query({
  prompt: 'What is 2 + 3, and 2 / 0?',
  options: {
    mcpServers: { calculator },
    allowedTools: ['mcp__calculator__add', 'mcp__calculator__divide']
  }
})) {
  if (message.type === 'system' && message.subtype === 'init') console.log('servers', message.mcp_servers)
  if (message.type === 'user' && typeof message.message.content !== 'string') {
    for (const block of message.message.content) if (block.type === 'tool_result') console.log(JSON.stringify(block))
  }
  if ('result' in message) console.log('result', message.result)
}
