import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

/** How many characters are written at once. */
const PIECE = 1 << 14

/** The default pager: less where it is installed. */
const USUAL = 'if command -v less >/dev/null; then exec less; else exec cat; fi'

/** Prints no faster than it is read, through `$PAGER` at a terminal. Ends when the reader does, as with `head`. */
export async function writePaged(pieces: Iterable<string>, mayPage: boolean): Promise<void> {
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
  // Each write reuses the same buffer: V8 would free separate ones only at the next garbage collection.
  const room = Buffer.allocUnsafeSlow(4 * PIECE)
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < PIECE) continue
    if (!(await isWritten(text, room, to))) return
    text = ''
  }
  await isWritten(text, room, to)
}

/** Waits until everything was written; false if there is no reader any more. */
async function isWritten(text: string, room: Buffer, to: Writable): Promise<boolean> {
  for (let rest = text; rest !== '' && !to.destroyed;) {
    const { read, written } = ENCODER.encodeInto(rest, room)
    const error = await new Promise(resolve => to.write(room.subarray(0, written), resolve))
    if (error !== null && error !== undefined) return false
    rest = rest.slice(read)
  }
  return !to.destroyed
}

const ENCODER = new TextEncoder()
