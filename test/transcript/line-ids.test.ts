/** The ids of lines. */
import { expect, test } from 'vitest'
import { randomUuid } from '../../src/lib/transcript/log.ts'

test('an id is a UUID of version 4, and no two are the same', () => {
  const ids = Array.from({ length: 100_000 }, randomUuid)
  expect(ids.filter(id => !/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  // Every digit varies, but for the version.
  const digits = Array.from({ length: 36 }, (_, place) => new Set(ids.map(id => id[place])).size)
  expect(digits.map((count, place) => [14, 19].includes(place) || count === 16 || count === 1)).not.toContain(false)
  expect(digits.filter(count => count === 1)).toHaveLength(5)
})
