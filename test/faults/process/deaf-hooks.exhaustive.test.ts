import { describe, expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { effectOf, faultScene } from '../scene.ts'
import { gone } from '../../support/waiting.ts'

// FM17, F112
describe('a hook that does not read what it is given', () => {
  test.each([
    ['1,000 times, with a third of a megabyte', [1000, 0.3, 0], { 'closed deny': 1000 }],
    ['12 times, with 64 MB', [12, 64, 0], { 'closed deny': 12 }],
    ['8 times, with 64 MB, through the helper of a large process', [8, 64, 250], { 'closed deny': 8 }]
  ] as const)('still answers, and nothing is thrown: %s', async (_, args, ends) => {
    const { ended, told } = startDriver('deaf', args)
    expect(await ended).toEqual({ end: 0, stderr: '' })
    expect(told).toMatchObject([{ ends, uncaught: [] }])
  })

  test('nor ends is given up in time', async () => {
    const { ask, running } = faultScene()
    const input = { tool_input: { command: 'x'.repeat(64 * 1024 * 1024) } }
    expect(effectOf(await ask({ command: 'sleep 60', timeout: 1 }, { input }))).toBe('closed: timeout')
    await gone(running)
  })

  test('is told from one that reads half', async () => {
    const { ask } = faultScene()
    const input = { tool_input: { command: 'x'.repeat(1024 * 1024) } }
    expect(effectOf(await ask({ command: 'head -c 1000 | grep -q PreToolUse && exit 2' }, { input }))).toBe('refused')
  })

  test('may close all that it has and still refuse by its exit code', async () => {
    const { ask } = faultScene()
    expect(effectOf(await ask({ command: 'exec <&- >&- 2>&-; sleep 0.2; exit 2' }))).toBe('refused')
  })
})
