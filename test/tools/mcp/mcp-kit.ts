/** Servers to test with: two real ones, and a scripted one. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { QueryOptions } from '../../../src/index.ts'
import { ask, project, resultsIn, type Asked, type Asking, type Project } from '../../support/agent-kit.ts'
import { eventually } from '../../support/waiting.ts'

const require = createRequire(import.meta.url)
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
const FILESYSTEM = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
export const SCRIPTED = fileURLToPath(new URL('../../fixtures/mcp/server.ts', import.meta.url))

type Server = NonNullable<QueryOptions['mcpServers']>[string]

export const everything: Server = { command: process.execPath, args: [EVERYTHING, 'stdio'] }
export const filesystem = (...folders: readonly string[]): Server => ({
  command: process.execPath,
  args: [FILESYSTEM, ...folders]
})
/** The scripted server; `log` has a line for each call that reached it. */
export const scripted = (log: string, ...args: readonly string[]): Server => ({
  command: process.execPath,
  args: [SCRIPTED, ...args],
  env: { MCP_LOG: log }
})

/** A server whose process writes its number into a file. */
export function numbered(server: Server, file: string): Server {
  const { command, args = [] } = server as { command: string; args?: readonly string[] }
  return { ...server, command: '/bin/sh', args: ['-c', 'echo $$ > "$0"; exec "$@"', file, command, ...args] } as Server
}

/** A run in which the model makes these calls, one after the other, of servers whose every tool may be called. */
export async function askServers(
  made: readonly { readonly calls: readonly { name: string; input: object }[] }[],
  mcpServers: NonNullable<QueryOptions['mcpServers']>,
  more: Asking = {}
): Promise<Asked & { readonly results: ReturnType<typeof resultsIn> }> {
  const allowedTools = Object.keys(mcpServers).map(name => `mcp__${name}`)
  const asked = await ask([...made, 'Done.'], { mcpServers, allowedTools, ...more })
  const last = asked.sent.at(-1)
  return { ...asked, results: last === undefined ? [] : resultsIn(last) }
}

/** A place with a file in which the scripted server writes down what it is asked. */
export function logged(): { readonly place: Project; readonly server: Server; lines(): readonly string[] } {
  const place = project()
  const file = `${place.home}/calls.log`
  const lines = (): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  return { place, server: scripted(file), lines }
}

/** What the first message says of the servers. */
export const statuses = ({ messages }: Asked): Readonly<Record<string, string>> => {
  const [init] = messages
  if (init?.type !== 'system' || init.subtype !== 'init') throw new Error('the first message is no init')
  return Object.fromEntries(init.mcp_servers.map(({ name, status }) => [name, status]))
}

/** A port that is free, for the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

/** The server of everything at an address of this machine. */
export async function everythingAt(port: number): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe']
  })
  const ended = new Promise<void>(resolve => void child.once('exit', () => resolve()))
  const kill = (): Promise<void> => {
    child.kill('SIGKILL')
    return ended
  }
  onTestFinished(kill)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await eventually(() => said.includes('listening'))
  return { url: `http://127.0.0.1:${port}/mcp`, kill }
}
