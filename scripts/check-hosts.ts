/**
 * Puts Carabiner in front of the real agents, lets each call a command while its policy refuses, breaks or is gone, and
 * prints the table of docs/agents.md: `npm run check:hosts [-- --host codex]`. It downloads up to 1.3 GB once.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { dialectOf, HOST_NAMES, isHost, type HostName } from '../src/lib/cli/host/hosts.ts'
import { CASES, type Case } from './check-hosts/cases.ts'
import { checkProxy } from './check-hosts/proxy.ts'
import { builtPackage, Trial } from './check-hosts/trial.ts'

const PAGE = new URL('../docs/agents.md', import.meta.url)
const PART = /(?<=^<!-- begin: live -->\n)[\s\S]*?(?=^<!-- end -->)/m

const HEAD = `| the agent | ${CASES.map(({ name }) => name).join(' | ')} | on |\n|---|${'---|'.repeat(CASES.length + 1)}`

/** The rows of the table as it is, by their first cells. */
function rowsIn(table: string): Map<string, string> {
  const rows = table.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| the agent '))
  return new Map(rows.map(row => [row.split(' | ')[0] ?? '', row]))
}

export const firstCell = (host: HostName): string => `| ${dialectOf(host).title} ${dialectOf(host).verifiedWith}`

/** The agents that the page has no row for, with the version of their dialects and all cases. */
export function hostsWithoutRow(page: string): readonly HostName[] {
  const table = PART.exec(page)?.[0] ?? ''
  const rows = rowsIn(table)
  return HOST_NAMES.filter(host => !table.includes(HEAD) || rows.get(firstCell(host))?.includes(' RAN ') !== false)
}

async function outcomeOf(trial: Trial, { policy, during, runs, told }: Case): Promise<string> {
  try {
    trial.policy(JSON.stringify(policy))
    trial.install()
    const { ran, result } = await trial.call(() => during?.(trial))
    if (ran) return runs === true ? 'runs' : 'RAN'
    if (runs === true) return `refused: ${result}`
    return told === undefined || result?.includes(told) === true ? 'refused' : `refused without the reason: ${result}`
  } finally {
    trial.close()
  }
}

async function rowOf(host: HostName, built: string): Promise<{ readonly row: string; readonly isGood: boolean }> {
  const cells: string[] = []
  for (const each of CASES) {
    process.stdout.write(`${dialectOf(host).title}, ${each.name}: `)
    const outcome = await outcomeOf(new Trial(host, built), each)
    console.log(outcome)
    cells.push(outcome)
  }
  const isGood = cells.every((cell, at) => cell === (CASES[at]?.runs === true ? 'runs' : 'refused'))
  return { row: `${firstCell(host)} | ${cells.join(' | ')} | ${new Date().toISOString().slice(0, 10)} |`, isGood }
}

function writeRow(host: HostName, row: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const rows = rowsIn(PART.exec(page)?.[0] ?? '').set(firstCell(host), row)
  const kept = HOST_NAMES.flatMap(each => rows.get(firstCell(each)) ?? [])
  writeFileSync(
    PAGE,
    page.replace(PART, () => `\n${[HEAD, ...kept].join('\n')}\n\n`)
  )
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { host: { type: 'string', multiple: true, default: [] } } })
  const hosts = values.host.length === 0 ? HOST_NAMES : values.host.filter(isHost)
  if (hosts.length < values.host.length) throw new Error(`--host takes ${HOST_NAMES.join(', ')}`)
  const built = builtPackage()
  const bad: HostName[] = []
  for (const host of hosts) {
    const { row, isGood } = await rowOf(host, built)
    if (isGood) writeRow(host, row)
    else bad.push(host)
  }
  if (hosts.includes('claude') && !(await checkProxy(built))) bad.push('claude')
  console.log(
    bad.length === 0 ? 'docs/agents.md has the table' : `something ran, or a reason was lost: ${bad.join(', ')}`
  )
  process.exit(bad.length === 0 ? 0 : 1)
}
