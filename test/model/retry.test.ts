// FM51, FM52: when to ask again.
import { AssertionError } from 'node:assert'
import * as fc from '../support/fast-check.ts'
import { expect, test } from 'vitest'
import { holdCredential } from '../../src/lib/util/credentials.ts'
import { failureOf, retryAfterOf } from '../../src/lib/model/failure.ts'
import { ModelFailure } from '../../src/index.ts'
import { delayFor, LONGEST_WAIT, MOST_TRIES } from '../../src/lib/model/retry-delay.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

/** Headers, and how long they ask to wait. */
const HEADERS: readonly (readonly [Record<string, string>, number | undefined])[] = [
  [{}, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1' }, 1000],
  [{ 'retry-after': '30' }, 30_000],
  [{ 'retry-after': ' 30 ' }, 30_000],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '0.25' }, 250],
  [{ 'retry-after': '3600' }, 3_600_000],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': 'NaN' }, undefined],
  [{ 'retry-after': '1e3' }, undefined],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
  [{ 'retry-after': '2026-01-01T00:00:02Z' }, 2000],
  [{ 'retry-after-ms': '0' }, 0],
  [{ 'retry-after-ms': '1500' }, 1500],
  [{ 'retry-after-ms': '12.5' }, 12.5],
  [{ 'retry-after-ms': 'x' }, undefined],
  [{ 'retry-after-ms': '-5' }, undefined],
  [{ 'retry-after-ms': '20', 'retry-after': '9' }, 20],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
  [{ 'x-ratelimit-reset': '5' }, undefined]
]

test.for(HEADERS)('%j asks for %s', ([headers, expected]) => {
  expect(retryAfterOf(headers, NOW)).toBe(expected)
})

const failing = (facts: Partial<ModelFailure> = {}): ModelFailure =>
  new ModelFailure('so', { why: 'server_error', retryable: true, ...facts })

test('without a wish of the provider the wait doubles, up to half a minute', () => {
  const waits = Array.from({ length: 9 }, (_, at) => delayFor(failing(), at + 1, 0))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000])
})

test('what cannot be helped is not tried again, nor what was tried ten times, nor after ten minutes', () => {
  expect(delayFor(failing({ retryable: false }), 1, 0)).toBeUndefined()
  expect(delayFor(failing(), MOST_TRIES - 1, 0)).toBeDefined()
  expect(delayFor(failing(), MOST_TRIES, 0)).toBeUndefined()
  expect(delayFor(failing({ retryAfter: 3_600_000 }), 1, 0)).toBeUndefined()
  expect(delayFor(failing({ retryAfter: 60_000 }), 2, 0, { waited: LONGEST_WAIT - 60_000 })).toBe(60_000)
  expect(delayFor(failing({ retryAfter: 60_000 }), 2, 0, { waited: LONGEST_WAIT - 59_999 })).toBeUndefined()
})

test('never sooner than the provider asks, never more than a quarter and a little later, and it ends', () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  const wishes = fc.array(fc.option(fc.nat(120_000), { nil: undefined }), { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(wishes, chance, (all, random) => {
      let waited = 0
      let tries = 1
      for (const retryAfter of all) {
        const delay = delayFor(failing({ retryAfter }), tries, random, { waited })
        if (delay === undefined) break
        if (retryAfter !== undefined) {
          expect(delay).toBeGreaterThanOrEqual(retryAfter)
          expect(delay).toBeLessThanOrEqual(Math.ceil(retryAfter * 1.25 + 250))
        }
        waited += delay
        tries++
      }
      expect(tries).toBeLessThanOrEqual(MOST_TRIES)
      expect(waited).toBeLessThanOrEqual(LONGEST_WAIT)
    })
  )
})

test('whatever is thrown becomes a failure, and no key shows', () => {
  const key = 'very-private-token'
  holdCredential(key)
  fc.assert(
    fc.property(fc.anything(), thrown => {
      expect(failureOf(thrown)).toBeInstanceOf(ModelFailure)
    })
  )
  for (const words of [
    `bad key ${key}`,
    'sk-ant-api03-AbCdEf123456 is wrong',
    'Authorization: Bearer abcdef.ghijkl-mno',
    'cannot reach https://me:secret@host/v1'
  ]) {
    const { message } = failureOf(new Error(words))
    expect(message).toMatch(/\*\*\*|\[a credential\]/)
    expect(message).not.toMatch(/very-private|AbCdEf|ghijkl|me:secret/)
  }
  expect(failureOf(new TypeError('x is not a function')).retryable).toBe(false)
  expect(failureOf(new TypeError('terminated')).retryable).toBe(true)
  expect(failureOf(new AssertionError({ message: 'x' }))).toMatchObject({ retryable: false, message: 'x' })
  expect(failureOf(Object.assign(new TypeError('x'), { code: 'ERR_INVALID_ARG_TYPE' })).retryable).toBe(false)
  expect(failureOf(Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' })).retryable).toBe(false)
})
