/** A lock is released when the process that held it ends in any way, and not before. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lock } from '../../../src/lib/world/lock/lock.ts'
import {
  answerOf,
  doing,
  DRIVER,
  LOCKER_ENV,
  held,
  holderOf,
  locker,
  lockFolder,
  processState,
  type Locker
} from './lock-kit.ts'

const ROUNDS = 100
/** Processes that are started ahead. */
const AHEAD = 4

const isLinux = process.platform === 'linux'

// FM41
test('a hundred that are killed with the lock, or as they take it, leave nothing that keeps others out', async () => {
  const path = lockFolder()
  const file = path('a.jsonl')
  const next: Promise<Locker>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    while (next.length < AHEAD && round + next.length < ROUNDS) next.push(locker())
    const holder = await next.shift()!
    if (round % 2 === 0) {
      expect(await holder.ask({ order: 'take', file })).toEqual({ held: true })
    } else {
      await holder.ask({ order: 'churn', file })
    }
    await holder.kill()
    // In every other round, the next process to be killed finds the leftovers.
    if (round % 4 < 2) continue
    const own = await held(lock(file, doing))
    await own.release()
  }
})

// FM41
describe('a lock', () => {
  test('what the holder has started, and outlives it, does not keep the lock', async () => {
    const path = lockFolder()
    const holder = await locker()
    await holder.ask({ order: 'take', file: path('a.jsonl') })
    const { pid } = (await holder.ask({ order: 'spawn' })) as { pid: number }
    onTestFinished(() => void process.kill(pid, 'SIGKILL'))
    await holder.kill()
    const own = await held(lock(path('a.jsonl'), doing))
    expect(process.kill(pid, 0)).toBe(true)
    await own.release()
  })

  test('it keeps no one alive', async () => {
    const path = lockFolder()
    const holder = await locker()
    await holder.ask({ order: 'take', file: path('a.jsonl') })
    const ended = once(holder.child, 'exit')
    await holder.ask({ order: 'leave' })
    expect(await ended).toEqual([0, null])
    const own = await held(lock(path('a.jsonl'), doing))
    await own.release()
  })

  test.skipIf(!isLinux)('one that has ended is gone, also when its parent never looks', async () => {
    const path = lockFolder()
    const script = `"$0" "$1" & echo $!; exec sleep 600 3>&-`
    const parent = spawn('/bin/sh', ['-c', script, process.execPath, DRIVER], {
      env: LOCKER_ENV,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc']
    })
    onTestFinished(() => {
      parent.kill('SIGKILL')
      // Then the other one ends by itself, should it still be there.
      if (parent.connected) parent.disconnect()
    })
    const ready = answerOf(parent)
    const [printed] = (await once(parent.stdout!, 'data')) as [Buffer]
    const pid = Number(printed.toString())
    await ready
    const answer = answerOf(parent)
    parent.send({ order: 'take', file: path('a.jsonl') })
    expect(await answer).toEqual({ held: true })
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => processState(pid), { timeout: 300_000 }).toBe('Z')
    const own = await held(lock(path('a.jsonl'), doing))
    expect(processState(pid)).toBe('Z')
    await own.release()
  })

  test.skipIf(!isLinux)('one that is stopped still has it, and those that it cannot answer are told so', async () => {
    const path = lockFolder()
    const file = path('a.jsonl')
    const holder = await locker()
    await holder.ask({ order: 'take', file })
    holder.child.kill('SIGSTOP')
    await expect.poll(() => processState(holder.pid), { timeout: 300_000 }).toBe('T')
    // More than the system lets wait for it.
    const holders = await Promise.all(Array.from({ length: 600 }, () => holderOf(lock(file, doing))))
    const pids = new Set(holders.map(({ pid }) => pid))
    expect([...pids]).toEqual([holder.pid])
    holder.child.kill('SIGCONT')
    expect(await holder.ask({ order: 'take', file })).toMatchObject({ holder: { pid: holder.pid } })
    expect(await holderOf(lock(file, doing))).toMatchObject({ pid: holder.pid })
    await holder.kill()
    const own = await held(lock(file, doing))
    await own.release()
  })
})
