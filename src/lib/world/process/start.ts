import { startThroughHelper } from './helper.ts'
import { startProcess, type Start } from './process.ts'

/** From here on (resident bytes), starting a process from within costs more than asking the helper to. */
const LARGE = 192 * 1024 * 1024

export type Starter = 'self' | 'helper'

/** How to start a process: as one is told, or in the cheaper way. */
export function startBy(starter: Starter | undefined): Start {
  if (process.platform === 'win32') return startProcess
  const helper = starter === undefined ? isLarge() : starter === 'helper'
  return helper ? startThroughHelper : startProcess
}

let large: boolean | undefined

/** To ask takes time, so it is done while the last process starts: who has grown since is believed small once more. */
function isLarge(): boolean {
  const known = large ?? look()
  setImmediate(look)
  return known
}

function look(): boolean {
  try {
    return (large = process.memoryUsage.rss() > LARGE)
  } catch {
    // Without descriptors to spare not even this can be asked.
    return false
  }
}
