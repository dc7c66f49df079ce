import type { Transport } from '@modelcontextprotocol/client'
import { basename, join } from 'node:path'
import { fault } from '../../faults.ts'
import { missedTools, restrictionsBy } from '../../query/setup/missed-tools.ts'
import { KnownTools } from '../../tools/mcp/mcp-approvals.ts'
import { readServer, serversIn } from '../../tools/mcp/mcp-config.ts'
import { linkTo, serverIdentity, type NamedServer } from '../../tools/mcp/mcp.ts'
import { stdioLink, type ServerLink } from '../../tools/mcp/mcp-stdio.ts'
import { serverLabel } from '../../util/names.ts'
import { isObject } from '../../util/plain.ts'
import { sayOnce } from '../../util/bounded.ts'
import { isWebUrl } from '../../world/http/client.ts'
import { startProcess } from '../../world/process/process.ts'
import { decideProjectHooks, EXIT, loadProjectState, reportUntrusted } from '../common.ts'
import type { McpFlags } from '../flags.ts'
import { needsNoTrust, openGate } from '../gate.ts'
import type { HooksHere } from '../hooks/hooks-here.ts'
import { escapeText, printError } from '../print.ts'
import { onSignal } from '../signals.ts'
import { reserveOutput, writeOutput } from '../standard-streams.ts'
import type { CallGate } from './call-judge.ts'
import { GatedCall, type CallPorts } from './gated-call.ts'
import { OfferedTools } from './offered-tools.ts'
import { Questions } from './questions.ts'
import { Relay } from './relay.ts'

const notice = (text: string): void => printError(`carabiner mcp: ${text}`)

/** `carabiner mcp -- SERVER`: a server for an MCP client, with the gate in front of another server. */
export async function proxyServer(words: readonly string[], flags: McpFlags): Promise<number> {
  const server = serverIn(words, flags)
  reserveOutput()
  const state = loadProjectState(flags)
  // The proxy is usually an entry of the project's own .mcp.json.
  const trusted = needsNoTrust(state) || decideProjectHooks(state, flags)
  if (trusted === undefined) return reportUntrusted(state)
  const { armed, policy, problem } = await openGate(state, flags, trusted)
  try {
    const gate = { server, hooks: armed.hooks, policy, problem, notice }
    notice(`hooks and rules see its tools as mcp__${serverLabel(server.name)}__TOOL`)
    if (process.stdin.isTTY) notice('waiting for an MCP client on standard input; Ctrl-C ends it')
    if (gate.problem !== undefined) notice(`every call will be refused: ${gate.problem}`)
    const known = new KnownTools(join(state.where.ownHome, 'mcp-tools'), serverIdentity(server, state.loaded), notice)
    const link = await linkTo(server.config, startIn(state.where.cwd, armed))
    return await relayTo(link, gate, new OfferedTools({ server: server.name, known, ...reportsOf(gate) }))
  } finally {
    await armed.close()
  }
}

function serverIn([command, ...args]: readonly string[], { http, header = [], name }: McpFlags): NamedServer {
  if ((command === undefined) === (http === undefined))
    throw fault('E_USAGE', 'name one server: carabiner mcp -- PROGRAM ARGUMENTS, or carabiner mcp --http URL')
  if (http === undefined && header.length > 0) throw fault('E_USAGE', '--header needs --http')
  const own = name ?? http?.replace(/^\w+:\/+([^/:]*).*$/, '$1') ?? programName([command ?? '', ...args])
  if (serverLabel(own) === '') throw fault('E_USAGE', `--name takes a name with letters or digits, not ${own}`)
  const source = 'dynamic'
  if (http === undefined) return { name: own, source, config: readServer({ command, args }, 'the server') }
  if (!isWebUrl(http))
    throw fault('E_USAGE', `--http takes an address that begins with http:// or https://, not ${http}`)
  if (!header.every(each => /^[\w-]+:/.test(each))) throw fault('E_USAGE', '--header takes "Name: value"')
  const headers = Object.fromEntries(
    header.map(each => [each.replace(/:.*/s, ''), each.replace(/^.*?:\s*/, '')] as const)
  )
  const config = serversIn({ [own]: { type: 'http', url: http, headers } }, process.env, '--http')[own]
  return { name: own, source, config: config! }
}

const RUNNERS = /^(?:node|npx|npm|pnpm|yarn|bunx?|deno|uvx?|python[\d.]*|docker|podman|env|sh|bash)$/

/** `npx -y @scope/server-files@1.2 .` is `server-files`. */
function programName(words: readonly string[]): string {
  const word = words.find(each => !RUNNERS.test(basename(each)) && !/^(?:-.*|run|exec|dlx|tool)$/.test(each))
  return basename(word ?? words[0] ?? '').replace(/(?<=.)@.*$|\.(?:[cm]?[jt]s|py)$/, '')
}

/**
 * Says, once each, which tools have changed, which restrictions miss the tools, and whether any is about them. While
 * one narrowly misses a tool, no call can be judged. Other servers have a proxy of their own.
 */
function reportsOf(gate: CallGate): Pick<ConstructorParameters<typeof OfferedTools>[0], 'notice' | 'onListed'> {
  const { server, hooks, policy, problem } = gate
  const say = sayOnce(notice)
  return {
    notice: say,
    onListed(names) {
      const listed = [{ ...server, status: 'connected' as const, tools: names.map(name => ({ name })) }]
      const all = restrictionsBy(policy.rules, hooks.list())
      const missed = missedTools(all, listed)
      for (const { text, is } of missed) if (is !== 'elsewhere') say(text)
      const near = hooks.options.profile === 'compat' ? [] : missed.filter(({ is }) => is === 'near')
      gate.problem = problem ?? (near.map(({ text }) => text).join('; ') || undefined)
      const isJudged = all.some(({ fits }) => names.some(fits))
      if (gate.problem === undefined && policy.mode !== 'dontAsk' && !isJudged)
        say(`no hook and no rule judges the tools of ${server.name}: every call is passed on`)
    }
  }
}

/** The server gets the variables that the client gave to its server. */
const startIn =
  (cwd: string, { sandbox }: HooksHere): Parameters<typeof linkTo>[1] =>
  ({ command: file, args = [] }, listener) => {
    const program = { file, args, cwd, env: process.env as Record<string, string> }
    return startProcess(sandbox?.confine(program) ?? program, {
      ...listener,
      stderr(chunk) {
        process.stderr.write(escapeText(chunk.toString()))
        listener.stderr(chunk)
      }
    })
  }

/** The client, at standard input and output. */
function clientLink(): ServerLink {
  const link = stdioLink(({ stdout }) => {
    const close = (): void => void link.end()
    process.stdin.on('data', stdout).on('end', close).on('error', close)
    const nothing = (): void => undefined
    const ended = new Promise<never>(nothing)
    return { write: writeOutput, close: nothing, end: nothing, hold: nothing, pid: undefined, ended }
  })
  return link
}

/** Until the client or the server has ended. */
async function relayTo(server: ServerLink, gate: CallGate, tools: OfferedTools): Promise<number> {
  const client = clientLink()
  const relay = new Relay({
    client: client.transport,
    server: server.transport,
    onNotification: method => void (method === 'notifications/tools/list_changed' && (tools.isStale = true)),
    notice
  })
  addHandlers({ gate, relay, tools, questions: new Questions(relay) }, server.transport)
  onSignal(() => void client.end())
  try {
    const side = await relay.passUntilEnd()
    const failure = side === 'server' ? (server.failure() ?? 'it was closed') : client.failure()
    const why = `the connection to the ${side} has ended: ${failure}`
    if (failure !== undefined) notice(why)
    await relay.close(side, new Error(why))
    return failure === undefined ? EXIT.done : EXIT.failed
  } finally {
    await server.end()
  }
}

function addHandlers(ports: CallPorts, server: Transport): void {
  const { relay, tools, questions } = ports
  relay.handlers.set('initialize', async (request, signal) => {
    const { params } = request
    questions.capabilities = isObject(params) && params['capabilities']
    const response = await relay.request('server', request, signal)
    const version = isObject(response['result']) && response['result']['protocolVersion']
    if (typeof version === 'string') server.setProtocolVersion?.(version)
    return response
  })
  relay.handlers.set('tools/list', async (request, signal) => {
    const response = await relay.request('server', request, signal)
    return isObject(response['result']) ? { ...response, result: tools.read(response['result']) } : response
  })
  relay.handlers.set('tools/call', (request, signal) => new GatedCall(request, ports, signal).response())
}
