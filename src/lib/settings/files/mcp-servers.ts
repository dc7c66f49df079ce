import { join } from 'node:path'
import { isObject } from '../../util/plain.ts'
import { readDocument } from './document.ts'
import type { Finding } from './finding.ts'
import type { LoadedServer } from './loaded-hooks.ts'
import { staysInProject, type Where } from './sources.ts'

/** The servers in the project's `.mcp.json`. Those of the user come from a flag, or from code. */
export function projectServers(
  root: string,
  { home }: Where
): { readonly servers: readonly LoadedServer[]; readonly findings: readonly Finding[] } {
  const file = join(root, '.mcp.json')
  if (root === home || !staysInProject(file, root)) return { servers: [], findings: [] }
  const { document, findings } = readDocument(file)
  const { mcpServers: map } = document?.value ?? {}
  if (map !== undefined && !isObject(map))
    findings.add('error', ['mcpServers'], 'key-type', 'mcpServers is not an object', 'use { "name": { "command": … } }')
  const servers = Object.entries(isObject(map) ? map : {}).map(([name, spec]) => ({
    name,
    spec: isObject(spec) ? spec : { command: spec },
    place: findings.place(['mcpServers', name])
  }))
  // A server that is missing opens no gate.
  return { servers, findings: findings.all.map(finding => ({ ...finding, gate: false })) }
}
