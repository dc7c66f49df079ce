import { createHash } from 'node:crypto'
import type * as nodeNet from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isObject } from '../util/plain.ts'
import { realPath } from '../world/real-path.ts'
import type { Lock, Locked } from './lock.ts'
import type { Holder } from './store.ts'

type Net = typeof nodeNet

/**
 * A holder may take half a second to say who it is, and so may one that has the name and cannot be reached. That is
 * counted in steps, so that the time in which this process itself stands still is not held against anybody.
 */
const STEPS = 100
const STEP_MS = 5

const MOST_WORDS = 1_000
const MOST_TEXT = 65_536

const SILENT: Holder = { pid: 0, since: '' }

/**
 * Locks by a unix socket with a name that is in no folder. Only one process can have it, and the kernel takes it away
 * with the process, whatever ends it. Whoever is refused asks there who has it.
 */
export async function lockBySocket(file: string, doing: () => string): Promise<Locked> {
  const net = await import('node:net')
  const path = nameFor(file)
  for (let step = 0; step < STEPS; step++) {
    const server = await listen(net, path, doing)
    if (server !== undefined) return lockOf(server)
    const holder = await ask(net, path)
    if (holder !== undefined) return { holder }
    await wait(STEP_MS)
  }
  return { holder: SILENT }
}

/** Who has the lock; nothing where nobody does. */
export async function holderBySocket(file: string): Promise<Holder | undefined> {
  return ask(await import('node:net'), nameFor(file))
}

/** The file may not be there yet, nor its folder. */
function nameFor(file: string): string {
  const hash = createHash('sha256')
    .update(realPath(resolve(file)))
    .digest('hex')
  return `\0carabiner-${hash}`
}

function lockOf(server: nodeNet.Server): Lock {
  let released: Promise<void> | undefined
  return {
    release() {
      released ??= new Promise(done => server.close(() => done()))
      return released
    }
  }
}

/** Nothing where somebody else has the name. */
function listen(net: Net, path: string, doing: () => string): Promise<nodeNet.Server | undefined> {
  return new Promise((done, fail) => {
    const since = new Date().toISOString()
    const server = net.createServer({ pauseOnConnect: true }, client => {
      client.unref()
      client.on('error', () => undefined)
      // What was written is the client's, whenever it reads. It is not waited for.
      client.end(`${JSON.stringify({ pid: process.pid, since, doing: wordsOf(doing) })}\n`, () => client.destroy())
    })
    server.unref()
    // Also later on: a client that cannot be taken (no descriptors left) is no reason to end.
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') done(undefined)
      else fail(error)
    })
    server.listen({ path, exclusive: true }, () => done(server))
  })
}

function wordsOf(doing: () => string): string | undefined {
  try {
    return doing().slice(0, MOST_WORDS)
  } catch {
    return undefined
  }
}

/** It let go, or died; it has the name and does not listen yet; it was stopped, and too many wait for it already. */
const UNREACHED = new Set<unknown>(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAGAIN'])

/** Nothing where nobody could be reached. */
function ask(net: Net, path: string): Promise<Holder | undefined> {
  return new Promise(done => {
    const socket = net.connect({ path })
    let steps = 0
    const timer = setInterval(() => {
      if (++steps === STEPS) settle(SILENT)
    }, STEP_MS)
    const settle = (holder: Holder | undefined): void => {
      clearInterval(timer)
      socket.destroy()
      done(holder)
    }
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece: string) => {
      text += piece
      if (text.includes('\n') || text.length > MOST_TEXT) settle(holderIn(text))
    })
    socket.on('end', () => settle(undefined))
    socket.on('error', (error: NodeJS.ErrnoException) => settle(UNREACHED.has(error.code) ? undefined : SILENT))
  })
}

/** Anybody on this machine may have taken the name, and may say anything. */
function holderIn(text: string): Holder {
  try {
    const said: unknown = JSON.parse(text.slice(0, text.indexOf('\n')))
    if (!isObject(said)) return SILENT
    const { pid, since, doing } = said
    if (!Number.isSafeInteger(pid) || typeof since !== 'string') return SILENT
    return { pid: pid as number, since, ...(typeof doing === 'string' && { doing }) }
  } catch {
    return SILENT
  }
}
