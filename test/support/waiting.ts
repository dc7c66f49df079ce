/** How long tests wait, and for what. */
import { expect } from 'vitest'
import { isAlive } from './process-table.ts'

/** How long something may take before it counts as hanging, in milliseconds. */
export const HANG = 300_000

/** For `expect.poll` and `vi.waitUntil`. */
export const POLL = { timeout: HANG, interval: 20 }

/**
 * Waits until none of these processes is left; one that never ends fails the test. A second look finds those that were
 * started while the first look went through the process table.
 */
export function gone(pids: readonly number[] | (() => readonly number[])): Promise<void> {
  const left = typeof pids === 'function' ? pids : () => pids.filter(isAlive)
  return expect
    .poll(() => {
      const found = left()
      return found.length > 0 ? found : left()
    }, POLL)
    .toEqual([])
}

/** Waits until there is a process. */
export const there = (whom: () => readonly number[]): Promise<void> => expect.poll(whom, POLL).not.toEqual([])

/** Waits until a condition holds. */
export const eventually = (holds: () => boolean): Promise<void> => expect.poll(holds, POLL).toBe(true)
