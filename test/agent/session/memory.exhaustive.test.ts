/** Long sessions: what has been forgotten is gone from memory, too. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { HANG } from '../../support/waiting.ts'

const DRIVER = fileURLToPath(new URL('drivers/memory.ts', import.meta.url))
/** How much larger a session may be after its turn 2,000 than after its turn 500: half a kilobyte per turn. */
const BOUND = 1500 * 512

interface Seen {
  readonly turns: number
  readonly summaries: number
  readonly longest: number
  readonly heaps: Readonly<Record<number, number>>
}

async function grown(...args: readonly string[]): Promise<Seen & { readonly growth: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', DRIVER, ...args], { timeout: HANG })
  const seen = JSON.parse(stdout) as Seen
  return { ...seen, growth: seen.heaps[2000]! - seen.heaps[500]! }
}

test.each(['calls', 'prompts'])(
  'a session of two thousand turns with compaction does not grow: %s',
  async manner => {
    const { growth, turns, summaries, longest } = await grown(manner)
    expect(turns).toBe(2000)
    expect(summaries).toBeGreaterThan(50)
    expect(longest).toBeLessThan(60)
    expect(growth).toBeLessThan(BOUND)
  },
  HANG
)

test(
  'a leak of one kilobyte per turn is found',
  async () => {
    const { growth } = await grown('calls', '1000')
    expect(growth).toBeGreaterThan(BOUND)
  },
  HANG
)
