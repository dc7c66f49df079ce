import { join } from 'node:path'
import { isObject } from '../../util/plain.ts'
import { readDocument } from './document.ts'
import type { Finding } from './finding.ts'
import { KeyReader } from './keys.ts'
import type { LoadedServer } from './loaded-hooks.ts'
import { staysInProject, type Where } from './sources.ts'

/** The MCP servers that a project names in `.mcp.json`. Those of the user come with a flag, or in code. */
export function projectServers(
  root: string,
  { home }: Where
): { readonly servers: readonly LoadedServer[]; readonly findings: readonly Finding[] } {
  const file = join(root, '.mcp.json')
  if (root === home || !staysInProject(file, root)) return { servers: [], findings: [] }
  const { document, findings } = readDocument(file)
  const map = document === undefined ? undefined : new KeyReader(document).object('mcpServers')
  const servers = Object.entries(map ?? {}).map(([name, spec]) => ({
    name,
    spec: isObject(spec) ? spec : { command: spec },
    place: findings.place(['mcpServers', name])
  }))
  // A server that is missing opens no gate.
  return { servers, findings: findings.all.map(finding => ({ ...finding, gate: false })) }
}
