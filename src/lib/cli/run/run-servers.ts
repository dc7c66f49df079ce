import { resolve } from 'node:path'
import { fault } from '../../faults.ts'
import type { QueryOptions } from '../../query/options/options.ts'
import { parseDocument, readDocument } from '../../settings/files/document.ts'
import { serversIn } from '../../tools/mcp/mcp-config.ts'

/** The servers of `--mcp-config`: files or JSON. Of two with one name, the later is used. */
export function readServers(given: readonly string[] | undefined, cwd = '.'): QueryOptions['mcpServers'] {
  if (given === undefined) return undefined
  return Object.assign({}, ...given.map(text => parseServers(text, cwd))) as QueryOptions['mcpServers']
}

function parseServers(text: string, cwd: string): object {
  const isJson = text.trimStart().startsWith('{')
  const file = isJson ? '--mcp-config' : resolve(cwd, text)
  const { document, findings } = isJson ? parseDocument(file, text) : readDocument(file)
  if (document !== undefined) return serversIn(document.value, process.env, file)
  const [finding] = findings.all
  throw fault('E_USAGE', finding === undefined ? `there is no file ${file}` : `${file}: ${finding.message}`)
}
