import { fstatSync, writeSync } from 'node:fs'
import { attempt } from '../util/attempt.ts'

/** Watches standard output. The result waits until everything was printed, and returns what was lost, if anything. */
export function watchOutput(): () => Promise<Error | undefined> {
  const { stdout } = process
  let lost: Error | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `carabiner hooks list | head` is not an error, nor is a terminal that was closed.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') lost ??= error
  })
  if (isFile(stdout.fd)) stdout._write = writeWhole(stdout.fd)
  return async () => {
    // A full disk rejects even an empty write.
    if (stdout.writableLength > 0) await new Promise<unknown>(resolve => ownWrite('', resolve))
    // The error of a write is emitted after the write itself has returned.
    await new Promise(resolve => setImmediate(resolve))
    return lost
  }
}

const ownWrite = process.stdout.write.bind(process.stdout)

export const writeOutput = (text: string): void => void ownWrite(text)

/** Settles when it was written: no faster than it is read. */
export const writeSlowly = (text: string): Promise<unknown> => new Promise(resolve => ownWrite(text, resolve))

/** Keeps standard output for `writeOutput`, where programs read it: what hooks print there goes to standard error. */
export function reserveOutput(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr)
}

/** A nearly full disk writes a part, which Node takes for the whole. */
const writeWhole =
  (file: number): typeof process.stdout._write =>
  (chunk: Buffer, _, done) => {
    try {
      for (let from = 0; from < chunk.length;) from += writeSync(file, chunk, from)
    } catch (error) {
      return done(error as Error)
    }
    done()
  }

const isFile = (descriptor: number): boolean => attempt(() => fstatSync(descriptor))?.isFile() === true

/** How long to wait for the first byte of a pipe, in milliseconds. */
const SILENCE_LIMIT = 3000

export async function readPipedText(onSilence?: () => void): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY || !mayHoldText(0)) return ''
  const pieces: Buffer[] = []
  let isSilent = false
  const giveUp = (): void => {
    isSilent = true
    stdin.destroy()
  }
  const timer = onSilence && setTimeout(giveUp, SILENCE_LIMIT)
  try {
    for await (const piece of stdin) {
      clearTimeout(timer)
      pieces.push(piece as Buffer)
    }
  } catch (error) {
    if (!isSilent) throw error
  } finally {
    clearTimeout(timer)
  }
  if (isSilent) onSilence?.()
  return Buffer.concat(pieces).toString()
}

/** `/dev/null` and a closed input are empty. */
const mayHoldText = (descriptor: number): boolean => attempt(() => fstatSync(descriptor))?.isCharacterDevice() === false
