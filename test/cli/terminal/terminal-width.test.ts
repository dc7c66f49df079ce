/** How text is fitted to a terminal. */
import * as fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { truncateText, hangIndent, wrapText } from '../../../src/lib/cli/terminal/width.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '漢', 'é', 'e\u0301', '🙂'), maxLength: 80 })
const widths = fc.integer({ min: 4, max: 40 })

/** Columns, as counted by hand for the few characters above. */
const columns = (text: string): number =>
  Array.from(text).reduce((sum, char) => sum + (char === '\u0301' ? 0 : char === '漢' || char === '🙂' ? 2 : 1), 0)

test('wrapped lines fit, and nothing is left out', () => {
  fc.assert(
    fc.property(texts, widths, (text, most) => {
      const lines = wrapText(text, most)
      expect(lines.join('')).toBe(text)
      for (const line of lines) expect(columns(line)).toBeLessThanOrEqual(most)
    })
  )
})

test('what is cut fits, and is whole where it can be', () => {
  fc.assert(
    fc.property(texts, widths, (text, most) => {
      const line = truncateText(text, most)
      expect(columns(line)).toBeLessThanOrEqual(most)
      if (columns(text) <= most) expect(line).toBe(text)
      else expect(text.startsWith(line.slice(0, -1)) && line.endsWith('…')).toBe(true)
    })
  )
})

test('lines break behind blanks, and hang below their mark', () => {
  expect(hangIndent('  · ', 'one two three', 14)).toBe('  · one two \n    three')
  expect(wrapText('abcdef', 4)).toEqual(['abcd', 'ef'])
})
