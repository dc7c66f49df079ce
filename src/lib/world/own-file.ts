import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from './make-folders.ts'

/** Puts a file of ours in place of the one that is there, if there is one: whole or not at all, for the user alone. */
export function putOwnFile(path: string, text: string): void {
  const fresh = written(path, text, true)
  try {
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** The same where there is none yet. False: somebody else was first, and theirs stays. */
export function addOwnFile(path: string, text: string): boolean {
  const fresh = written(path, text, false)
  try {
    // Unlike renaming, a hard link never replaces anything.
    linkSync(fresh, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Theirs may be gone again by now.
    if (code === 'EEXIST' || lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false
    // Some file systems have no hard links.
    if (!NO_LINKS.has(code)) throw error
    renameSync(fresh, path)
    return true
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** Changes a file of ours while nobody else does: what is made of its text, if it has one, takes its place. */
export function changeOwnFile(path: string, change: (text: string | undefined) => string): void {
  const turn = `${path}.turn`
  takeTurn(turn)
  try {
    putOwnFile(path, change(textOf(path)))
  } finally {
    rmSync(turn, { force: true })
  }
}

/** A change takes a few milliseconds: whoever has had the turn for so long has died, in milliseconds. */
const DEAD = 10_000
const PAUSE = 2

/** Waits for our turn, however many want theirs. */
function takeTurn(turn: string): void {
  while (!addOwnFile(turn, '')) {
    const since = lstatSync(turn, { throwIfNoEntry: false })?.mtimeMs
    if (since !== undefined && Date.now() - since > DEAD) takeAway(turn)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
  }
}

/** Two may see that somebody has died: only what is that old is taken away, and by one of them. */
function takeAway(turn: string): void {
  const aside = `${turn}.${randomUUID()}`
  try {
    renameSync(turn, aside)
    if (Date.now() - lstatSync(aside).mtimeMs <= DEAD) linkSync(aside, turn)
  } catch {
    // Somebody else was first.
  } finally {
    rmSync(aside, { force: true })
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])

function written(path: string, text: string, flush: boolean): string {
  makeFolders(dirname(path))
  const fresh = `${path}.${randomUUID()}`
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush })
  chmodSync(fresh, 0o600)
  return fresh
}
