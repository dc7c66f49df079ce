import { describe, expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { hasProgram } from '../../support/host.ts'
import { inTurn } from '../scene.ts'
import { gone } from '../../support/waiting.ts'

const missing = !hasProgram('prlimit')
const why = missing ? ' (needs prlimit)' : ''

const FREE = Array.from({ length: 13 }, (_, free) => free)
const REFUSED = 'closed deny'

/** There were too few to start anything, or it was started and refused. */
const CLOSED = /^closed (deny|spawn)$/

/**
 * With so few descriptors free the gate closes, or there are enough; and when they are free again, all is well. That a
 * process could not be started ahead may show with the next event.
 */
async function expectClosed(limit: number, frees: readonly number[], ballast: number, how = 'cold'): Promise<void> {
  const within = ['prlimit', `--nofile=${limit}:${limit}`]
  const { ended, told, running } = startDriver('descriptors', [frees.join(), ballast, how], { within })
  expect(await ended).toEqual({ end: 0, stderr: '' })
  expect(told).toEqual([
    ...frees.map(free => ({
      free,
      scarce: expect.stringMatching(CLOSED),
      freed: [how === 'cold' ? REFUSED : expect.stringMatching(CLOSED), REFUSED]
    })),
    { uncaught: [], kept: ballast }
  ])
  if (frees[0] === 0) expect(told[0]).toMatchObject({ scarce: 'closed spawn' })
  await gone(running)
}

// FM6
describe.skipIf(missing)(`without descriptors to spare the gate closes, and opens when there are some${why}`, () => {
  test.each([44, 48, 64])('of %i, again and again', async limit => {
    await expectClosed(limit, FREE, 0)
  })

  test('for a hook that is started ahead', async () => {
    await expectClosed(64, FREE, 0, 'prewarmed')
  })

  test('in a large process', async () => {
    await expectClosed(64, FREE, 250)
  })

  test.each([
    ['a small process', 0],
    ['a large process', 250]
  ])('before anything was started, in %s', async (_, ballast) => {
    await inTurn(FREE, 2, async free => expectClosed(64, [free], ballast))
  })
})
