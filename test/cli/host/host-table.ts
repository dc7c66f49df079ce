import { readFileSync } from 'node:fs'
import { dialectOf, HOST_NAMES, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { rowOf, type EventName } from '../../../src/lib/hooks/events/event-table.ts'
import { isObject, type PlainObject } from '../../../src/lib/util/plain.ts'
import { cliStage, type AtEnd, type CliStage } from '../../support/cli-stage.ts'
import { FORCED_PUSH, HOST_POLICIES, type HostPolicy } from './host-policies.ts'
import { readAsHost } from './host-readings.ts'

export type HostCells = Partial<Record<HostName, string>>

interface RecordedPayload {
  readonly event: string
  readonly payload: PlainObject
}

const recordedPayloads = (host: HostName): readonly RecordedPayload[] =>
  JSON.parse(readFileSync(new URL(`payloads/${host}.json`, import.meta.url), 'utf8')) as readonly RecordedPayload[]

/** The keys under which hosts have the name of a tool and its input. */
const NAMES = ['tool_name', 'toolName']
const INPUTS = ['tool_input', 'toolArgs']
const COMMAND_TOOLS = new Set(['Bash', 'bash', 'run_shell_command'])

/** The payload of a shell command as the host sends it, with another command and folder. */
export function commandPayload(
  host: HostName,
  as: 'PreToolUse' | 'PostToolUse',
  cwd: string,
  command = FORCED_PUSH
): RecordedPayload {
  const { events } = dialectOf(host)
  const isOfCommand = ({ event, payload }: RecordedPayload): boolean =>
    events[event]?.as === as && NAMES.some(name => COMMAND_TOOLS.has(String(payload[name])))
  const found = recordedPayloads(host).find(isOfCommand)
  if (found === undefined) throw new Error(`no ${as} payload of a command was recorded for ${host}`)
  const key = INPUTS.find(name => isObject(found.payload[name])) ?? 'tool_input'
  const { description: _, ...input } = found.payload[key] as PlainObject
  return { event: found.event, payload: { ...found.payload, cwd, [key]: { ...input, command } } }
}

/** The fields by which the payload of a subagent differs from one of the main agent, where the host sends any. */
function subagentFields(host: HostName): PlainObject {
  const isOfCall = (payload: PlainObject): boolean => NAMES.some(name => name in payload)
  const keys = ['agent_id', 'agent_type', 'agentId', 'agentType']
  const own = recordedPayloads(host).find(({ payload }) => isOfCall(payload) && keys.some(key => key in payload))
  return Object.fromEntries(keys.flatMap(key => (own && key in own.payload ? [[key, own.payload[key]]] : [])))
}

const moduleText = (body: string): string => `import { appendFileSync } from 'node:fs'
const deny = reason => ({ decision: 'deny', reason })
const ask = reason => ({ decision: 'ask', reason })
const allow = reason => ({ decision: 'allow', reason })
export default hooks => { ${body} }
`

/** A user's policy in a stage: one module of hooks. */
function writePolicy(stage: CliStage, body: string): void {
  stage.write('home/.carabiner/settings.json', { carabiner: { modules: ['policy.mjs'] } })
  stage.write('home/.carabiner/policy.mjs', moduleText(body))
}

/** What a host does with the answer of a policy to its recorded payload. */
export async function policyOutcome(host: HostName, policy: HostPolicy, atEnd?: AtEnd): Promise<string> {
  const stage = cliStage(atEnd)
  writePolicy(stage, policy.module)
  const recorded = commandPayload(host, policy.after === true ? 'PostToolUse' : 'PreToolUse', stage.project)
  const payload = { ...recorded.payload, ...(policy.inSubagent === true && subagentFields(host)) }
  const AUDIT = stage.write('audit.jsonl', '')
  const ran = await stage.run(['hook', '--for', host, '--event', recorded.event], {
    stdin: JSON.stringify(payload),
    env: { AUDIT }
  })
  const notes = { stderr: `${ran.stderr}${ran.stdout}`, written: stage.read('audit.jsonl') }
  const outcome = policy.outcome(readAsHost(host, recorded.event, ran), notes)
  return outcome ?? `${ran.stdout}${ran.stderr}`
}

/** One row per policy, one column per host. */
export function hostTable(cells: Readonly<Record<string, HostCells>>): string {
  const head = ['policy', ...HOST_NAMES.map(host => `${dialectOf(host).title} ${dialectOf(host).verifiedWith}`)]
  const rows = HOST_POLICIES.map(({ name }) => [name, ...HOST_NAMES.map(host => cells[name]?.[host] ?? '')])
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

const REACH = {
  tools: '**its own tools**',
  servers: '**tools of MCP servers**',
  subagents: '**calls of its subagents**',
  provider: '**tools that the provider of the model runs**',
  typed: '**text that the model types into a running command**'
} as const

/** Which steps of a host hooks see: `gated` where they can refuse, `seen` where they cannot. */
export function coverageTable(): string {
  const events = [...new Set(HOST_NAMES.flatMap(host => Object.values(dialectOf(host).events).map(({ as }) => as)))]
  const cell = (host: HostName, as: EventName): string => {
    const found = Object.entries(dialectOf(host).events).find(([, event]) => event.as === as)
    if (found === undefined) return ''
    const [name, { takes }] = found
    return `${takes.includes('deny') && rowOf(as).takes.blocks ? 'gated' : 'seen'}${name === as ? '' : ` (${name})`}`
  }
  const reach = Object.entries(REACH).map(([what, words]) => [
    words,
    ...HOST_NAMES.map(host => dialectOf(host).reach[what as keyof typeof REACH])
  ])
  const head = ['', ...HOST_NAMES.map(host => dialectOf(host).title)]
  const rows = events.map(as => [as, ...HOST_NAMES.map(host => cell(host, as))])
  return [head, head.map(() => '---'), ...reach, ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

/** What hooks cannot do in each host. */
export const limitsList = (): string =>
  HOST_NAMES.map(host => {
    const { title, limits } = dialectOf(host)
    return `**${title}**\n\n${limits.map(limit => `- ${limit}`).join('\n')}`
  }).join('\n\n')
