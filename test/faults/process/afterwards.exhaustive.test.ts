import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { ENDINGS, type Ending } from '../endings.ts'
import { inTurn } from '../scene.ts'
import { gone, there } from '../../support/waiting.ts'

const WHAT = ['plain', 'stubborn', 'stray', 'bare', 'namespaced', 'async', 'large', 'prewarmed']

/** Whether a process is still what it was: the helper, or the shell that ends what is left. */
function isThere(pid: number): boolean {
  try {
    return /helper-main|trap/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  } catch {
    return false
  }
}

async function endBy({ how, signal, end }: Ending, what: string): Promise<void> {
  const driver = startDriver('parent', [what, how])
  const { hear, child, ended, running } = driver
  expect(await hear('up')).toBe(true)
  await there(running)
  const others = driver.told[0]!['others'] as readonly number[]
  expect(others.length).toBeGreaterThan(0)
  writeFileSync(join(driver.folder, 'go'), '')
  if (signal !== undefined) child.kill(signal)
  const { end: found, stderr } = await ended
  expect({ how, end: found }).toEqual({ how, end })
  if (end !== 1) expect({ how, stderr }).toEqual({ how, stderr: '' })
  await gone(running)
  await gone(() => others.filter(isThere))
  if (how === 'abort' && what !== 'async' && what !== 'prewarmed')
    expect(driver.told[1]).toEqual({ end: 'closed aborted' })
}

// F43, F108
describe('whatever becomes of this process, no one is left', () => {
  test('there is a process table to look at', () => {
    expect(existsSync('/proc/self/environ')).toBe(true)
  })

  test.each(WHAT)('of a hook that is %s', async what => {
    // A process that waits for the next event lets this process end; a running one does not.
    const endings = ENDINGS.filter(({ how }) => (how === 'drain' ? what === 'prewarmed' : true))
    // To abort an event does not end what was to continue after it.
    const apt = endings.filter(({ how }) => how !== 'abort' || (what !== 'async' && what !== 'prewarmed'))
    await inTurn(apt, 3, async ending => endBy(ending, what))
  })
})
