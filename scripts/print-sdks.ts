/** Prints the programs of examples/sdks and the table of policies into docs/sdks.md. It needs dist/ and the SDKs. */
import { readFileSync, writeFileSync } from 'node:fs'
import { loadDrivers, sdksMissing, type SdkDriver } from '../test/sdks/driver.ts'
import { POLICY_CASES } from '../test/sdks/policy-cases.ts'
import { policyTable, runCell, type Cell } from '../test/sdks/table.ts'

const PAGE = new URL('../docs/sdks.md', import.meta.url)
const PART = /^(<!-- begin: (.+) -->\n)[\s\S]*?^(<!-- end -->)/gm

/** The page with its programs and its table as they are now. */
export function sdksPage(page: string, table: string): string {
  return page.replaceAll(PART, (_, begin: string, what: string, end: string) => {
    const text =
      what === 'policies'
        ? table
        : `\`\`\`ts ${what}\n${readFileSync(new URL(`../${what}`, import.meta.url), 'utf8')}\`\`\``
    return `${begin}\n${text}\n\n${end}`
  })
}

async function columnOf(driver: SdkDriver): Promise<Cell[]> {
  const cells: Cell[] = []
  for (const policy of POLICY_CASES) cells.push(await runCell(driver, policy))
  return cells
}

if (import.meta.main) {
  if (sdksMissing !== undefined) throw new Error(sdksMissing)
  const drivers = await loadDrivers()
  const cells = await Promise.all(drivers.map(columnOf))
  writeFileSync(PAGE, sdksPage(readFileSync(PAGE, 'utf8'), policyTable(drivers, cells)))
  const problems = cells.flat().flatMap(cell => cell.problems)
  console.log(`docs/sdks.md: ${drivers.length} SDKs, ${problems.length} problems`)
  for (const problem of problems) console.error(problem)
  process.exit(problems.length === 0 ? 0 : 1)
}
