import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'

/** So much is written at once, in characters. */
const PIECE = 1 << 14

/** Where nobody has chosen one: less, as far as it is there. */
const USUAL = 'if command -v less >/dev/null; then exec less; else exec cat; fi'

/**
 * Prints pieces of text as they are made, no faster than they are read. A reader who goes away, as `head` does, or who
 * leaves the pager, ends it. At a terminal, `$PAGER` shows them.
 */
export async function pageOut(pieces: Iterable<string>, mayPage: boolean): Promise<void> {
  // Nothing of a long file is kept, and V8 would keep what is no longer used for as long as there is room.
  setFlagsFromString('--optimize-for-size')
  const { PAGER = USUAL, LESS = 'FRX', LESSCHARSET = 'utf-8' } = process.env
  if (!mayPage || !process.stdout.isTTY || PAGER.trim() === '') return writeAll(pieces, process.stdout)
  const pager = spawn('sh', ['-c', PAGER], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...process.env, LESS, LESSCHARSET }
  })
  const ended = new Promise(resolve => pager.on('close', resolve).on('error', resolve))
  pager.stdin.on('error', () => undefined)
  await writeAll(pieces, pager.stdin)
  pager.stdin.end()
  await ended
}

async function writeAll(pieces: Iterable<string>, to: Writable): Promise<void> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE) continue
    if (!(await isWritten(text, to))) return
    text = ''
  }
  await isWritten(text, to)
}

/** Waits until it was taken; false where nobody reads any more. */
const isWritten = (text: string, to: Writable): Promise<boolean> =>
  new Promise(resolve => {
    if (to.destroyed) resolve(false)
    else to.write(text, error => resolve(error === null || error === undefined))
  })
