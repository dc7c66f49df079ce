import { describe, expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { gone } from '../../support/waiting.ts'

interface Sizes {
  readonly own: number
  readonly helper: readonly number[]
}

const GIGABYTE = 'yes 0123456789012345678901234567890123456789 | head -c 1000000000'

const FLOODS: readonly (readonly [string, string])[] = [
  ['a gigabyte on stdout', GIGABYTE],
  ['a gigabyte on stderr', `${GIGABYTE} >&2`],
  ['a gigabyte on both', `${GIGABYTE} | tee /dev/stderr`],
  ['a gigabyte without a newline', 'head -c 1000000000 /dev/zero'],
  ['a gigabyte from one that ignores SIGTERM', `trap '' TERM; ${GIGABYTE}`],
  ['no end on both from one that ignores SIGTERM', "trap '' TERM; yes & yes >&2"]
]

// FM12, F112
describe.each([
  { where: 'a small process', megabytes: 0 },
  { where: 'a large process, through its helper', megabytes: 250 }
])('in $where', ({ megabytes }) => {
  test.each(FLOODS)('%s is cut off, and memory stays within 64 MB of what it was', async (_, command) => {
    const { ended, told, running } = startDriver('floods', [command, megabytes])
    expect(await ended).toEqual({ end: 0, stderr: '' })
    expect(told).toMatchObject([{ end: 'closed output', reason: expect.stringMatching(/output cap.*1048576 bytes/) }])
    const [before, after] = [told[0]!['before'] as Sizes, told[0]!['after'] as Sizes]
    expect(after.helper.length).toBe(megabytes === 0 ? 0 : 1)
    expect(after.own - before.own).toBeLessThan(64)
    expect(Math.max(0, ...after.helper) - Math.max(0, ...before.helper)).toBeLessThan(64)
    await gone(running)
  })
})
