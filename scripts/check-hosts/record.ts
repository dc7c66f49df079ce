/**
 * Records what each host sends to its hooks: `node scripts/check-hosts/record.ts [HOST...]` runs the real hosts with a
 * hook for every event, and writes test/cli/host/payloads/HOST.json without anything of this machine.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { HOST_PROGRAMS } from '../../src/lib/cli/host/probe/host-program.ts'
import { dialectOf, HOST_NAMES, isHost, type HostName } from '../../src/lib/cli/host/hosts.ts'
import type { HostRequest, ScriptStep } from '../../src/lib/cli/host/probe/model-wire.ts'
import { runHost } from '../../src/lib/cli/host/probe/run-host.ts'
import { isObject } from '../../src/lib/util/plain.ts'
import { cleaned } from './cleaned.ts'
import { DAYS, SUBTASK } from './day-of-work.ts'
import { installedHost } from './hosts-cache.ts'

interface Recorded {
  readonly event: string
  readonly payload: unknown
}

const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

async function record(host: HostName): Promise<readonly Recorded[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hosts-')))
  const [project, home, records] = ['project', 'home', 'records'].map(name => join(folder, name)) as [
    string,
    string,
    string
  ]
  for (const made of [project, home, records]) mkdirSync(made)
  writeFileSync(join(project, 'notes.txt'), 'alpha\nbeta\n')
  const { args = [] } = configure(host, { folder, home, records })
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
  // It runs hooks that a person has not reviewed only so.
  const trust = host === 'codex' ? ['--dangerously-bypass-hook-trust'] : []
  const answer = answerOf(host, project)
  const ran = await runHost({
    host,
    file: installedHost(host),
    project,
    folder,
    env,
    args: [...args, ...trust],
    answer,
    limit: 120
  })
  if (ran.code !== 0) throw new Error(`${host} ended with ${ran.code}:\n${ran.printed}`)
  const payloads = readdirSync(records)
    .toSorted()
    .map(name => ({
      event: name.replace(/.*-/, ''),
      payload: JSON.parse(readFileSync(join(records, name), 'utf8')) as unknown
    }))
  rmSync(folder, { recursive: true, force: true })
  const paths = {
    [project]: '/project',
    [home]: '/home/you',
    [process.execPath]: '/usr/bin/node',
    [SERVER]: '/opt/server.js'
  }
  return firstOfEachKind(cleaned(payloads, paths))
}

/** Writes the configuration of a person whose hooks keep what they read. */
function configure(
  host: HostName,
  { folder, home, records }: { readonly folder: string; readonly home: string; readonly records: string }
): { readonly args?: readonly string[] } {
  const { config } = dialectOf(host)
  const { events, mcp } = DAYS[host]
  const { args = [], files = {}, settings = {} } = mcp?.({ command: process.execPath, args: [SERVER] }, folder) ?? {}
  const lines = events.map(event => [event, `cat > '${records}'/$(date +%s%N)-$$-${event}; echo '{}'`] as const)
  const own: Record<string, unknown> = { ...config.fresh, ...settings }
  for (const [event, line] of lines) put(own, config.at(event), [config.entry(line, 30, { event, isClosed: true })])
  const extension = readFileSync(new URL('../../hosts/pi-extension.js', import.meta.url), 'utf8')
  const installed = JSON.stringify({ lines: Object.fromEntries(lines), seconds: 30 })
  const text = host === 'pi' ? extension.replace(/(?<=^const INSTALLED = ).*/m, () => installed) : JSON.stringify(own)
  const texts = Object.fromEntries(Object.entries(files).map(([path, value]) => [path, JSON.stringify(value)]))
  for (const [path, value] of Object.entries({ ...texts, [join(home, config.user ?? '')]: text })) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, value)
  }
  return { args }
}

function put(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[key] = value
  else put((into[key] ??= {}) as Record<string, unknown>, rest, value)
}

/** One call after the other, and a subagent makes one call. Requests for something else have no tools of the host. */
function answerOf(host: HostName, project: string): (request: HostRequest) => ScriptStep {
  const sub = HOST_PROGRAMS[host].shell('echo sub')
  const calls = DAYS[host].calls(project)
  return ({ tools, turns, body }) => {
    if (!tools.includes(sub.name)) return { text: 'Fine.' }
    const said = [body['messages'], body['input'], body['contents']].find(Array.isArray) ?? []
    const asked = said.filter(message => isObject(message) && message['role'] === 'user').slice(0, 3)
    const isSub = JSON.stringify(asked).includes(SUBTASK)
    const next = isSub ? [sub, ...(tools.includes('complete_task') ? [COMPLETE] : [])][turns] : calls[turns]
    return next === undefined ? { text: 'All done.' } : { calls: [next] }
  }
}

/** How subagents of Gemini CLI end. */
const COMPLETE = { name: 'complete_task', input: { result: { response: 'sub done' } } }

/** The first payload of each event, or of each of its tools and agents. */
function firstOfEachKind(recorded: readonly Recorded[]): readonly Recorded[] {
  const seen = new Set<string>()
  return recorded.filter(({ event, payload }) => {
    const parts = isObject(payload) ? payload : {}
    const names = ['tool_name', 'toolName', 'agent_type', 'agent_id', 'agentType', 'cwd'].map(key => parts[key])
    const kind = JSON.stringify([event, ...names, parts['prompt'] === '', JSON.stringify(payload).includes('false"')])
    return !seen.has(kind) && seen.add(kind)
  })
}

const wanted = process.argv.slice(2)
for (const host of wanted.length === 0 ? HOST_NAMES : wanted.filter(isHost)) {
  console.log(`${host} runs`)
  const recorded = await record(host)
  const file = `test/cli/host/payloads/${host}.json`
  writeFileSync(file, JSON.stringify(recorded, null, 2))
  spawnSync('node_modules/.bin/oxfmt', [file])
  console.log(`  ${recorded.length} payloads: ${[...new Set(recorded.map(({ event }) => event))].join(', ')}`)
}
