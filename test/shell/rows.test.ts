/** The table of programs: each row can be read, and says nothing that the reader does not know. */
import { expect, test } from 'vitest'
import { KINDS, NARROW } from '../../src/lib/shell/rows/kinds.ts'
import { programRow, rowNames } from '../../src/lib/shell/row.ts'

const STRUCTURE =
  'read write inside folder rev changed deep script file gopath remote sub cmd bin args sed awk variable lines exact'.split(
    ' '
  )

test('the kinds of operands and values are known, and no option is written twice in two ways', () => {
  const kinds = new Set([...STRUCTURE, ...Object.keys(KINDS), ...Object.keys(NARROW)])
  for (const name of rowNames()) {
    const row = programRow(name)
    expect(row, name).toBeDefined()
    expect(['reads', 'changes', 'runs', 'wraps', 'asks'], name).toContain(row!.does)
    for (const { kind } of row!.operands) expect(kinds, `${name}: ${kind}`).toContain(kind)
    for (const [option, { kind }] of row!.options) {
      if (kind !== '') expect(kinds, `${name} ${option}: ${kind}`).toContain(kind)
      expect(option, name).toMatch(/^(?:[-+]{1,2}[\w.#-]+|[^\w]+)$/)
    }
  }
})
