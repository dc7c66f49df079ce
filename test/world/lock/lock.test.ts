/** One writer a file, in one process and among several. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { relative } from 'node:path'
import { array, assert, asyncProperty, constantFrom, record } from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { JsonlStore } from '../../../src/index.ts'
import { holderOf as holderNow, lock, type Lock } from '../../../src/lib/world/lock/lock.ts'
import { doing, held, holderOf, locker, lockFolder } from './lock-kit.ts'

// FM41
describe('a lock', () => {
  test('the second is told who has it, and since when', async () => {
    const path = lockFolder()
    const before = Date.now()
    const own = await held(lock(path('a.jsonl'), doing))
    const after = Date.now()
    const { pid, since } = await holderOf(lock(path('a.jsonl'), doing))
    expect(pid).toBe(process.pid)
    expect(Date.parse(String(since))).toBeGreaterThanOrEqual(before)
    expect(Date.parse(String(since))).toBeLessThanOrEqual(after)
    await own.release()
  })

  test('another process is refused, and told', async () => {
    const path = lockFolder()
    const own = await held(lock(path('a.jsonl'), doing))
    const other = await locker()
    const order = { order: 'take', file: path('a.jsonl') } as const
    expect(await other.ask(order)).toMatchObject({ holder: { pid: process.pid } })
    await own.release()
    expect(await other.ask(order)).toEqual({ held: true })
    expect(await holderOf(lock(path('a.jsonl'), doing))).toMatchObject({ pid: other.pid })
  })

  test.skipIf(process.platform !== 'linux')('B3: a process of version 0.1.0 that has the file is seen', async () => {
    const path = lockFolder()
    const name = createHash('sha256').update(path('a.jsonl')).digest('hex')
    const said = { pid: 4321, since: '2026-01-01T00:00:00.000Z', doing: 'running Bash' }
    const older = createServer(client => client.end(`${JSON.stringify(said)}\n`)).listen(`\0carabiner-${name}`)
    await once(older, 'listening')
    expect(await holderOf(lock(path('a.jsonl'), doing))).toEqual(said)
    expect(await holderNow(path('a.jsonl'))).toEqual(said)
    await held(lock(path('b.jsonl'), doing)).then(own => own.release())
    await new Promise(resolve => older.close(resolve))
    await held(lock(path('a.jsonl'), doing)).then(own => own.release())
    expect(readdirSync(path())).toEqual([])
  })

  test('whoever has it may let go more than once, and nothing is left', async () => {
    const path = lockFolder()
    const own = await held(lock(path('a.jsonl'), doing))
    await Promise.all([own.release(), own.release()])
    const next = await held(lock(path('a.jsonl'), doing))
    await own.release()
    expect(await holderOf(lock(path('a.jsonl'), doing))).toMatchObject({ pid: process.pid })
    await next.release()
    expect(readdirSync(path())).toEqual([])
  })

  test('of many at once exactly one gets it', async () => {
    const path = lockFolder()
    for (let round = 0; round < 20; round++) {
      const all = await Promise.all(Array.from({ length: 20 }, () => lock(path('a.jsonl'), doing)))
      const [winner, ...more] = all.filter(one => 'release' in one)
      expect(more).toEqual([])
      await winner!.release()
    }
  })

  test('it is the same file by any way that leads to it, also when it is not there yet', async () => {
    const path = lockFolder()
    mkdirSync(path('real'))
    symlinkSync(path('real'), path('link'))
    symlinkSync('link/new/a.jsonl', path('b.jsonl'))
    const own = await held(lock(path('link/new/a.jsonl'), doing))
    const ways = [
      path('real/new/a.jsonl'),
      path('link/new/a.jsonl'),
      path('b.jsonl'),
      relative('.', path('real/new/a.jsonl'))
    ]
    const asked = (): Promise<unknown[]> => Promise.all(ways.map(file => holderOf(lock(file, doing))))
    const all = ways.map(() => expect.objectContaining({ pid: process.pid }))
    expect(await asked()).toEqual(all)
    mkdirSync(path('real/new'), { recursive: true })
    writeFileSync(path('real/new/a.jsonl'), '')
    expect(await asked()).toEqual(all)
    const other = await held(lock(path('real/new/b.jsonl'), doing))
    await other.release()
    await own.release()
  })

  test('law: it is given exactly when no one has it', async () => {
    const path = lockFolder()
    mkdirSync(path('real'))
    symlinkSync(path('real'), path('link'))
    const step = record({
      name: constantFrom('a', 'b', 'c'),
      folder: constantFrom('real', 'link'),
      // The lock is requested, or its holder releases it.
      act: constantFrom('take', 'let go')
    })
    await assert(
      asyncProperty(array(step, { maxLength: 30 }), async steps => {
        const locks = new Map<string, Lock>()
        for (const { name, folder, act } of steps) {
          const own = locks.get(name)
          if (act === 'let go') {
            await own?.release()
            locks.delete(name)
            continue
          }
          const locked = await lock(path(folder, name), doing)
          expect('holder' in locked).toBe(own !== undefined)
          if ('release' in locked) locks.set(name, locked)
        }
        for (const own of locks.values()) await own.release()
        expect(readdirSync(path('real'))).toEqual([])
      }),
      { numRuns: 50 }
    )
  })
})

test('B3: a transcript with two names, as backups make them, has a writer for each, and neither writes into the other', async () => {
  const path = lockFolder()
  const store = new JsonlStore(path())
  const [a, b] = ['a', 'b'].map(sessionId => ({ projectKey: 'p', sessionId }))
  await store.append(a!, [{ type: 'user', uuid: 'first' }])
  linkSync(path('p/a.jsonl'), path('p/b.jsonl'))
  for (const key of [a!, b!]) {
    const writer = await store.open(key, doing)
    if ('holder' in writer) throw new Error('it is not free')
    writer.write({ type: 'user', uuid: `of ${key.sessionId}` })
    await writer.close()
  }
  const [inA, inB] = ['a', 'b'].map(name => readFileSync(path(`p/${name}.jsonl`), 'utf8'))
  expect(inA).toMatch(/first.*\n.*of a.*\n$/)
  expect(inB).toMatch(/first.*\n.*of b.*\n$/)
})
