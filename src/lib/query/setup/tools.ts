import type { Permissions } from '../../agent/session/session-options.ts'
import { nearest } from '../../errors.ts'
import { callForHook, customTool, type SdkMcpServer, type ToolDefinition } from '../../tools/custom.ts'
import { askUserQuestionTool, exitPlanMode } from '../../tools/user-tools.ts'
import { bashTool } from '../../tools/bash/bash.ts'
import { editTool } from '../../tools/files/edit.ts'
import { globTool } from '../../tools/search/glob.ts'
import { grepTool } from '../../tools/search/grep.ts'
import { readTool } from '../../tools/files/read.ts'
import { TOOL_NAMES } from '../../tool-table.ts'
import type { ConnectedServer, NamedServer, ServerPorts } from '../../tools/mcp/mcp.ts'
import { readServer } from '../../tools/mcp/mcp-config.ts'
import { taskListTools } from '../../tools/tasks/task-list.ts'
import { taskOutputTool, taskStopTool } from '../../tools/tasks/tasks.ts'
import { webFetchTool, type AskAboutPage } from '../../tools/web/web-fetch.ts'
import { writeTool } from '../../tools/files/write.ts'
import type { Tool } from '../../tools/tool.ts'
import { nameInServer, serverLabel } from '../../util/names.ts'
import type { QueryOptions } from '../options/options.ts'
import { invalidOption } from '../../schema/check.ts'

export async function toolsOf(
  options: QueryOptions,
  permissions: Permissions,
  servers: readonly ConnectedServer[],
  askAboutPage: AskAboutPage
): Promise<readonly Tool[]> {
  const given = Array.isArray(options.tools) ? options.tools.filter(each => typeof each === 'object') : []
  const made = await Promise.all(given.map((definition: ToolDefinition) => customTool(definition)))
  const own = [...made, ...servers.flatMap(({ tools }) => tools)]
  const there = [...builtIns(permissions, options), webFetchTool(askAboutPage)].filter(({ name }) =>
    isWanted(name, options)
  )
  const taken = new Set<string>()
  for (const { name } of [...there, ...own]) {
    if (taken.has(name)) throw invalidOption('a tool', name, 'a name that no other tool has')
    taken.add(name)
  }
  const removed = new Set(options.disallowedTools)
  return [...there, ...own].filter(({ name }) => !removed.has(name))
}

function builtIns(permissions: Permissions, { canUseTool }: QueryOptions): readonly Tool[] {
  const files = [readTool, writeTool, editTool, globTool, grepTool]
  const asking = canUseTool === undefined ? [] : [askUserQuestionTool]
  const tools = [...files, bashTool, taskOutputTool, taskStopTool, ...taskListTools(), ...asking]
  return permissions.mode === 'plan' ? [...tools, exitPlanMode(() => (permissions.mode = 'default'))] : tools
}

export function isWanted(name: string, { tools, disallowedTools = [] }: QueryOptions): boolean {
  if (disallowedTools.includes(name)) return false
  // Other tools do the same better; it is available on request.
  if (name === 'TodoWrite') return Array.isArray(tools) && tools.includes(name)
  return !Array.isArray(tools) || name === 'ExitPlanMode' || tools.includes(name)
}

/** Throws for an unknown tool name. */
export function checkTools({ tools }: QueryOptions): void {
  const named = Array.isArray(tools) ? tools.filter(each => typeof each === 'string') : []
  const stray = named.find(name => !TOOL_NAMES.includes(name) && !name.startsWith('mcp__'))
  if (stray !== undefined) throw invalidOption('tools', stray, nearest(stray, TOOL_NAMES) ?? TOOL_NAMES.join(', '))
}

/** Throws for an invalid server, and for two servers whose tools would have the same names. */
export function checkServers({ mcpServers = {} }: QueryOptions): void {
  checkNames(Object.keys(mcpServers))
  for (const [name, server] of Object.entries(mcpServers))
    if ((server as Partial<SdkMcpServer> | null)?.type !== 'sdk') readServer(server, `mcpServers.${name}`)
    else if (!Array.isArray((server as SdkMcpServer).tools))
      throw invalidOption(
        `mcpServers.${name}`,
        'instance' in server ? 'an instance of an MCP SDK' : Object.keys(server),
        'createSdkMcpServer({ name, tools: [tool(…)] }) of this package, or run the server as a program: { command, args }'
      )
}

/** The servers and their tools. External servers are connected concurrently. */
export async function serversOf(
  { mcpServers = {} }: QueryOptions,
  project: readonly NamedServer[],
  ports: ServerPorts,
  signal: AbortSignal
): Promise<readonly ConnectedServer[]> {
  const servers = Object.entries(mcpServers)
  checkNames([...servers.map(([name]) => name), ...project.map(({ name }) => name)])
  const outside = servers.flatMap(([name, server]) =>
    server.type === 'sdk' ? [] : [{ name, source: 'dynamic', config: readServer(server, `mcpServers.${name}`) }]
  )
  const all = [...outside, ...project]
  // Most sessions have none, and do not load the client.
  const client = all.length === 0 ? undefined : await import('../../tools/mcp/mcp.ts')
  const own = servers.flatMap(([name, server]) => (server.type === 'sdk' ? [ownServer(name, server)] : []))
  return (await Promise.all([...own, client?.connectServers(all, ports, signal) ?? []])).flat()
}

/** Tools are named after their server. */
function checkNames(names: readonly string[]): void {
  const labels = new Set<string>()
  for (const name of names) {
    const label = serverLabel(name)
    if (label === '' || labels.has(label))
      throw invalidOption('a server', name, 'a name of letters and digits that no other has')
    labels.add(label)
  }
}

async function ownServer(name: string, { tools }: SdkMcpServer): Promise<ConnectedServer> {
  const made = await Promise.all(tools.map(definition => customTool(definition, nameInServer(name, definition.name))))
  const server = { name, source: 'sdk' }
  return {
    ...server,
    status: 'connected',
    tools: made.map(tool => ({ ...tool, server })),
    async callForHook(called, input, signal) {
      const definition = tools.find(each => each.name === called)
      if (definition === undefined) throw new Error(`the server ${name} has no tool ${called}`)
      return callForHook(definition, input, signal)
    }
  }
}
