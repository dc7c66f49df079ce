import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { failuresPage } from '../../scripts/print-failures.ts'
import { FAULTS } from './table.ts'

test('docs/failures.md is what the tables say: run `node scripts/print-failures.ts`', () => {
  expect(readFileSync('docs/failures.md', 'utf8')).toBe(failuresPage())
})

describe('the table of faults', () => {
  test('has FM1 to FM29; FM3 belongs to programs that run agents', () => {
    const numbers = Array.from({ length: 29 }, (_, index) => `FM${index + 1}`).filter(id => id !== 'FM3')
    expect([...new Set(FAULTS.map(({ id }) => id))].toSorted()).toEqual(numbers.toSorted())
  })

  test('has each fault of a kind once', () => {
    const rows = FAULTS.flatMap(({ id, fault, kinds }) => kinds.map(kind => `${id} ${kind}: ${fault}`))
    expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([])
  })

  test('closes every gate in strict where compat lets pass', () => {
    for (const { strict, compat } of FAULTS)
      expect([
        strict.replace(/^closed/, 'open, marked'),
        'refused',
        'no opinion',
        'no opinion, marked',
        'allowed, marked',
        'not judged again'
      ]).toContain(compat)
  })

  test.each(FAULTS)('names tests that show it, and they name it: $id: $fault', ({ id, shown }) => {
    expect(shown.length).toBeGreaterThan(0)
    for (const name of shown) expect(textOf(name)).toMatch(new RegExp(`// .*\\b${id}\\b`))
  })
})

/** The text of a test, which may be one of the exhaustive ones. */
function textOf(name: string): string {
  const path = `test/${name}.exhaustive.test.ts`
  return readFileSync(existsSync(path) ? path : `test/${name}.test.ts`, 'utf8')
}
