/** An agent with a server, which waits until it is killed. */
import { query } from '../../../../src/index.ts'
import { scriptedModel } from '../../../../src/testing.ts'

const [cwd, home, file] = process.argv.slice(2) as [string, string, string]
const server = new URL('../../../fixtures/mcp/server.ts', import.meta.url).pathname
const running = query({
  prompt: 'go',
  options: {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home },
    persistSession: false,
    model: scriptedModel([{ calls: [{ name: 'mcp__own__wait', input: {} }] }]),
    allowedTools: ['mcp__own'],
    mcpServers: {
      own: { command: '/bin/sh', args: ['-c', 'echo $$ > "$0"; exec "$@"', file, process.execPath, server] }
    }
  }
})
await running.result()
