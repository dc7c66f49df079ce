/**
 * What the proxy adds to one tool call of an MCP client: the official client and the real server-everything, directly,
 * through a process that only copies bytes, and through `carabiner mcp`. They take turns; one call after the other.
 *
 *     node bench/mcp/bench.ts [--rounds 40] [--calls 100] [--json]
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { digits, median, printReport } from '../report.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '40' },
    calls: { type: 'string', default: '100' },
    json: { type: 'boolean', default: false }
  }
})
const [rounds, calls] = [Number(values.rounds), Number(values.calls)]

const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const SERVER = [process.execPath, everything, 'stdio']
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

const COPY = `const { spawn } = require('child_process')
const child = spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'ignore'] })
process.stdin.pipe(child.stdin)
child.stdout.pipe(process.stdout)`

const HOOKS = `export default hooks => {
  hooks.on('PreToolUse', 'mcp__everything__.*', ({ toolInput }) => toolInput.message === 'no' ? { decision: 'deny' } : undefined)
  hooks.on('PreToolUse', 'mcp__.*', () => ({ decision: 'allow' }))
  hooks.on('PostToolUse', 'mcp__.*', () => undefined)
}\n`
writeFileSync(join(folder, 'gate.mjs'), HOOKS)

const proxy = [process.execPath, CLI, 'mcp', '--name', 'everything']
const WAYS: Readonly<Record<string, readonly string[]>> = {
  'no proxy': SERVER,
  'copies bytes': [process.execPath, '-e', COPY, ...SERVER],
  'carabiner mcp, no hook': [...proxy, '--', ...SERVER],
  'carabiner mcp, three hooks': [...proxy, '--hooks', join(folder, 'gate.mjs'), '--', ...SERVER]
}

interface Contender {
  readonly client: Client
  readonly pid: number
  readonly times: number[]
}

async function start([command = '', ...args]: readonly string[]): Promise<Contender> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
  const transport = new StdioClientTransport({ command, args, env, cwd: folder, stderr: 'ignore' })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  await client.listTools()
  return { client, pid: transport.pid ?? 0, times: [] }
}

/** Milliseconds per call. */
async function measure({ client }: Contender): Promise<number> {
  const begun = performance.now()
  for (let call = 0; call < calls; call++) {
    const { content } = await client.callTool({ name: 'echo', arguments: { message: `hello ${call}` } })
    if (content[0]?.type !== 'text' || content[0].text !== `Echo: hello ${call}`) throw new Error('a wrong result')
  }
  return (performance.now() - begun) / calls
}

/** CPU time of a process in milliseconds: the 14th and 15th field, in hundredths of a second. */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const contenders = new Map<string, Contender>()
for (const [name, words] of Object.entries(WAYS)) contenders.set(name, await start(words))
const all = [...contenders]
for (let warm = 0; warm < 3; warm++) for (const [, each] of all) await measure(each)
const before = new Map(all.map(([name, { pid }]) => [name, processorTime(pid)]))
for (let round = 0; round < rounds; round++) for (const [, each] of all) each.times.push(await measure(each))

const direct = contenders.get('no proxy')?.times ?? []
const rows = all.map(([name, { times, pid }]) => {
  const added = Math.min(...times) - Math.min(...direct)
  const cpu = (processorTime(pid) - (before.get(name) ?? 0)) / (rounds * calls)
  const isProxy = name !== 'no proxy'
  return [
    name,
    `${digits(Math.min(...times))} ms`,
    `${digits(median(times))} ms`,
    isProxy ? `${digits(added)} ms` : '',
    isProxy ? `${digits(cpu)} ms` : '',
    name.startsWith('carabiner') ? '0.5 ms' : ''
  ]
})
for (const [, { client }] of all) await client.close()
rmSync(folder, { recursive: true, force: true })

printReport(
  {
    about: `Wall time of one call in ${rounds} rounds of ${calls} calls; CPU time of the process between client and server`,
    tables: [{ head: ['between client and server', 'least', 'median', 'added (least)', 'its CPU time', 'goal'], rows }],
    scenes: []
  },
  values.json
)
