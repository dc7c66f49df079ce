/** The same table on the built command line. */
import { expect, test } from 'vitest'
import { ROWS, type Row } from './rows.ts'
import { onCommandLine } from './try-row.ts'

const rows = ROWS.filter(({ inProgram }) => inProgram !== true)

/** Starting a process takes long: four at a time. */
test.concurrent.for(rows)('$comes: carabiner run and fire: $name', async (row: Row, { onTestFinished }) => {
  const { run, ran, fire } = await onCommandLine(row, onTestFinished)
  const all = fire === undefined ? [run] : [run, fire]
  for (const { code, stderr } of all) {
    expect(
      stderr.replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    ).toContain(row.says)
    if (row.comes === 'stop') expect(code).toBe(4)
  }
  if (row.comes === 'stop') expect(ran).toBe(false)
  else expect(run.code).toBe(0)
})
