/**
 * Puts Carabiner in front of the real agents, lets each call a command while its policy refuses, breaks or is gone, and
 * prints the table of docs/agents.md: `npm run check:hosts [-- --host codex]`. It downloads up to 1.3 GB once.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { dialectOf, HOST_NAMES, isHost, type HostName } from '../src/lib/cli/host/hosts.ts'
import { CASES, type Case } from './check-hosts/cases.ts'
import { Trial } from './check-hosts/trial.ts'

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

async function outcomeOf(host: HostName, { policy, during, runs, told }: Case): Promise<string> {
  const trial = new Trial(host)
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

async function rowOf(host: HostName): Promise<{ readonly row: string; readonly isGood: boolean }> {
  const cells: string[] = []
  for (const each of CASES) {
    process.stdout.write(`${dialectOf(host).title}, ${each.name}: `)
    const outcome = await outcomeOf(host, each)
    console.log(outcome)
    cells.push(outcome)
  }
  const isGood = cells.every((cell, at) => cell === (CASES[at]?.runs === true ? 'runs' : 'refused'))
  return { row: `${firstCell(host)} | ${cells.join(' | ')} | ${new Date().toISOString().slice(0, 10)} |`, isGood }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { host: { type: 'string', multiple: true, default: [] } } })
  const hosts = values.host.length === 0 ? HOST_NAMES : values.host.filter(isHost)
  if (spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' }).status !== 0) process.exit(1)
  const page = readFileSync(PAGE, 'utf8')
  const rows = rowsIn(PART.exec(page)?.[0] ?? '')
  let isGood = true
  for (const host of hosts) {
    const { row, isGood: isHostGood } = await rowOf(host)
    rows.set(firstCell(host), row)
    isGood &&= isHostGood
  }
  const kept = HOST_NAMES.map(host => rows.get(firstCell(host))).filter(row => row !== undefined)
  if (isGood)
    writeFileSync(
      PAGE,
      page.replace(PART, () => `\n${[HEAD, ...kept].join('\n')}\n\n`)
    )
  console.log(
    isGood ? 'docs/agents.md has the table' : 'a command ran, or a reason was lost: docs/agents.md is as it was'
  )
  process.exit(isGood ? 0 : 1)
}
