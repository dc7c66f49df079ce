import { closeSync, openSync } from 'node:fs'
import type * as nodeNet from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type * as nodeThreads from 'node:worker_threads'
import { isObject } from '../../util/plain.ts'
import { attempt, jsonIn } from '../../util/attempt.ts'

/** A socket that shows that its process is alive: the kernel closes it when the process ends. */
export interface Beacon {
  close(): void
}

/** `dead`: no process listens there. `leaving`: one did, and hung up. */
export type BeaconReply =
  | 'dead'
  | 'leaving'
  | { readonly doing?: string; readonly pid?: number; readonly since?: string }

// Loaded on first use: most commands do not need them.
const net = (): typeof nodeNet => process.getBuiltinModule('node:net')
const threads = (): typeof nodeThreads => process.getBuiltinModule('node:worker_threads')

/**
 * A path that is short enough for a socket, about 100 bytes. On Linux a socket in a folder is found by its inode from
 * any namespace of the machine. Other systems have no namespaces, and any folder will do.
 */
function shortPath(path: string): { readonly path: string; close(): void } {
  const close = (): void => undefined
  if (isNameless(path)) return { path, close }
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${basename(path)}`, close }
  if (process.platform !== 'linux') return { path: join(tmpdir(), basename(path)), close }
  const folder = openSync(dirname(path), 'r')
  return { path: `/proc/self/fd/${folder}/${basename(path)}`, close: () => closeSync(folder) }
}

/** A socket without a file, as 0.1.0 used for locks; visible in one network namespace only. */
const isNameless = (path: string): boolean => path.startsWith('\0')

const MOST_WORDS = 1_000
const MOST_TEXT = 65_536

/** Listens immediately. Undefined if the file system has no sockets. */
export function lightBeacon(path: string, doing: () => string): Beacon | undefined {
  const at = shortPath(path)
  const server = net().createServer({ pauseOnConnect: true }, client => {
    client.unref()
    client.on('error', () => undefined)
    // The client can read what was written at any time, so it is not waited for.
    client.end(`${JSON.stringify({ doing: attempt(() => doing().slice(0, MOST_WORDS)) })}\n`, () => client.destroy())
  })
  server.unref()
  // A client that cannot be accepted (no descriptors left) must not end this process.
  server.on('error', () => undefined)
  server.listen({ path: at.path, exclusive: true })
  const isLit = server.listening
  if (!isLit) at.close()
  return isLit ? { close: () => (server.close(), at.close()) } : undefined
}

const DEAD = new Set<unknown>(['ECONNREFUSED', 'ENOENT'])
const LEAVING = new Set<unknown>(['ECONNRESET', 'EPIPE'])

/**
 * A process has half a second to answer. It is counted in steps, so that time in which this process itself is blocked
 * does not count.
 */
export const STEPS = 100
export const STEP_MS = 5

/** Asks a process what it is doing. One that does not answer (stopped, or too many callers) counts as alive. */
export function askBeacon(path: string): Promise<BeaconReply> {
  return new Promise(done => {
    const at = shortPath(path)
    const socket = net().connect({ path: at.path })
    let steps = 0
    const timer = setInterval(() => {
      if (++steps === STEPS) settle({})
    }, STEP_MS)
    const settle = (heard: BeaconReply): void => {
      if (!timer.hasRef()) return
      clearInterval(timer.unref())
      socket.destroy()
      at.close()
      done(heard)
    }
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece: string) => {
      text += piece
      if (text.includes('\n') || text.length > MOST_TEXT) settle(heardIn(text))
    })
    socket.on('end', () => settle('leaving'))
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      settle(DEAD.has(code) || isNameless(path) ? 'dead' : LEAVING.has(code) ? 'leaving' : {})
    )
  })
}

function heardIn(text: string): BeaconReply {
  const said = jsonIn(text.slice(0, text.indexOf('\n')))
  const { doing, pid, since } = isObject(said) ? said : {}
  return {
    ...(typeof doing === 'string' && { doing }),
    ...(typeof pid === 'number' && { pid }),
    ...(typeof since === 'string' && { since })
  }
}

const PROBE = `const { workerData: { cell, path, dead } } = require('node:worker_threads')
const settle = code => { Atomics.store(cell, 0, code); Atomics.notify(cell, 0) }
require('node:net').connect({ path }).on('connect', () => settle(1)).on('error', ({ code }) => settle(dead.has(code) ? 2 : 1))`

/** Whether no process listens there, synchronously: a worker thread connects while this one waits. */
export function isDarkNow(path: string): boolean {
  const at = shortPath(path)
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { cell, path: at.path, dead: DEAD }
  const worker = new (threads().Worker)(PROBE, { eval: true, execArgv: [], workerData })
  worker.on('error', () => undefined).unref()
  Atomics.wait(cell, 0, 0, STEPS * STEP_MS * 10)
  void worker.terminate()
  at.close()
  return cell[0] === 2
}
