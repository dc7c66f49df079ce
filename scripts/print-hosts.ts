/** Prints what each agent does with ten policies, and what of it is gated, into docs/agents.md. It needs dist/. */
import { readFileSync, writeFileSync } from 'node:fs'
import { HOST_NAMES, dialectOf } from '../src/lib/cli/host/hosts.ts'
import { EXPECTED_OUTCOMES, HOST_POLICIES } from '../test/cli/host/host-policies.ts'
import { coverageTable, hostTable, limitsList, policyOutcome, type HostCells } from '../test/cli/host/host-table.ts'

const PAGE = new URL('../docs/agents.md', import.meta.url)
const PART = /^(<!-- begin: (policies|coverage|limits) -->\n)[\s\S]*?^(<!-- end -->)/gm

const removers: (() => void)[] = []
const cells: Record<string, HostCells> = {}
for (const policy of HOST_POLICIES)
  for (const host of HOST_NAMES) {
    const outcome = await policyOutcome(host, policy, remove => void removers.push(remove))
    ;(cells[policy.name] ??= {})[host] = outcome
    if (outcome !== EXPECTED_OUTCOMES(policy.name, host))
      console.error(`${dialectOf(host).title}, ${policy.name}: ${outcome}`)
  }
for (const remove of removers) remove()
const parts: Readonly<Record<string, string>> = {
  policies: hostTable(cells),
  coverage: coverageTable(),
  limits: limitsList()
}
const page = readFileSync(PAGE, 'utf8')
writeFileSync(
  PAGE,
  page.replaceAll(PART, (_, begin: string, what: string, end: string) => `${begin}\n${parts[what]}\n\n${end}`)
)
console.log(`docs/agents.md: ${HOST_NAMES.length} agents, ${HOST_POLICIES.length} policies`)
