/** What may happen to a name that anybody can connect to. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lockBySocket } from '../../src/lib/transcript/lock-socket.ts'
import { doing, held, holderOf, locker, scene } from './lock-kit.ts'

vi.setConfig({ testTimeout: 60_000 })

const nameOf = (file: string): string => `\0carabiner-${createHash('sha256').update(file).digest('hex')}`

async function client(file: string): Promise<Socket> {
  const socket = connect(nameOf(file))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** Somebody else has the name. */
async function squat(file: string, answer: (socket: Socket) => void): Promise<Server> {
  const server = createServer(socket => answer(socket.on('error', () => undefined)))
  server.listen(nameOf(file))
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return server
}

describe.skipIf(process.platform !== 'linux')('a lock by socket', () => {
  test('whoever is refused hears what the holder is doing at that time', async () => {
    const file = scene()('a.jsonl')
    let turn = 0
    const own = await held(lockBySocket(file, () => `turn ${++turn}`))
    expect(await holderOf(lockBySocket(file, doing))).toMatchObject({ doing: 'turn 1' })
    expect(await holderOf(lockBySocket(file, doing))).toMatchObject({ doing: 'turn 2' })
    await own.release()
  })

  test.each([
    ['throws', (): string => JSON.parse('') as string, undefined],
    ['has no end', (): string => 'x'.repeat(10_000_000), 'x'.repeat(1_000)]
  ])('words that somebody else hears: a function that %s does no harm', async (_, words, heard) => {
    const file = scene()('a.jsonl')
    const own = await held(lockBySocket(file, words))
    const holder = await holderOf(lockBySocket(file, doing))
    expect([holder['pid'], holder['doing']]).toEqual([process.pid, heard])
    await own.release()
  })

  test('those who ask and do not read, hang up or talk themselves change nothing, and are not waited for', async () => {
    const file = scene()('a.jsonl')
    const own = await held(lockBySocket(file, doing))
    const clients = await Promise.all(Array.from({ length: 90 }, () => client(file)))
    for (const [at, each] of clients.entries()) {
      if (at % 3 === 0) each.destroy()
      if (at % 3 === 1) each.write('x'.repeat(300_000))
    }
    expect(await holderOf(lockBySocket(file, doing))).toMatchObject({ pid: process.pid, doing: 'testing' })
    await own.release()
    const next = await held(lockBySocket(file, doing))
    await next.release()
  })

  test('one that asks and stays does not keep the holder alive', async () => {
    const file = scene()('a.jsonl')
    const holder = await locker()
    await holder.ask({ order: 'take', way: 'socket', file })
    const asking = await client(file)
    const ended = once(holder.child, 'exit')
    await holder.ask({ order: 'leave' })
    expect(await ended).toEqual([0, null])
    expect(asking.destroyed).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello\n'],
    ['no object', '[]\n'],
    ['no process', '{"pid":"1","since":"today"}\n'],
    ['no time', '{"pid":1}\n'],
    ['something without an end', 'x'.repeat(200_000)]
  ])('a holder that says %s is one all the same', async (_, text) => {
    const file = scene()('a.jsonl')
    await squat(file, socket => socket.write(text))
    expect(await holderOf(lockBySocket(file, doing))).toEqual({ pid: 0, since: '' })
  })

  test('one that hangs up has let go, and is given time for that', async () => {
    const file = scene()('a.jsonl')
    let calls = 0
    const server = await squat(file, socket => {
      socket.destroy()
      if (++calls === 5) server.close()
    })
    const own = await held(lockBySocket(file, doing))
    expect(calls).toBe(5)
    await own.release()
  })

  test('one that hangs up again and again has not', async () => {
    const file = scene()('a.jsonl')
    await squat(file, socket => void socket.destroy())
    expect(await holderOf(lockBySocket(file, doing))).toEqual({ pid: 0, since: '' })
  })
})
