import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CLI } from '../../support/built-package.ts'
import type { SdkDriver, Note } from '../driver.ts'
import { POLICY_CASES } from '../policy-cases.ts'

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const SERVER = pathOf('../../fixtures/mcp/note-server.ts')

/** The hooks of a case, for the process of the proxy. */
const moduleOf = (policy: string): string =>
  `import { POLICY_CASES } from ${JSON.stringify(pathOf('../policy-cases.ts'))}
  export default POLICY_CASES.find(({ name }) => name === ${JSON.stringify(policy)}).hooks\n`

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** The words for the proxy that name the server, and how to end a server that was started here. */
async function startServer(isHttp: boolean, env: NodeJS.ProcessEnv): Promise<{ words: string[]; end(): void }> {
  if (!isHttp) return { words: ['--', process.execPath, SERVER], end: () => undefined }
  const port = await freePort()
  const child = spawn(process.execPath, [SERVER, String(port)], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise(resolve => child.stderr.once('data', resolve))
  return { words: ['--http', `http://127.0.0.1:${port}/mcp`], end: () => void child.kill() }
}

export const mcpProxyDriver: SdkDriver = {
  name: 'MCP proxy (stdio, HTTP)',
  hooksElsewhere: true,
  run: async ({ policy, calls, approve, streaming }) => {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
    const [module, notes] = [join(folder, 'gate.ts'), join(folder, 'notes.jsonl')]
    writeFileSync(module, moduleOf(policy))
    writeFileSync(notes, '')
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, CI: '1', NOTES: notes }
    const { words, end } = await startServer(streaming, env)
    const asked: Note[] = []
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: approve === undefined ? {} : { elicitation: { form: {} } } }
    )
    if (approve !== undefined)
      client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
        asked.push(JSON.parse(message.slice(message.indexOf('{'))) as Note)
        return { action: 'accept', content: { allow: approve } }
      })
    try {
      const args = [CLI, 'mcp', '--name', 'notes', '--hooks', module, ...words]
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, env, cwd: folder, stderr: 'ignore' })
      )
      const results: string[] = []
      for (const { input } of calls)
        results.push(JSON.stringify(await client.callTool({ name: 'write_note', arguments: { ...input } })))
      const ran = readFileSync(notes, 'utf8').split('\n').filter(Boolean)
      return {
        ran: ran.map(line => JSON.parse(line) as Note),
        asked,
        results,
        request: results.join('\n'),
        modelCalls: 2
      }
    } finally {
      await client.close()
      end()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  cannot: {
    'end the run': {
      why: 'only the client ends its run; the result asks the model to stop',
      expected: {
        ran: POLICY_CASES.find(({ name }) => name === 'end the run')?.calls.map(({ input }) => input) ?? [],
        results: ['enough notes']
      }
    }
  }
}
