/** Runs every case in every SDK, and prints what came of it as the table of docs/sdks.md. */
import { HookRegistry } from '../../src/hooks.ts'
import type { SdkDriver } from './driver.ts'
import { differences, POLICY_CASES, type PolicyCase } from './policy-cases.ts'

/** One case in one SDK. */
export interface Cell {
  /** What the table shows: the outcome as expected, or why the SDK cannot. */
  readonly text: string
  /** What was not as it must be, streaming and not. */
  readonly problems: readonly string[]
}

export async function runCell(driver: SdkDriver, { name, hooks, calls, approve, expected }: PolicyCase): Promise<Cell> {
  const cannot = driver.cannot?.[name]
  const problems: string[] = []
  for (const streaming of driver.missing === undefined ? [false, true] : []) {
    const registry = new HookRegistry()
    hooks(registry)
    const seen = await driver.run({ policy: name, hooks: registry, calls, approve, streaming })
    const found = differences(cannot?.expected ?? expected, seen)
    problems.push(...found.map(each => `${streaming ? 'streaming' : 'not streaming'}: ${each}`))
    if (cannot !== undefined && differences(expected, seen).length === 0) problems.push(`the SDK can: ${name}`)
  }
  return { text: cannot === undefined ? 'yes' : `the SDK cannot: ${cannot.why}`, problems }
}

/** The table, one row per case and one column per SDK. */
export function policyTable(drivers: readonly SdkDriver[], cells: readonly (readonly Cell[])[]): string {
  const rows = POLICY_CASES.map(({ name, outcome }, index) =>
    [name, outcome, ...cells.map(column => column[index]?.text ?? '')].join(' | ')
  )
  const head = ['policy', 'outcome', ...drivers.map(driver => driver.name)]
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map(row => `| ${row} |`).join('\n')
}
