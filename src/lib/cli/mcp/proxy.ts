import { basename, join } from 'node:path'
import { fault } from '../../faults.ts'
import { parseMode } from '../../permissions/modes.ts'
import { concernsAny, gateFindings, missedTools } from '../../query/setup/missed-tools.ts'
import { SavedPermissions } from '../../query/saved-permissions.ts'
import { findingLine, stopsRun } from '../../settings/files/finding.ts'
import { restrictions } from '../../settings/permissions/restrictions.ts'
import { coverageOf } from '../../settings/trust/digest.ts'
import { KnownTools } from '../../tools/mcp/mcp-approvals.ts'
import { readServer, serversIn } from '../../tools/mcp/mcp-config.ts'
import { serverIdentity, type NamedServer } from '../../tools/mcp/mcp.ts'
import { httpLink } from '../../tools/mcp/mcp-http.ts'
import { LONGEST_MESSAGE, stdioLink, type ServerLink } from '../../tools/mcp/mcp-stdio.ts'
import { jsonIn } from '../../util/attempt.ts'
import { nameInServer, serverLabel } from '../../util/names.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import { ByteRecords } from '../../world/process/byte-records.ts'
import { startProcess } from '../../world/process/process.ts'
import {
  decideProjectHooks,
  EXIT,
  loadProjectState,
  reportUntrusted,
  unusableFindings,
  type ProjectState
} from '../common.ts'
import type { McpFlags } from '../flags.ts'
import { hooksHere, type HooksHere } from '../hooks/hooks-here.ts'
import { escapeText, printError } from '../print.ts'
import { policyOf } from '../rules/policy.ts'
import { onSignal } from '../signals.ts'
import { reserveOutput, writeOutput } from '../standard-streams.ts'
import type { CallGate } from './call-judge.ts'
import { GatedCall, type CallPorts } from './gated-call.ts'
import { OfferedTools } from './offered-tools.ts'
import { Questions } from './questions.ts'
import { failedResponse, Relay } from './relay.ts'

const notice = (text: string): void => printError(`carabiner mcp: ${text}`)

/** `carabiner mcp -- SERVER`: a server for an MCP client, with the gate in front of another server. */
export async function proxyServer(words: readonly string[], flags: McpFlags): Promise<number> {
  const server = serverIn(words, flags)
  reserveOutput()
  const state = loadProjectState(flags)
  // The proxy is usually an entry of the project's own .mcp.json, and starts none of these servers.
  const isHarmless = coverageOf({ ...state.loaded, servers: [] }) === undefined
  const trusted = isHarmless || decideProjectHooks(state, flags)
  if (trusted === undefined) return reportUntrusted(state)
  const situation = { loaded: state.loaded, projectTrusted: trusted, hasAgent: true }
  const armed = await hooksHere(situation, { cwd: state.where.cwd, profile: flags.profile })
  try {
    const saved = new SavedPermissions(state.where.ownHome, state.loaded.root)
    const policy = policyOf(state, trusted, modeIn(state, flags), saved.rules())
    const gate = { server, hooks: armed.hooks, policy, problem: problemIn(state, flags, armed), notice }
    notice(`hooks and rules see its tools as mcp__${serverLabel(server.name)}__TOOL`)
    if (process.stdin.isTTY) notice('waiting for an MCP client on standard input; Ctrl-C ends it')
    if (gate.problem !== undefined) notice(`every call will be refused: ${gate.problem}`)
    const known = new KnownTools(join(state.where.ownHome, 'mcp-tools'), serverIdentity(server, state.loaded), notice)
    const link = await linkTo(server, state.where.cwd, armed)
    return await relayTo(link, gate, new OfferedTools(known, notice, reportMissed(gate)))
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

function modeIn({ loaded }: ProjectState, flags: McpFlags): CallGate['policy']['mode'] {
  const mode = parseMode(flags.permissionMode ?? loaded.mode ?? 'default', true)
  if (typeof mode === 'object') throw fault('E_MODE', mode.problem, '--permission-mode')
  return mode
}

/** Restrictions that cannot be enforced. In the compat profile, only what the command line names. */
function problemIn(state: ProjectState, flags: McpFlags, armed: HooksHere): string | undefined {
  const { loaded } = state
  const { findings, hooks } = armed
  const all = [...loaded.findings, ...restrictions(loaded), ...findings, ...gateFindings(armed, [])].filter(
    ({ ofProject }) => flags.projectHooks !== false || ofProject !== true
  )
  const wrong = hooks.options.profile === 'compat' ? unusableFindings(state, flags, all) : all.filter(stopsRun)
  return wrong.length === 0 ? undefined : wrong.map(findingLine).join('; ')
}

/** Says, once each, which restrictions are about none of these tools, and whether any is. */
function reportMissed({ server, hooks, policy }: CallGate): (tools: readonly string[]) => void {
  const said = new Set<string>()
  return names => {
    const tools = names.map(name => nameInServer(server.name, name))
    const listed = [{ ...server, status: 'connected' as const, tools: tools.map(name => ({ name })) }]
    const all = [...missedTools(policy.rules, hooks.list(), listed)]
    if (policy.mode !== 'dontAsk' && !concernsAny(policy.rules, hooks.list(), tools))
      all.push(`no hook and no rule is about the tools of ${server.name}: every call is passed on`)
    for (const text of all.filter(each => !said.has(each))) notice(text)
    for (const text of all) said.add(text)
  }
}

async function linkTo({ config }: NamedServer, cwd: string, { sandbox }: HooksHere): Promise<ServerLink> {
  if ('url' in config) return httpLink(config.url, config.headers ?? {})
  // The variables that the client gave to its server.
  const program = { file: config.command, args: config.args ?? [], cwd, env: process.env as Record<string, string> }
  return stdioLink(listener =>
    startProcess(sandbox?.confine(program) ?? program, {
      ...listener,
      stderr(chunk) {
        process.stderr.write(escapeText(chunk.toString()))
        listener.stderr(chunk)
      }
    })
  )
}

/** Until the client or the server has ended. */
async function relayTo(link: ServerLink, gate: CallGate, tools: OfferedTools): Promise<number> {
  const { transport } = link
  const relay = new Relay({
    async send(to, message, requestSignal) {
      if (to === 'server') await transport.send(message as never, requestSignal && { requestSignal })
      else writeOutput(`${JSON.stringify(message)}\n`)
    },
    onNotification: method => void (method === 'notifications/tools/list_changed' && (tools.isStale = true)),
    notice
  })
  addHandlers({ gate, relay, tools, questions: new Questions(relay) }, link)
  const { promise: lost, resolve: lose } = Promise.withResolvers<'client' | 'server'>()
  const { onmessage } = transport
  Object.assign(transport, {
    onmessage(message: PlainObject) {
      onmessage?.(message as never)
      relay.take('server', message)
    },
    onclose: () => lose('server'),
    onerror: (error: Error) => notice(error.message)
  })
  onSignal(() => lose('client'))
  try {
    await transport.start()
    readClient(relay, () => lose('client'))
    const side = await lost
    const why = `the connection to the ${side} has ended: ${link.failure() ?? 'it was closed'}`
    if (side === 'server') notice(why)
    await relay.close(side, new Error(why))
    return side === 'client' ? EXIT.done : EXIT.failed
  } finally {
    await link.end()
  }
}

/** A number that may be read as Infinity. */
const TOO_LARGE = /\de\+?\d{3}|\d{309}/i

function readClient(relay: Relay, onEnd: () => void): void {
  const lines = new ByteRecords({
    separator: 10,
    longest: LONGEST_MESSAGE,
    take(line) {
      const text = line.toString()
      if (text.trim() === '') return
      const parsed = jsonIn(text)
      // Infinity is sent as null: hooks must judge that.
      const message = TOO_LARGE.test(text) ? jsonIn(JSON.stringify(parsed ?? null)) : parsed
      // In 2025-03-26, several messages may come as a list.
      for (const each of Array.isArray(message) ? (message as unknown[]) : [message]) relay.take('client', each)
    },
    onTooLong: () => notice(`a message of more than ${LONGEST_MESSAGE} bytes was not passed on`)
  })
  process.stdin
    .on('data', (chunk: Buffer) => lines.add(chunk))
    .on('end', onEnd)
    .on('error', onEnd)
}

function addHandlers(ports: Omit<CallPorts, 'hold'>, { transport }: ServerLink): void {
  const { relay, tools, questions } = ports
  const tasks = new Map<unknown, { take(response: PlainObject): void; readonly response: Promise<PlainObject> }>()
  relay.handlers.set('initialize', async (request, signal) => {
    questions.capabilities = partIn(request, 'params', 'capabilities')
    const response = await relay.request('server', request, signal)
    const version = partIn(response, 'result', 'protocolVersion')
    if (typeof version === 'string') transport.setProtocolVersion?.(version)
    return response
  })
  relay.handlers.set('tools/list', async (request, signal) => {
    const response = await relay.request('server', request, signal)
    const { result } = response
    return isObject(result) ? { ...response, result: tools.read(result) } : response
  })
  relay.handlers.set('tools/call', (request, signal) => {
    const { promise, resolve } = Promise.withResolvers<PlainObject>()
    const hold = (interim: PlainObject): Promise<PlainObject> => {
      resolve(interim)
      const task = partIn(interim, 'result', 'task')
      return new Promise(take => isObject(task) && tasks.set(task['taskId'], { take, response }))
    }
    const response = new GatedCall(request, { ...ports, hold }, signal).response()
    void response.then(resolve)
    return promise
  })
  // The result of a call that is a task.
  relay.handlers.set('tasks/result', async (request, signal) => {
    const task = tasks.get(partIn(request, 'params', 'taskId'))
    if (task === undefined) return failedResponse(undefined, 'this task was not started through this proxy')
    task.take(await relay.request('server', request, signal))
    return task.response
  })
}

function partIn(message: PlainObject, part: 'params' | 'result', key: string): unknown {
  const value = message[part]
  return isObject(value) ? value[key] : undefined
}
