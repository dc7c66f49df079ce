/** The ten policy cases in every SDK: the real package, its real tool loop, a fake model, streaming and not. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sdksPage } from '../../scripts/print-sdks.ts'
import { INSTALLED_DRIVER_NAMES, loadDrivers, sdksMissing } from './driver.ts'
import { POLICY_CASES } from './policy-cases.ts'
import { policyTable, runCell, type Cell } from './table.ts'

if (sdksMissing !== undefined) console.error(`SKIPPED, ${INSTALLED_DRIVER_NAMES.join(', ')}: ${sdksMissing}`)

const drivers = await loadDrivers()
const table: Cell[][] = drivers.map(() => [])

describe.each(drivers.map((driver, index) => ({ name: driver.name, driver, column: table[index]! })))(
  '$name',
  ({ driver, column }) => {
    test.each(POLICY_CASES)('$name: $outcome', async policy => {
      const cell = await runCell(driver, policy)
      column.push(cell)
      expect(cell.problems).toEqual([])
    })
  }
)

test.skipIf(sdksMissing !== undefined)('docs/sdks.md has this table and the programs: run `npm run docs`', () => {
  const page = readFileSync('docs/sdks.md', 'utf8')
  const printed = policyTable(drivers, table)
  console.log(printed)
  expect(page).toBe(sdksPage(page, printed))
})
