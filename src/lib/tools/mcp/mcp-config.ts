import { nearest } from '../../errors.ts'
import { fault } from '../../faults.ts'
import { credentialsIn, hideCredential } from '../../util/credentials.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { isWebUrl } from '../../world/http/client.ts'

/** A server that is a program: it is started, and spoken to over its standard input and output. */
export interface StdioServer {
  readonly type?: 'stdio' | undefined
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Variables in addition to those that commands have. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** How long a call may take, in milliseconds. Default: `MCP_TOOL_TIMEOUT`, else half an hour. */
  readonly timeout?: number | undefined
}

/** A server at an address, spoken to over streamable HTTP. */
export interface HttpServer {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly timeout?: number | undefined
}

/** A server outside this process. */
export type OutsideServer = StdioServer | HttpServer

const KEYS = {
  stdio: ['type', 'command', 'args', 'env', 'timeout'],
  http: ['type', 'url', 'headers', 'timeout']
} as const

/** The server that this describes; throws where it describes none. `where` is what people know it by. */
export function readServer(given: unknown, where: string): OutsideServer {
  if (!isObject(given)) throw fault('E_OPTION_INVALID', where, typeof given, 'an object with a command or a url')
  const type = given['type'] ?? (given['command'] === undefined && given['url'] !== undefined ? undefined : 'stdio')
  if (type !== 'stdio' && type !== 'http')
    throw fault('E_OPTION_INVALID', `${where}.type`, JSON.stringify(type) ?? 'missing', '"stdio", "http" or "sdk"')
  const known: readonly string[] = KEYS[type]
  const stray = Object.keys(given).find(key => !known.includes(key))
  if (stray !== undefined)
    throw fault(
      'E_OPTION_INVALID',
      `a key of ${where}`,
      JSON.stringify(stray),
      nearest(stray, known) ?? known.join(', ')
    )
  const problem = type === 'stdio' ? problemOfProgram(given) : problemOfAddress(given)
  if (problem !== undefined)
    throw fault('E_OPTION_INVALID', `${where}.${problem[0]}`, shown(given[problem[0]]), problem[1])
  for (const value of [...credentialsIn(given['env']), ...credentialsIn(given['headers'])]) hideCredential(value)
  return given as unknown as OutsideServer
}

type Problem = readonly [key: string, allowed: string]

function problemOfProgram({ command, args, env, timeout }: PlainObject): Problem | undefined {
  if (typeof command !== 'string' || command.trim() === '') return ['command', 'the name or path of a program']
  if (args !== undefined && !(Array.isArray(args) && args.every(each => typeof each === 'string')))
    return ['args', 'a list of texts']
  if (env !== undefined && !isTexts(env)) return ['env', 'an object of texts']
  return problemOfTimeout(timeout)
}

function problemOfAddress({ url, headers, timeout }: PlainObject): Problem | undefined {
  if (typeof url !== 'string' || !isWebUrl(url)) return ['url', 'an address that begins with http:// or https://']
  if (headers !== undefined && !isTexts(headers)) return ['headers', 'an object of texts']
  return problemOfTimeout(timeout)
}

const problemOfTimeout = (timeout: unknown): Problem | undefined =>
  timeout === undefined || (typeof timeout === 'number' && timeout >= 1 && timeout <= 2_147_483_647)
    ? undefined
    : ['timeout', 'milliseconds, above 0']

const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every(each => typeof each === 'string')

const shown = (value: unknown): string => JSON.stringify(value) ?? 'missing'

/**
 * The servers that a file like `.mcp.json` describes: `{ "mcpServers": { name: … } }`, or the inner object alone. In
 * texts `${NAME}` and `${NAME:-otherwise}` stand for variables.
 */
export function serversIn(
  document: unknown,
  env: Readonly<Record<string, string | undefined>>,
  where: string
): Readonly<Record<string, OutsideServer>> {
  const map = isObject(document) && isObject(document['mcpServers']) ? document['mcpServers'] : document
  if (!isObject(map)) throw fault('E_OPTION_INVALID', where, typeof map, '{ "mcpServers": { … } }')
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
          `\${${name}:-otherwise}, or set it`
        )
      return text
    })
  if (Array.isArray(value)) return value.map(item => expanded(item, env, where))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item, env, where)]))
}
