import { errorMessage } from '../../errors.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { nameInServer } from '../../util/names.ts'
import { escapedLines } from '../../util/escape.ts'
import { presentContent, resultText } from '../content.ts'
import type { ElicitationAnswer, ElicitationRequest } from './elicitation.ts'
import type { OutsideServer, StdioServer } from './mcp-config.ts'
import { McpConnection } from './mcp-connection.ts'
import { sharedNameProblem, shownDescription, shownSchema, type Definition } from './mcp-definition.ts'
import { httpLink } from './mcp-http.ts'
import { KnownTools, type KnownTool } from './mcp-approvals.ts'
import { boundedResult } from './mcp-result.ts'
import { stdioLink, type ServerLink } from './mcp-stdio.ts'
import { processesOf } from '../bash/processes.ts'
import type { Tool, ToolSession } from '../tool.ts'
import type { OutputListener, Running } from '../../world/process/process.ts'

export interface NamedServer {
  readonly name: string
  readonly source: string
  readonly config: OutsideServer
  objection?(): string | undefined
}

export interface ServerPorts {
  readonly session: ToolSession
  readonly knownFolder: string
  elicit(server: string, wanted: ElicitationRequest, signal: AbortSignal): Promise<ElicitationAnswer>
  notice(text: string): void
}

export interface ConnectedServer {
  readonly name: string
  readonly source: string
  readonly status: 'connected' | 'failed'
  readonly tools: readonly Tool[]
  readonly callForHook?: (tool: string, input: PlainObject, signal: AbortSignal) => Promise<string>
}

/** How long a server may take to be ready, and to answer one call, in milliseconds. */
const START_TIMEOUT = 30_000
const CALL_TIMEOUT = 1_800_000

/** Connects to all servers concurrently. One that fails or takes too long does not delay the others. Never rejects. */
export function connectServers(
  servers: readonly NamedServer[],
  ports: ServerPorts,
  signal: AbortSignal
): Promise<readonly ConnectedServer[]> {
  return Promise.all(servers.map(server => connect(server, ports, signal)))
}

async function connect(server: NamedServer, ports: ServerPorts, signal: AbortSignal): Promise<ConnectedServer> {
  const { name, source, config } = server
  const connection = new McpConnection({
    name,
    async link() {
      const why = server.objection?.()
      if (why !== undefined) throw new Error(`it is not started: ${why}`)
      const { session } = ports
      return linkTo(config, ({ command: file, args = [], env }, listener) =>
        processesOf(session).startTalk({ file, args }, session.root, { ...session.env, ...env }, listener)
      )
    },
    elicit: (wanted, until) => ports.elicit(name, wanted, until),
    notice: text => ports.notice(text),
    startTimeout: millisecondsIn(ports.session.env['MCP_TIMEOUT']) ?? START_TIMEOUT,
    callTimeout: config.timeout ?? millisecondsIn(ports.session.env['MCP_TOOL_TIMEOUT']) ?? CALL_TIMEOUT
  })
  const close = (): void => void connection.close()
  ports.session.onClose(() => connection.close())
  if (signal.aborted) close()
  signal.addEventListener('abort', close, { once: true })
  try {
    const tools = toolsOf(await connection.open(), server, connection, ports)
    return {
      name,
      source,
      status: 'connected',
      tools,
      callForHook: async (tool, input, until) =>
        resultText(await connection.call({ tool, input, signal: until, progress: () => undefined }))
    }
  } catch (error) {
    ports.notice(errorMessage(error))
    return { name, source, status: 'failed', tools: [] }
  } finally {
    signal.removeEventListener('abort', close)
  }
}

type StartServer = (server: StdioServer, listener: OutputListener) => Running

/** The connection to a server. `start` starts one that is a program. */
export const linkTo = async (config: OutsideServer, start: StartServer): Promise<ServerLink> =>
  'url' in config ? httpLink(config.url, config.headers ?? {}) : stdioLink(listener => start(config, listener))

function millisecondsIn(text: string | undefined): number | undefined {
  const value = Number(text)
  return value >= 1 && value <= 2_147_483_647 ? value : undefined
}

const LONGEST_NAME = 128

function toolsOf(
  definitions: readonly Definition[],
  server: NamedServer,
  connection: McpConnection,
  ports: ServerPorts
): readonly Tool[] {
  const { name } = server
  const known = new KnownTools(ports.knownFolder, serverIdentity(server, ports.session), text =>
    ports.notice(`the server ${name}: ${text}`)
  )
  const named = Map.groupBy(definitions, definition => nameInServer(name, definition.name))
  const tools = [...named].flatMap(([full, group]) => {
    const problem =
      full.length > LONGEST_NAME
        ? 'its name is too long'
        : sharedNameProblem(
            full,
            group.map(each => each.name)
          )
    return group.flatMap(each => {
      if (problem === undefined) return toolOf(each, full, known.look(each), { server, connection })
      ports.notice(`the tool ${escapedLines(each.name)} of the server ${name} is left out: ${problem}`)
      return []
    })
  })
  const changed = tools.filter(tool => tool.change !== undefined)
  if (changed.length > 0)
    ports.notice(
      `tools of the server ${name} do not match their approved definitions: ${changed.map(tool => tool.name).join(', ')}; ` +
        'a person is asked before they run'
    )
  return tools
}

/** Identifies a server: its name and how it is reached. A program named by a project belongs to that project. */
export function serverIdentity(
  { name, source, config }: NamedServer,
  { root }: Pick<ToolSession, 'root'>
): readonly string[] {
  const way = 'url' in config ? [config.url] : [config.command, ...(config.args ?? [])]
  return [source, source === 'project' ? root : '', name, ...way]
}

function toolOf(
  definition: Definition,
  name: string,
  known: KnownTool,
  { server: { name: server, source }, connection }: { readonly server: NamedServer; readonly connection: McpConnection }
): Tool {
  return {
    name,
    server: { name: server, source },
    get description() {
      return shownDescription(known.definition)
    },
    get inputSchema() {
      return shownSchema(known.definition.inputSchema)
    },
    ...(definition.annotations['destructiveHint'] === true && {
      caution: 'its server marks it as destructive'
    }),
    get change() {
      if (known.change === undefined) return undefined
      const words = `the tool ${escapedLines(definition.name)} of the server ${server} does not match its approved definition`
      return {
        words: `${words}: ${known.change}. Allowing it approves the new definition`,
        approve: () => known.approve()
      }
    },
    // The server knows its schema best, and checks it.
    check: input => (isObject(input) ? { input } : { problem: 'it is not an object' }),
    readOnlyIsUnverified: true,
    readOnly() {
      const { readOnlyHint, destructiveHint } = known.definition.annotations
      return readOnlyHint === true && destructiveHint !== true
    },
    present: presentContent,
    async run(input, call) {
      const { signal } = call
      const given = await connection.call({
        tool: definition.name,
        input,
        signal,
        progress: text => call.progress(text)
      })
      return boundedResult(given, call)
    }
  }
}
