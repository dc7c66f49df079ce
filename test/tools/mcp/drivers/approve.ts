/** An agent that calls tools of a server, and approves every prompt. Prints the prompts. */
import { query } from '../../../../src/index.ts'
import { scriptedModel } from '../../../../src/testing.ts'

const [cwd, home, tools, called] = process.argv.slice(2) as [string, string, string, string]
const server = new URL('../../../fixtures/mcp/server.ts', import.meta.url).pathname
const turns = called.split(',').map(name => ({ calls: [{ name: `mcp__own__${name}`, input: {} }] }))
const asked: string[] = []
const running = query({
  prompt: 'go',
  options: {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    persistSession: false,
    model: scriptedModel([...turns, 'Done.']),
    allowedTools: ['mcp__own'],
    mcpServers: { own: { command: process.execPath, args: [server], env: { MCP_TOOLS: tools } } },
    canUseTool: async name => {
      asked.push(name)
      return { behavior: 'allow' }
    }
  }
})
await running.result()
process.stdout.write(JSON.stringify(asked))
