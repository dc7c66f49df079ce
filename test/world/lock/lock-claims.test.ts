/** What may be found where a lock should be, and what may happen to its socket. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lock } from '../../../src/lib/world/lock/lock.ts'
import { doing, held, holderOf, locker, lockFolder } from './lock-kit.ts'

type Claim = Record<string, unknown> & { readonly id: string; readonly socket: string }

/** A claim, as this process has just made it. */
async function ownClaim(file: string): Promise<Claim> {
  const own = await held(lock(file, doing))
  const claim = JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as Claim
  await own.release()
  return claim
}

const PAST = new Date('2026-01-01T00:00:00Z')

test.each<[string, (claim: Claim) => string]>([
  ['nothing', () => ''],
  ['half a claim', claim => JSON.stringify(claim).slice(0, 30)],
  ['rubbish', () => '\0\n\u{FFFD}[]\nnull\n7\n{}\n'],
  ['a claim of another machine', claim => JSON.stringify({ ...claim, host: 'other' })],
  ['a claim of this machine', claim => JSON.stringify(claim)],
  ['a claim with a name that leads out of the folder', claim => JSON.stringify({ ...claim, socket: '../x' })]
])('%s that no one renews keeps no one out', async (_, left) => {
  const path = lockFolder()
  const file = path('a.jsonl')
  const claim = await ownClaim(file)
  writeFileSync(`${file}.lock`, left(claim))
  utimesSync(`${file}.lock`, PAST, PAST)
  const own = await held(lock(file, doing))
  expect(await holderOf(lock(file, doing))).toMatchObject({ pid: process.pid })
  await own.release()
  expect(readdirSync(path())).toEqual([])
})

test('what cannot be read has the lock as long as it is new: someone may be writing it', async () => {
  const file = lockFolder()('a.jsonl')
  writeFileSync(`${file}.lock`, '{"id"')
  expect(await holderOf(lock(file, doing))).toMatchObject({ pid: 0, since: '', until: expect.any(String) })
})

test('whoever finds its file removed by hand does not remove that of the next, and writes no more', async () => {
  const file = lockFolder()('a.jsonl')
  const machine = { host: 'a', name: 'a', lease: 300 }
  const own = await held(lock(file, doing, machine))
  rmSync(`${file}.lock`)
  const next = await held(lock(file, doing))
  await vi.waitUntil(() => throws(() => own.check()), { timeout: 30_000 })
  await own.release()
  expect(await holderOf(lock(file, doing))).toMatchObject({ pid: process.pid })
  await next.release()
})

const throws = (act: () => void): boolean => {
  try {
    act()
    return false
  } catch {
    return true
  }
}

test('its files are for their owner alone, and so are folders that are made for them', async () => {
  const path = lockFolder()
  const own = await held(lock(path('new/a.jsonl'), doing))
  const modes = ['new', 'new/a.jsonl.lock'].map(name => (statSync(path(name)).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600'])
  await own.release()
})

// FM49
test('where no file can be made, that is said, with its path', async () => {
  const path = lockFolder()
  mkdirSync(path('a.jsonl.lock'))
  await expect(lock(path('a.jsonl'), doing)).rejects.toThrow('a.jsonl.lock')
  writeFileSync(path('b'), '')
  await expect(lock(path('b/a.jsonl'), doing)).rejects.toThrow('a part of the path is a file, not a folder')
})

test('names and folders may be long: those of sockets may not', async () => {
  const path = lockFolder()
  const file = path('long'.repeat(40), 'x'.repeat(200))
  const own = await held(lock(file, doing))
  expect(await holderOf(lock(file, doing))).toMatchObject({ pid: process.pid, doing: 'testing' })
  await own.release()
  expect(readdirSync(dirname(file))).toEqual([])
})

describe('its socket', () => {
  /** How the socket of a claim can be reached, however long its path is. */
  const socketOf = (file: string): string => {
    const { socket } = JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as Claim
    return join(dirname(file), basename(socket))
  }

  /** Another process has the lock, and answers in its own way. */
  async function squat(file: string, answer: (socket: Socket) => void): Promise<Server> {
    const claim = await ownClaim(file)
    writeFileSync(`${file}.lock`, JSON.stringify({ ...claim, pid: 77 }))
    const server = createServer(socket => answer(socket.on('error', () => undefined)))
    server.listen(socketOf(file))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    return server
  }

  test('whoever is refused hears what the holder is doing at that time', async () => {
    const file = lockFolder()('a.jsonl')
    let turn = 0
    const own = await held(lock(file, () => `turn ${++turn}`))
    expect(await holderOf(lock(file, doing))).toMatchObject({ doing: 'turn 1' })
    expect(await holderOf(lock(file, doing))).toMatchObject({ doing: 'turn 2' })
    await own.release()
  })

  test.each([
    ['throws', (): string => JSON.parse('') as string, undefined],
    ['has no end', (): string => 'x'.repeat(10_000_000), 'x'.repeat(1_000)]
  ])('words that someone else hears: a function that %s does no harm', async (_, words, heard) => {
    const file = lockFolder()('a.jsonl')
    const own = await held(lock(file, words))
    const holder = await holderOf(lock(file, doing))
    expect([holder['pid'], holder['doing']]).toEqual([process.pid, heard])
    await own.release()
  })

  test('those who ask and do not read, hang up or talk themselves change nothing, and are not waited for', async () => {
    const file = lockFolder()('a.jsonl')
    const own = await held(lock(file, doing))
    const clients = await Promise.all(Array.from({ length: 90 }, () => client(socketOf(file))))
    for (const [at, each] of clients.entries()) {
      if (at % 3 === 0) each.destroy()
      if (at % 3 === 1) each.write('x'.repeat(300_000))
    }
    expect(await holderOf(lock(file, doing))).toMatchObject({ pid: process.pid, doing: 'testing' })
    await own.release()
    const next = await held(lock(file, doing))
    await next.release()
  })

  async function client(path: string): Promise<Socket> {
    const socket = connect(path)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket.on('error', () => undefined)
  }

  test('one that asks and stays does not keep the holder alive', async () => {
    const file = lockFolder()('a.jsonl')
    const holder = await locker()
    await holder.ask({ order: 'take', file })
    const asking = await client(socketOf(file))
    const ended = once(holder.child, 'exit')
    await holder.ask({ order: 'leave' })
    expect(await ended).toEqual([0, null])
    expect(asking.destroyed).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello\n'],
    ['no object', '[]\n'],
    ['something without an end', 'x'.repeat(200_000)]
  ])('a holder that says %s is one all the same', async (_, text) => {
    const file = lockFolder()('a.jsonl')
    await squat(file, socket => socket.write(text))
    const { pid, doing: words } = await holderOf(lock(file, doing))
    expect([pid, words]).toEqual([77, undefined])
  })

  test('one that hangs up has let go, and is given time for that', async () => {
    const file = lockFolder()('a.jsonl')
    let calls = 0
    const server = await squat(file, socket => {
      socket.destroy()
      if (++calls === 5) server.close()
    })
    const own = await held(lock(file, doing))
    expect(calls).toBe(5)
    await own.release()
  })

  test('one that hangs up again and again has not', async () => {
    const file = lockFolder()('a.jsonl')
    await squat(file, socket => void socket.destroy())
    expect(await holderOf(lock(file, doing))).toEqual({ pid: 0, since: '' })
  })
})
