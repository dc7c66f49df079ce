import type { ChildProcess } from 'node:child_process'
import { childProcess } from './reaper.ts'
import { startProcess, type Ended, type OutputListener, type Start } from './process.ts'
import type { Program } from './program.ts'

export type HelperOrder =
  | { readonly id: number; readonly start: Program }
  | { readonly id: number; readonly write: string }
  | { readonly id: number; readonly do: 'close' | 'end' }

export type HelperNews =
  | { readonly id: number; readonly stdout: Uint8Array }
  | { readonly id: number; readonly stderr: Uint8Array }
  | { readonly id: number; readonly ended: Ended }

interface Remote {
  readonly listener: OutputListener
  readonly finish: (ended: Ended) => void
  held: boolean
}

const GONE: Ended = {
  code: null,
  signal: null,
  error: { code: 'HELPER', message: 'the helper that starts processes has ended' },
  left: false,
  fed: true
}

const remotes = new Map<number, Remote>()
let helper: ChildProcess | undefined
let lastId = 0

/**
 * Starts a process through a small helper process. Forking a large process takes time for each of its memory pages and
 * blocks the event loop; the helper stays small. When this process ends, for whatever reason, the helper ends
 * everything it started before their standard input closes: a program never mistakes our end for empty input.
 */
export const startThroughHelper: Start = (program, listener) => {
  const id = ++lastId
  const ended = new Promise<Ended>(resolve => void remotes.set(id, { listener, finish: resolve, held: false }))
  order({ id, start: program })
  return {
    write: text => order({ id, write: text }),
    close() {
      order({ id, do: 'close' })
      hold(id, true)
    },
    end() {
      order({ id, do: 'end' })
      hold(id, true)
    },
    hold: on => hold(id, on),
    pid: undefined,
    ended
  }
}

function order(message: HelperOrder): void {
  if (!remotes.has(message.id)) return
  helper ??= begin()
  // It could not be started, or has just ended: `isOver` settles the pending runs.
  if (!helper.connected) return
  helper.send(message, error => {
    if (error !== null) finish(message.id, GONE)
  })
}

function begin(): ChildProcess {
  const file = new URL(import.meta.url.endsWith('.ts') ? './helper-main.ts' : './helper-main.js', import.meta.url)
  const env = { PATH: process.env['PATH'] ?? '' }
  const stdio: ['ignore', 'ignore', 'inherit', 'ipc'] = ['ignore', 'ignore', 'inherit', 'ipc']
  const child = childProcess().fork(file, {
    detached: true,
    execArgv: [],
    env,
    cwd: '/',
    serialization: 'advanced',
    stdio
  })
  child.on('message', news => hear(news as HelperNews))
  const isOver = (): void => {
    if (helper === child) helper = undefined
    for (const id of remotes.keys()) finish(id, GONE)
  }
  child.on('error', isOver)
  child.once('exit', isOver)
  child.unref()
  child.channel?.unref()
  return child
}

function hear(news: HelperNews): void {
  const remote = remotes.get(news.id)
  if (remote === undefined) return
  if ('ended' in news) finish(news.id, news.ended)
  else if ('stdout' in news) remote.listener.stdout(Buffer.from(news.stdout))
  else remote.listener.stderr(Buffer.from(news.stderr))
}

function finish(id: number, ended: Ended): void {
  const remote = remotes.get(id)
  remotes.delete(id)
  remote?.finish(ended)
  holdOn()
}

function hold(id: number, on: boolean): void {
  const remote = remotes.get(id)
  if (remote !== undefined) remote.held = on
  holdOn()
}

/** A process that we wait for keeps us alive; one that waits for us does not. */
function holdOn(): void {
  const waiting = [...remotes.values()].some(remote => remote.held)
  if (waiting) helper?.channel?.ref()
  else helper?.channel?.unref()
}

/** In resident bytes. A larger process starts programs through the helper, which is faster from this size on. */
const LARGE = 192 * 1024 * 1024

export type Starter = 'self' | 'helper'

export function startBy(starter: Starter | undefined): Start {
  if (process.platform === 'win32') return startProcess
  return (starter === undefined ? isLarge() : starter === 'helper') ? startThroughHelper : startProcess
}

let large: boolean | undefined

/** Measuring takes time: it is done after each start, and the next start uses the result. */
function isLarge(): boolean {
  const known = large ?? look()
  setImmediate(look)
  return known
}

function look(): boolean {
  try {
    return (large = process.memoryUsage.rss() > LARGE)
  } catch {
    // Without free descriptors this fails as well.
    return false
  }
}
