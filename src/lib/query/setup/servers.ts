import { join } from 'node:path'
import type { Session } from '../../agent/session/session.ts'
import { errorMessage } from '../../errors.ts'
import type { ServerCall } from '../../hooks/kinds/hook-environment.ts'
import { fileChange, ownerFiles } from '../../settings/trust/trusted-files.ts'
import type { LoadedServer } from '../../settings/files/loaded-hooks.ts'
import type { ConnectedServer, NamedServer, ServerPorts } from '../../tools/mcp/mcp.ts'
import { serversIn } from '../../tools/mcp/mcp-config.ts'
import type { ToolSession } from '../../tools/tool.ts'
import { serverLabel } from '../../util/names.ts'
import type { ProjectContext } from './project-context.ts'
import { elicitThrough } from '../options/options.ts'
import { serversOf } from './tools.ts'

/** Set later: hooks and servers are opened before there is a session. */
export interface SessionRef {
  session?: Session
  servers?: readonly ConnectedServer[]
}

/** Connects the servers of the options and of the project. Before there is a session, their questions are declined. */
export function openServers(
  project: ProjectContext,
  tools: ToolSession,
  { ref, notices, signal }: { readonly ref: SessionRef; readonly notices: string[]; readonly signal: AbortSignal }
): Promise<readonly ConnectedServer[]> {
  const { options, where } = project
  const { onElicitation } = options
  const ports: ServerPorts = {
    session: tools,
    knownFolder: join(where.ownHome, 'mcp-tools'),
    async elicit(server, wanted, abort) {
      if (ref.session === undefined) return { action: 'decline' }
      const { elicit } = await import('../../agent/elicit.ts')
      const ask = onElicitation && elicitThrough(onElicitation)
      return elicit({ server, wanted, ask, session: ref.session, signal: abort })
    },
    notice(text) {
      if (ref.session === undefined) notices.push(text)
      else ref.session.reader.notice(text, 'warning', 'mcp')
    }
  }
  return serversOf(options, projectMcpServers(project, ports), ports, signal)
}

/** Calls a tool for a hook. The server must be connected already. */
export async function callServer(
  { server, tool, input, signal }: ServerCall,
  servers: readonly ConnectedServer[] = []
): Promise<string> {
  const found = servers.find(({ name }) => name === server)
  if (found === undefined) throw new Error(`there is no server ${server}`)
  if (found.callForHook === undefined) throw new Error(`the server ${server} is not connected`)
  return found.callForHook(tool, input, signal)
}

/** The servers in the `.mcp.json` of a trusted project, unless options define servers of the same name. */
function projectMcpServers(
  { loaded, trusted, options }: ProjectContext,
  { session, notice }: ServerPorts
): readonly NamedServer[] {
  if (!trusted || options.strictMcpConfig === true) return []
  for (const { place, message, fix } of loaded.findings)
    if (place.file.endsWith('.mcp.json')) notice(`${place.file}:${place.line}: ${message} (${fix})`)
  const taken = new Set(Object.keys(options.mcpServers ?? {}).map(serverLabel))
  return loaded.servers
    .filter(({ name }) => !taken.has(serverLabel(name)))
    .flatMap(server => {
      try {
        return [namedServer(server, loaded.root, session)]
      } catch (error) {
        notice(errorMessage(error))
        return []
      }
    })
}

/** Variables are those that commands get: a project gets no others by naming them. */
function namedServer(server: LoadedServer, root: string, { env }: ToolSession): NamedServer {
  const { name, spec, place } = server
  const config = serversIn({ mcpServers: { [name]: spec } }, env, place.file)[name]!
  if (ownerFiles(server, root) === undefined)
    throw new Error(`${place.file}: ${name}: which files it would run cannot be determined`)
  return { name, source: 'project', config, objection: () => fileChange(server, root) }
}
