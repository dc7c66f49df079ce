import { fault } from '../../faults.ts'
import { credentialsIn, hideCredential } from '../../util/credentials.ts'
import { checkObject, invalidOption } from '../../schema/check.ts'
import { own, type FieldTable, type Infer } from '../../schema/table.ts'
import { isObject } from '../../util/plain.ts'
import { isWebUrl } from '../../world/http/client.ts'

const STRINGS_BY_NAME = { record: 'string' } as const
const TIMEOUT = {
  type: 'number',
  min: 1,
  max: 2_147_483_647,
  expected: 'milliseconds, above 0',
  words: 'how long a call may take, in milliseconds; default: MCP_TOOL_TIMEOUT, else half an hour'
} as const

const STDIO_SERVER = {
  'type?': ['stdio'],
  command: { type: 'string', notBlank: true, expected: 'the name or path of a program' },
  'args?': { list: 'string' },
  'env?': { type: STRINGS_BY_NAME, words: 'variables in addition to those that commands have' },
  'timeout?': TIMEOUT
} as const satisfies FieldTable

const HTTP_SERVER = {
  type: ['http'],
  url: own<string>('an address that begins with http:// or https://', url => typeof url === 'string' && isWebUrl(url)),
  'headers?': STRINGS_BY_NAME,
  'timeout?': TIMEOUT
} as const satisfies FieldTable

/** A server that is a program: it is started, and communicates over its standard input and output. */
export type StdioServer = Infer<typeof STDIO_SERVER, undefined>
/** A server at an address, over streamable HTTP. */
export type HttpServer = Infer<typeof HTTP_SERVER, undefined>
export type OutsideServer = StdioServer | HttpServer

/** The server that this describes; throws if it is invalid. `where` names it in errors. */
export function readServer(given: unknown, where: string): OutsideServer {
  if (!isObject(given)) throw invalidOption(where, given, 'an object with a command or a url')
  const type = given['type'] ?? (given['command'] === undefined && given['url'] !== undefined ? undefined : 'stdio')
  if (type !== 'stdio' && type !== 'http') throw invalidOption(`${where}.type`, type, '"stdio", "http" or "sdk"')
  checkObject(type === 'stdio' ? STDIO_SERVER : HTTP_SERVER, given, where)
  for (const value of [...credentialsIn(given['env']), ...credentialsIn(given['headers'])]) hideCredential(value)
  return given as unknown as OutsideServer
}

/**
 * The servers in a file like `.mcp.json`: `{ "mcpServers": { name: … } }`, or the inner object alone. In strings,
 * `${NAME}` and `${NAME:-default}` are replaced by variables.
 */
export function serversIn(
  document: unknown,
  env: Readonly<Record<string, string | undefined>>,
  where: string
): Readonly<Record<string, OutsideServer>> {
  const map = isObject(document) && isObject(document['mcpServers']) ? document['mcpServers'] : document
  if (!isObject(map)) throw invalidOption(where, map, '{ "mcpServers": { … } }')
  return Object.fromEntries(
    Object.entries(map).map(([name, given]) => [
      name,
      readServer(expanded(given, env, `${where}: ${name}`), `${where}: ${name}`)
    ])
  )
}

function expanded(value: unknown, env: Readonly<Record<string, string | undefined>>, where: string): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
      const text = env[name] ?? otherwise
      if (text === undefined)
        throw fault(
          'E_OPTION_INVALID',
          where,
          `with \${${name}} while ${name} is not set`,
          `\${${name}:-default}, or set it`
        )
      return text
    })
  if (Array.isArray(value)) return value.map(item => expanded(item, env, where))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item, env, where)]))
}
