/** How a writer waits for its disk. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Appender } from '../../src/lib/transcript/appender.ts'
import { realDisk, type Disk } from '../../src/lib/transcript/disk.ts'
import { readTranscript } from './read-transcript.ts'

/** A real disk that writes down how it was asked to make things safe, and takes its time if it is slow. */
function disk(isSlow = false): Disk & { readonly ways: string[] } {
  const ways: string[] = []
  return {
    ...realDisk,
    ways,
    async sync(file) {
      ways.push('in a thread')
      await realDisk.sync(file)
      const until = performance.now() + (isSlow ? 3 : 0)
      while (performance.now() < until) continue
    },
    syncNow(file) {
      ways.push('at once')
      realDisk.syncNow!(file)
    }
  }
}

function writer(on: Disk, name = 'a'): Appender & { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-appender-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, `${name}.jsonl`)
  return Object.assign(new Appender(path, on, { last: 0, isTorn: false, folders: [] }), { path })
}

const line = { type: 'user', uuid: 'u' }

test('a slow disk is waited for in a thread, and so is every disk the first time', async () => {
  const slow = disk(true)
  const log = writer(slow)
  for (let time = 0; time < 4; time++) {
    log.write(line)
    await log.flush()
  }
  expect(slow.ways).toEqual(Array(4).fill('in a thread'))
  await log.close()
})

test('where two write, no one is kept waiting by the other', async () => {
  const [one, two] = [disk(), disk()]
  const [first, second] = [writer(one), writer(two)]
  for (let time = 0; time < 4; time++)
    for (const log of [first, second]) {
      log.write(line)
      await log.flush()
    }
  expect(new Set(two.ways)).toEqual(new Set(['in a thread']))
  await Promise.all([first.close(), second.close()])
})

test('those who wait at the same time are served together, and everything is there', async () => {
  const fast = disk()
  const log = writer(fast)
  log.write(line)
  await log.flush()
  const before = fast.ways.length
  await Promise.all(
    Array.from({ length: 20 }, () => {
      log.write(line)
      return log.flush()
    })
  )
  expect(fast.ways).toHaveLength(before + 1)
  expect(readTranscript(readFileSync(log.path)).entries).toHaveLength(21)
  await log.close()
})

test('a disk that fails at once fails for good', async () => {
  let fails = false
  const bad: Disk = {
    ...realDisk,
    sync: async () => {
      if (fails) throw new Error('EIO')
    },
    syncNow() {
      if (fails) throw new Error('EIO')
    }
  }
  const log = writer(bad)
  log.write(line)
  await log.flush()
  fails = true
  log.write(line)
  await expect(log.flush()).rejects.toThrow('EIO')
  fails = false
  expect(() => log.write(line)).toThrow('EIO')
  await expect(log.flush()).rejects.toThrow('EIO')
  await expect(log.close()).rejects.toThrow('EIO')
})
