/** Real processes that are ended at any moment. `npm run soak` does the same for longer. */
import { expect, test } from 'vitest'
import { SEED as seed } from '../support/seed.ts'
import { endRuns } from '../support/kills/rounds.ts'

// FM31, FM43, FM47
test.skipIf(process.platform !== 'linux')(
  'kill -9, 200 times: nothing that was said is lost, nothing is done twice, no one is left, and it continues (Linux)',
  async () => {
    const { kills, atWork, rounds, calls, unknown, violations } = await endRuns({ kills: 200, seed })
    console.log(`${kills} kills (${atWork} at work) in ${rounds} sessions, ${unknown} calls of unknown outcome`)
    expect(violations).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(200)
    // Otherwise all of them came too early, or too late, to show anything.
    expect(atWork).toBeGreaterThan(100)
    expect(calls).toBeGreaterThan(200)
    expect(unknown).toBeGreaterThan(0)
  }
)

// FM62
test.skipIf(process.platform !== 'linux')(
  'SIGTERM, 25 times: it ends in good order wherever it is (Linux)',
  async () => {
    const { kills, atWork, torn, violations } = await endRuns({ kills: 25, seed, signal: 'SIGTERM' })
    console.log(`${kills} runs ended by SIGTERM, ${atWork} of them at work`)
    expect(violations).toEqual([])
    expect(torn).toBe(0)
    expect(atWork).toBeGreaterThan(12)
  }
)
