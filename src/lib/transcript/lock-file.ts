import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isObject } from '../util/plain.ts'
import { explained } from '../world/files.ts'
import { makeFolders } from '../world/make-folders.ts'
import { realPath } from '../world/real-path.ts'
import type { Lock, Locked } from './lock.ts'
import type { Holder } from './store.ts'

/** A line in the lock file: somebody wants it. */
interface Claim {
  readonly id: string
  readonly pid: number
  /** When that process began: another one may have its number by now. Nothing where the system does not tell. */
  readonly start: number | null
  readonly since: string
}

/** Each failure means that somebody else had it and let go meanwhile. */
const ATTEMPTS = 1_000

/**
 * Locks by a file beside it, to which claims are appended. The first claim in it whose process lives has the lock, so
 * that nothing stale has to be removed before somebody else can have it, and half a claim is none. What the holder is
 * doing, a file cannot tell.
 *
 * Why two cannot both win: claims have an order, since the system appends one after the other, and whoever has appended
 * sees all before its own. It wins only if none of those is alive, and the dead stay dead. So of two in one file the
 * later sees the earlier, and gives way. Two files there cannot be: only the winner removes the file, as long as it has
 * the lock; and whoever claimed in a file that was removed before it looked finds another one at its place, or none,
 * and begins again.
 */
export async function lockByFile(file: string, _doing: () => string): Promise<Locked> {
  const path = `${realPath(resolve(file))}.lock`
  try {
    makeFolders(dirname(path))
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const locked = await claimIn(path)
      if (locked !== undefined) return locked
    }
  } catch (error) {
    throw explained(error, path)
  }
  return { holder: { pid: 0, since: '' } }
}

/** Who has the lock; nothing where nobody does. */
export async function holderByFile(file: string): Promise<Holder | undefined> {
  let fd: number
  try {
    fd = openSync(`${realPath(resolve(file))}.lock`, O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const claim = await firstAlive(claimsIn(fd))
    return claim && { pid: claim.pid, since: claim.since }
  } finally {
    closeSync(fd)
  }
}

const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants

/** Nothing where the file was removed meanwhile. */
async function claimIn(path: string): Promise<Locked | undefined> {
  const fd = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
  let isHeld = false
  try {
    const before = await firstAlive(claimsIn(fd))
    if (before !== undefined) return { holder: { pid: before.pid, since: before.since } }
    const own = { id: randomUUID(), pid: process.pid, start: await ownStart(), since: new Date().toISOString() }
    append(fd, own)
    const claims = claimsIn(fd)
    const place = claims.findIndex(({ id }) => id === own.id)
    const earlier = await firstAlive(claims.slice(0, place))
    isHeld = place >= 0 && earlier === undefined && isAt(fd, path)
    if (isHeld) return lockOf(fd, path, own.id)
    append(fd, { gone: own.id })
    return earlier && { holder: { pid: earlier.pid, since: earlier.since } }
  } finally {
    if (!isHeld) closeSync(fd)
  }
}

function lockOf(fd: number, path: string, id: string): Lock {
  let isReleased = false
  return {
    async release() {
      if (isReleased) return
      isReleased = true
      try {
        // Somebody may have removed it by hand; then it is another's by now.
        if (isAt(fd, path)) unlinkSync(path)
      } catch {
        append(fd, { gone: id })
      } finally {
        closeSync(fd)
      }
    }
  }
}

/** While it is open, no other file has its number. */
function isAt(fd: number, path: string): boolean {
  const [open, there] = [fstatSync(fd, { bigint: true }), statSync(path, { bigint: true, throwIfNoEntry: false })]
  return there !== undefined && there.ino === open.ino && there.dev === open.dev
}

/** What comes first spoils a line that was not finished, so that it is none for good. */
function append(fd: number, line: Claim | { readonly gone: string }): void {
  const bytes = Buffer.from(`#\n${JSON.stringify(line)}\n`)
  const written = writeSync(fd, bytes)
  if (written < bytes.length) throw Object.assign(new Error('there is no space left'), { code: 'ENOSPC' })
}

/** All that were not taken back, in their order. */
function claimsIn(fd: number): readonly Claim[] {
  const bytes = Buffer.alloc(fstatSync(fd).size)
  const length = readSync(fd, bytes, 0, bytes.length, 0)
  const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1).map(parse)
  const gone = new Set(lines.map(line => line?.['gone']))
  return lines.flatMap(line => {
    const { id, pid, start, since } = line ?? {}
    if (typeof id !== 'string' || gone.has(id) || !isPid(pid) || typeof since !== 'string') return []
    return [{ id, pid, start: typeof start === 'number' ? start : null, since }]
  })
}

/** 0 and what is below stand for groups of processes. */
const isPid = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function firstAlive(claims: readonly Claim[]): Promise<Claim | undefined> {
  for (const claim of claims) if (await isAlive(claim)) return claim
  return undefined
}

/** When in doubt, yes. */
async function isAlive({ pid, start }: Claim): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = await startOf(pid)
  if (now === 'dead') return false
  return start === null || now === null || Math.abs(now - start) <= DRIFT
}

const isLinux = process.platform === 'linux'

/** In seconds. Some systems count from when they were started, and learn what time that was only by and by. */
const DRIFT = isLinux ? 0 : 10

let known: Promise<number | null> | undefined

function ownStart(): Promise<number | null> {
  known ??= Promise.resolve(startOf(process.pid)).then(start => (start === 'dead' ? null : start))
  return known
}

/** A process that has ended may still be listed, until its parent has looked. */
type Start = number | 'dead' | null

const startOf = (pid: number): Start | Promise<Start> => (isLinux ? startInProc(pid) : startByPs(pid))

/** In ticks since the machine was started. The name of the program, in parentheses, may hold anything. */
function startInProc(pid: number): Start {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Threads may still be at work after the first of them has ended.
    if ('ZX'.includes(state) && Number(fields[16]) <= 1) return 'dead'
    return numberOf(Number(fields[18]))
  } catch {
    return null
  }
}

/** In seconds. It is printed for people: in their language, and in their time zone. */
export async function startByPs(pid: number): Promise<Start> {
  const { execFile } = await import('node:child_process')
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }
  const text = await new Promise<string>(done => {
    execFile('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env }, (_, stdout) => done(stdout))
  })
  const [, state = '', start = ''] = /^\s*(\S+)\s+(.+?)\s*$/.exec(text) ?? []
  return state.startsWith('Z') ? 'dead' : numberOf(Date.parse(`${start} UTC`) / 1000)
}

const numberOf = (value: number): number | null => (Number.isFinite(value) ? value : null)
