import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDriver } from './drive.ts'
import { gone, POLL } from '../../support/waiting.ts'
import { endAll } from '../../support/process-table.ts'

// FM9, FM11
test('who dies right after it has started hooks leaves no one', async () => {
  const crash = async (): Promise<void> => {
    const { ended, running } = startDriver('crash', ['at once'])
    expect((await ended).end).toBe('SIGKILL')
    await gone(running)
  }
  for (let round = 0; round < 4; round++) await Promise.all([crash(), crash()])
})

/** The shell that ends what is left has done so. */
const isDone = (shells: readonly number[]): Promise<void> => {
  expect(shells).toHaveLength(1)
  return expect.poll(() => existsSync(`/proc/${shells[0]}`), POLL).toBe(false)
}

// FM6, FM9
test('when the helper that starts processes dies, only its own are ended', async () => {
  const { hear, told, ended, running, folder } = startDriver('crash', ['helper'])
  expect(await hear('end')).toBe('closed spawn')
  await isDone(told[0]!['shells'] as readonly number[])
  expect(running()).toHaveLength(1)
  writeFileSync(join(folder, 'go'), '')
  expect((await ended).end).toBe('SIGKILL')
  await gone(running)
})

// FM10
test.each([
  ['ends by itself right after', 'exit', 0],
  ['is killed later, while another hook runs', 'soon', 'SIGKILL']
])('what a hook left on purpose stays when this process %s', async (_, how, end) => {
  const { told, ended, running } = startDriver('crash', [how])
  expect(await ended).toEqual({ end, stderr: '' })
  const { left, reapers } = told[0] as { left: string; reapers: readonly number[] }
  expect(left).toBe('open silent')
  await isDone(reapers)
  const stayed = running()
  endAll(stayed)
  expect(stayed).toHaveLength(1)
})
