import { fstatSync } from 'node:fs'
import { attempt } from '../util/attempt.ts'

/** How long to wait for the first byte of a pipe, in milliseconds. */
const SILENCE_LIMIT = 3000

/** What was piped in. With `onSilence`, a pipe from which nothing comes is given up, and `onSilence` called. */
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

/** `/dev/null` and a closed input hold nothing. */
const mayHoldText = (descriptor: number): boolean => attempt(() => fstatSync(descriptor))?.isCharacterDevice() === false
