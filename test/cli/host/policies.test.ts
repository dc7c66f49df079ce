import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { dialectOf, HOST_NAMES, type HostName } from '../../../src/lib/cli/host/hosts.ts'
import { coverageTable, hostTable, limitsList, policyOutcome, type HostCells } from './host-table.ts'
import { EXPECTED_OUTCOMES, HOST_POLICIES } from './host-policies.ts'

const cells: Record<string, HostCells> = {}
describe.each(HOST_NAMES)('the ten policies in %s', host => {
  test.each(HOST_POLICIES)('$name', async policy => {
    const outcome = await policyOutcome(host, policy)
    expect(outcome).toBe(EXPECTED_OUTCOMES(policy.name, host))
    ;(cells[policy.name] ??= {})[host] = outcome
  })
})

test('the tables in docs/agents.md are those that these tests print', () => {
  const page = readFileSync(new URL('../../../docs/agents.md', import.meta.url), 'utf8')
  expect(page).toContain(hostTable(cells))
  expect(page).toContain(coverageTable())
  expect(page).toContain(limitsList())
})

test.each(HOST_NAMES)('%s names the version it was verified with, and its limits', (host: HostName) => {
  const { verifiedWith, limits, events } = dialectOf(host)
  expect(verifiedWith).toMatch(/^\d+\.\d+\.\d+$/)
  expect(limits.length).toBeGreaterThan(0)
  expect(Object.values(events).map(({ as }) => as)).toContain('PreToolUse')
})
