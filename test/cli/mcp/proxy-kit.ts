/** The official client, before the proxy or directly before a server. */
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { CLI } from '../../support/built-package.ts'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'
import { eventually } from '../../support/waiting.ts'

const require = createRequire(import.meta.url)
const program = (name: string): string => require.resolve(`@modelcontextprotocol/${name}/dist/index.js`)
/** Servers compile nothing that another test has compiled. */
const COMPILED = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' }

export const EVERYTHING: readonly string[] = [process.execPath, program('server-everything'), 'stdio']
export const filesystemServer = (folder: string): readonly string[] => [
  process.execPath,
  program('server-filesystem'),
  folder
]
export const SCRIPTED_SERVER: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('../../fixtures/mcp/server.ts', import.meta.url))
]

interface Connecting extends ClientOptions {
  readonly stage?: CliStage
  readonly env?: Readonly<Record<string, string>>
  /** Called before the connection is made. */
  readonly prepare?: (client: Client) => void
}

export interface ConnectedClient {
  readonly client: Client
  readonly pid: number
  /** What the proxy or server printed for people. */
  stderr(): string
  /** The text of the result of a call. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>
}

export async function connect(words: readonly string[], options: Connecting = {}): Promise<ConnectedClient> {
  const { stage = cliStage(), env = {}, prepare, ...clientOptions } = options
  const [command = '', ...args] = words
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...stage.env, ...COMPILED, ...env },
    cwd: stage.project,
    stderr: 'pipe'
  })
  let printed = ''
  transport.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const client = new Client({ name: 'test', version: '1' }, clientOptions)
  prepare?.(client)
  onTestFinished(() => client.close())
  await client.connect(transport)
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => printed,
    async call(name, input = {}) {
      const { content, isError } = await client.callTool({ name, arguments: input })
      const text = content.map(part => (part.type === 'text' ? part.text : part.type)).join('\n')
      return { text, isError: isError === true }
    }
  }
}

interface Proxying extends Connecting {
  /** The body of a module of hooks: `hooks` is the registry. */
  readonly hooks?: string
  readonly flags?: readonly string[]
  readonly name?: string
}

/** The words that start the proxy before a server, with these hooks. */
export function proxyWords(server: readonly string[], stage: CliStage, options: Proxying = {}): readonly string[] {
  const { hooks, flags = [], name = 'srv' } = options
  const module =
    hooks === undefined ? [] : ['--hooks', stage.write('home/gate.mjs', `export default hooks => {\n${hooks}\n}\n`)]
  return [process.execPath, CLI, 'mcp', '--name', name, ...module, ...flags, ...server]
}

export function proxied(server: readonly string[], options: Proxying = {}): Promise<ConnectedClient> {
  const stage = options.stage ?? cliStage()
  const { hooks: _, flags: __, name: ___, ...rest } = options
  return connect(proxyWords(['--', ...server], stage, options), { ...rest, stage })
}

/** A client that answers questions, and what it was asked. */
export function answering(allow: boolean | undefined): {
  readonly asked: string[]
  readonly options: Pick<Connecting, 'capabilities' | 'prepare'>
} {
  const asked: string[] = []
  return {
    asked,
    options: {
      capabilities: { elicitation: { form: {} } },
      prepare: client =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          asked.push(params.message)
          return allow === undefined ? { action: 'cancel' } : { action: 'accept', content: { allow } }
        })
    }
  }
}

export const SILENT_HOOK = `hooks.on('PreToolUse', () => undefined)`

/** A proxy that is spoken to line by line. */
export function rawProxy(server: readonly string[], hooks = SILENT_HOOK, env: Readonly<Record<string, string>> = {}) {
  const stage = cliStage()
  const [, , ...words] = proxyWords(['--', ...server], stage, { hooks })
  const log = stage.write('home/calls.log', '')
  const child = stage.start(words, { env: { MCP_LOG: log, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Record<string, unknown>[] = []
  let errors = ''
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  createInterface({ input: child.stdout! }).on('line', line => void lines.push(JSON.parse(line) as never))
  const write = (message: unknown): void =>
    void child.stdin!.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const answer = async (id: unknown): Promise<Record<string, unknown>> => {
    await eventually(() => lines.some(line => line['id'] === id && !('method' in line)))
    return lines.find(line => line['id'] === id && !('method' in line))!
  }
  const initialize = async (version = '2025-11-25', capabilities: object = {}): Promise<void> => {
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } }
    write({ jsonrpc: '2.0', id: 'init', method: 'initialize', params })
    await answer('init')
    write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
  return { write, answer, initialize, lines, stage, stderr: () => errors }
}
