import { describe, expect, test } from 'vitest'
import { SEED } from '../../support/seed.ts'
import { knownRows } from './known-commands.ts'
import { proveSoundness } from './soundness.ts'
import { isTracing } from './traced.ts'

/** `npm run soak` sets another number. */
const COUNT = Number(process.env['CARABINER_SOUNDNESS'] ?? 2_000)

const canTrace = isTracing()
if (!canTrace) console.warn('SKIPPED: strace is not installed or may not trace; what known commands do is not checked')

describe.skipIf(!canTrace)('commands that are called fully known', () => {
  test(`${COUNT} of them start and change only what was predicted, and each row is among them`, () => {
    const { run, rows, violations } = proveSoundness(COUNT, SEED)
    console.log(`${run} commands of ${rows.size} of ${knownRows().length} rows under strace`)
    expect(violations).toEqual([])
    expect(run).toBeGreaterThanOrEqual(COUNT)
    expect(rows.size).toBeGreaterThan(100)
  })
})
