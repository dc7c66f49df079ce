import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { featuresNamedIn, refreshed } from '../scripts/print-features.ts'

/** A comment, put together here so that it is not one of this file's own. */
const comment = (words: string): string => `  ${'/'.repeat(2)} ${words}\n`

test.each([
  ['F64', ['F64']],
  ['F70, F71', ['F70', 'F71']],
  ['F5-F7, F23', ['F5', 'F6', 'F7', 'F23']],
  ['F5–F6', ['F5', 'F6']],
  ['F56a', ['F56a']],
  ['FM1, F95, FM2, F96', ['F95', 'F96']],
  ['F28: the payload follows from the event', ['F28']],
  ['see F64', []],
  ['Format 64', []]
])('a comment %j names %j', (words, features) => {
  expect([...featuresNamedIn(`test('it works')\n${comment(words)}`)]).toEqual(features)
})

const PAGE = 'Shown by a test: ?\n\n| F1 | first | not yet |\n| F2 | a, or b | old |\n'

test('the last column and the count are made anew, the words stay', () => {
  const page = refreshed(PAGE, new Map([['F1', ['test/hooks/events.test.ts', 'test/types/events.ts']]]))
  expect(page).toBe(
    'Shown by a test: 1 of 2.\n\n| F1 | first | hooks/events, types/events |\n| F2 | a, or b | not yet |\n'
  )
})

test('a feature that the page does not list is an error that says where it is named', () => {
  expect(() => refreshed(PAGE, new Map([['F3', ['test/a.test.ts']]]))).toThrow(/F3 \(test\/a\.test\.ts\)/)
})

test('the page lists F1 to F204, each once and in order', () => {
  const page = readFileSync(new URL('../docs/features.md', import.meta.url), 'utf8')
  const numbers = Array.from(page.matchAll(/^\| F(\d+) \|/gm), ({ 1: number }) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 204 }, (_, index) => index + 1))
})
