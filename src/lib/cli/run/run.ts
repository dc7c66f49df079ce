import type { RunFlags } from '../flags.ts'
import { CarabinerError } from '../../errors.ts'
import { asFlags, fault } from '../../faults.ts'
import type { AgentMessage, ResultMessage } from '../../agent/output/agent-messages.ts'
import { messageText } from '../../agent/session/conversation.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { QueryOptions } from '../../query/options/options.ts'
import { withResult } from '../../query/init-message.ts'
import { query } from '../../query/query.ts'
import type { Query } from '../../query/query-interface.ts'
import { EXIT, exitCode, loadProjectState, decideProjectHooks, trustOptions, reportUntrusted } from '../common.ts'
import { letHeapGrow } from '../heap.ts'
import { readPipedText, reserveOutput, writeOutput } from '../standard-streams.ts'
import { printError, escapeText, safeJson } from '../print.ts'
import { findSession } from '../sessions/session-lookup.ts'
import { onSignal } from '../signals.ts'
import { resolve } from 'node:path'
import { parseDocument, readDocument } from '../../settings/files/document.ts'
import { serversIn } from '../../tools/mcp/mcp-config.ts'

export async function run(argument: string | undefined, flags: RunFlags): Promise<number> {
  if (flags.print !== true && flags.initOnly !== true) return atTerminal(argument, flags)
  if (flags.inputFormat === 'stream-json') return runFromStream(flags)
  const isResumed = flags.resume !== undefined || flags.continue === true
  const prompt = flags.initOnly === true ? '' : await readPrompt(argument, isResumed)
  const begin = (options: QueryOptions): Query =>
    query({ prompt: flags.initOnly === true ? nothing() : prompt, options })
  const code = await runQuery(flags, begin)
  if (code !== EXIT.untrusted) return code
  // The session loads the settings; only if it may not start, a person is asked, and it is tried again.
  const scene = loadProjectState(flags)
  return decideProjectHooks(scene, flags) === undefined ? reportUntrusted(scene) : runQuery(flags, begin)
}

async function runFromStream(flags: RunFlags): Promise<number> {
  const { queryFromStream } = await import('./run-input.ts')
  const code = await runQuery(flags, (options, respond) => queryFromStream(process.stdin, options, respond))
  return code === EXIT.untrusted ? reportUntrusted(loadProjectState(flags)) : code
}

async function atTerminal(prompt: string | undefined, flags: RunFlags): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw fault('E_USAGE', 'without a terminal, carabiner run needs -p: it answers one prompt and ends')
  if (flags.outputFormat !== undefined || flags.inputFormat !== undefined)
    throw fault('E_USAGE', '--output-format and --input-format need -p')
  const scene = loadProjectState(flags)
  const counts = decideProjectHooks(scene, flags)
  if (counts === undefined) return reportUntrusted(scene)
  const abort = new AbortController()
  abortOnSignal(abort)
  const { runTerminal } = await import('../terminal/session.ts')
  letHeapGrow()
  return runTerminal(prompt, scene, queryOptions(flags, abort), abort)
}

async function readPrompt(argument: string | undefined, isResumed: boolean): Promise<string> {
  const piped = await readPipedText(argument === undefined && !isResumed ? undefined : continueWithout)
  const prompt = [argument, piped].filter(text => text !== undefined && text.trim() !== '').join('\n\n')
  if (prompt === '' && !isResumed)
    throw fault('E_USAGE', 'there is no prompt: give one as an argument or on standard input')
  return prompt
}

const continueWithout = (): void =>
  printError('standard input is open but nothing comes; continuing without it (use < /dev/null to skip the wait)')

async function* nothing(): AsyncGenerator<never> {
  // A session that is only prepared has no prompt.
}

/** The start of an id is enough; a path is used as it is. A missing session is reported in the result of the query. */
function resolveSession(name: string, flags: RunFlags): string {
  try {
    const { id, path } = findSession(name, flags)
    return /[./\\]/.test(name) ? path : id
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'E_SESSION_UNKNOWN') return name
    throw error
  }
}

function queryOptions(flags: RunFlags, abortController: AbortController): QueryOptions {
  if (flags.dangerouslySkipPermissions === true && ![undefined, 'bypassPermissions'].includes(flags.permissionMode))
    throw fault(
      'E_USAGE',
      `--dangerously-skip-permissions and --permission-mode ${flags.permissionMode} exclude each other`
    )
  const disallowedTools = listIn(flags.disallowedTools)
  if (disallowedTools?.length === 0) throw fault('E_USAGE', '--disallowedTools names no tool')
  const { digest, thisRun } = trustOptions(flags)
  const { appendSystemPrompt: append } = flags
  return {
    abortController,
    cwd: flags.cwd,
    model: flags.model,
    resume: flags.resume === undefined ? undefined : resolveSession(flags.resume, flags),
    continue: flags.continue,
    forkSession: flags.forkSession,
    resumeSessionAt: flags.resumeSessionAt,
    sessionId: flags.sessionId,
    settings: flags.settings,
    settingSources: sourcesIn(flags.settingSources),
    plugins: flags.pluginDir?.map(path => ({ type: 'local', path })),
    hookModules: flags.hooks,
    profile: flags.profile,
    trust: digest ?? (thisRun === true ? true : undefined),
    projectHooks: flags.projectHooks,
    permissionMode:
      flags.dangerouslySkipPermissions === true ? 'bypassPermissions' : (flags.permissionMode as Mode | undefined),
    allowDangerouslySkipPermissions: flags.dangerouslySkipPermissions,
    allowedTools: listIn(flags.allowedTools),
    disallowedTools,
    sandbox: flags.sandbox,
    tools: listIn(flags.tools),
    additionalDirectories: flags.addDir,
    agents: flags.agents === undefined ? undefined : (jsonIn('--agents', flags.agents) as QueryOptions['agents']),
    mcpServers: readServers(flags.mcpConfig, flags.cwd),
    strictMcpConfig: flags.strictMcpConfig,
    maxTurns: numberIn('--max-turns', flags.maxTurns),
    maxBudgetUsd: numberIn('--max-budget-usd', flags.maxBudgetUsd),
    systemPrompt:
      flags.systemPrompt ?? (append === undefined ? undefined : { type: 'preset', preset: 'claude_code', append }),
    outputFormat:
      flags.jsonSchema === undefined
        ? undefined
        : { type: 'json_schema', schema: jsonIn('--json-schema', flags.jsonSchema) },
    effort: flags.effort,
    includeHookEvents: flags.includeHookEvents,
    includePartialMessages: flags.includePartialMessages,
    setup:
      flags.init === true || flags.initOnly === true ? 'init' : flags.maintenance === true ? 'maintenance' : undefined,
    stderr: text => printError(escapeText(asFlags(text)))
  }
}

const sourcesIn = (text: string | undefined): QueryOptions['settingSources'] =>
  text
    ?.split(',')
    .map(name => name.trim())
    .filter((name): name is 'user' | 'project' | 'local' => name !== '')

/** `Read,Bash(git log,*) Edit`: split at commas and blanks, but not within parentheses, closed or not. */
const listIn = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given?.flatMap(text => text.match(/(?:\([^)]*(?:\)|$)|[^\s,(])+/g) ?? [])

function numberIn(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw fault('E_USAGE', `${flag} takes a number, not ${JSON.stringify(text)}`)
}

function jsonIn(flag: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw fault('E_USAGE', `${flag} is not valid JSON: ${(error as Error).message}`)
  }
}

/** In answers of the model. */
const LONG_RUN = 64

async function runQuery(
  flags: RunFlags,
  begin: (options: QueryOptions, respond: (message: object) => void) => Query
): Promise<number> {
  const abort = new AbortController()
  abortOnSignal(abort)
  const streams = flags.outputFormat === 'stream-json'
  reserveOutput()
  const print = (message: object): void => writeOutput(`${safeJson(message)}\n`)
  let result: ResultMessage | undefined
  const options = queryOptions(flags, abort)
  const beginFor = (reader: NodeJS.WriteStream): Query => {
    const running = begin(options, print)
    // Without a reader, background work is not waited for.
    reader.once('error', () => running.leave())
    return running
  }
  let answers = 0
  let displayed: { readonly text: string; readonly instead: string } | undefined
  for await (const message of withResult(() => beginFor(process.stdout), options)) {
    if (message.type === 'result') result = message
    if (message.type === 'assistant') {
      if (++answers === LONG_RUN) letHeapGrow()
      const { display_content: instead } = message
      if (instead !== undefined) displayed = { text: messageText(message.message.content), instead }
    }
    if (streams) print(message)
    else if (message.type !== 'result') printNotice(message, flags)
  }
  if (result?.error_code === 'E_UNTRUSTED') {
    // At a terminal a person is asked, and it may start after all.
    if (flags.outputFormat === 'json' && !process.stderr.isTTY) print(result)
    return EXIT.untrusted
  }
  if (flags.outputFormat === 'json' && result !== undefined) print(result)
  else if (!streams && result?.is_error === true) printError(`carabiner: ${escapeText(result.result)}`)
  else if (!streams && result !== undefined) {
    const plain = escapeText(displayed?.text === result.result ? displayed.instead : result.result)
    const text = result.structured_output === undefined ? plain : safeJson(result.structured_output)
    writeOutput(text.endsWith('\n') ? text : `${text}\n`)
  }
  return exitCode(result)
}

/** Where an answer was withheld, this follows. */
const WITHHELD = 'PostModelResponse hook feedback:'

/** What a reader of only the last line must not miss. */
function printNotice(message: AgentMessage, { verbose }: RunFlags): void {
  if (message.type === 'user' && verbose === true) {
    const text = messageText(message.message.content)
    if (text.startsWith(WITHHELD)) printError(`An answer of the model was withheld. ${escapeText(text)}`)
  }
  if (message.type !== 'system') return
  if (message.subtype === 'permission_denied') printError(escapeText(message.message))
  // query() has printed it on standard error.
  else if (message.subtype === 'informational' && message.tag === 'restriction') return
  else if (message.subtype === 'informational' && (verbose === true || message.level === 'warning'))
    printError(escapeText(message.content))
  else if (message.subtype === 'notification') printError(escapeText(message.text))
  else if (message.subtype === 'api_retry')
    printError(
      `The model did not answer (${message.error}); trying again in ${Math.ceil(message.retry_delay_ms / 1000)} s`
    )
}

/** The first signal ends the session in good order, the second ends everything at once. */
export const abortOnSignal = (abort: AbortController): void =>
  onSignal(name => abort.abort(new CarabinerError('E_USAGE', `ended by ${name}`)))

function readServers(given: readonly string[] | undefined, cwd = '.'): QueryOptions['mcpServers'] {
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
