/** A worker and the program that has it: neither keeps the other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { POLL } from '../../../support/waiting.ts'
import { isAlive } from '../../../support/process-table.ts'
import { fixture } from '../../../support/fixture.ts'

vi.setConfig({ testTimeout: POLL.timeout })

/** A program that has a worker, once that has answered, and the numbers of the worker and of its child. */
async function parent(way: string) {
  const child = spawn(process.execPath, [fixture('workers/parent.ts'), way], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const family = line.toString().trim().split(' ').map(Number)
  onTestFinished(() => family.filter(isAlive).forEach(pid => process.kill(pid, 'SIGKILL')))
  return { child, family, ended }
}

const gone = (family: readonly number[]): Promise<void> => expect.poll(() => family.filter(isAlive), POLL).toEqual([])

test('a program ends although its worker idles, and the worker with it', async () => {
  const { family, ended } = await parent('idle')
  expect(family).toHaveLength(2)
  expect(await ended).toEqual([0, null])
  await gone(family)
})

// FM9
test.each([
  ['exit', 0],
  ['throw', 1]
])('a program that ends by %s takes its worker with it', async (way, code) => {
  const { family, ended } = await parent(way)
  expect(await ended).toEqual([code, null])
  await gone(family)
})

test.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV'] as const)(
  'a program that dies of %s takes its worker with it',
  async name => {
    const { child, family, ended } = await parent('stay')
    expect(family.map(isAlive)).toEqual([true, true])
    child.kill(name)
    expect(await ended).toEqual([null, name])
    await gone(family)
  }
)

test('a program does not end before an answer that it was promised', async () => {
  const { child, family, ended } = await parent('later')
  expect(await text(child.stdout)).toBe('late: done at last\n')
  expect(await ended).toEqual([0, null])
  await gone(family)
})
