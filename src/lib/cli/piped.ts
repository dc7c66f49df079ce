import { fstatSync } from 'node:fs'
import { attempt } from '../util/attempt.ts'

/** How long a pipe that nobody seems to write to is waited for, in milliseconds. */
const PATIENCE = 3000

/** What was piped in. With `onSilence` a pipe that stays silent is not waited for; it is called, and nothing came. */
export async function pipedText(onSilence?: () => void): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY || !mayBring(0)) return ''
  const pieces: Buffer[] = []
  let isSilent = false
  const giveUp = (): void => {
    isSilent = true
    stdin.destroy()
  }
  const patience = onSilence && setTimeout(giveUp, PATIENCE)
  try {
    for await (const piece of stdin) {
      clearTimeout(patience)
      pieces.push(piece as Buffer)
    }
  } catch (error) {
    if (!isSilent) throw error
  } finally {
    clearTimeout(patience)
  }
  if (isSilent) onSilence?.()
  return Buffer.concat(pieces).toString()
}

/** `/dev/null` and a closed input bring nothing. */
const mayBring = (descriptor: number): boolean => attempt(() => fstatSync(descriptor))?.isCharacterDevice() === false
