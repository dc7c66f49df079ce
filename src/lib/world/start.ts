import { startThroughHelper } from './helper.ts'
import { startProcess, type Start } from './process.ts'

/** From here on (resident bytes), starting a process from within costs more than asking the helper to. */
const LARGE = 192 * 1024 * 1024

/** Starts a process in the cheaper way. */
export const start: Start = (program, listener) =>
  process.memoryUsage.rss() > LARGE && process.platform !== 'win32'
    ? startThroughHelper(program, listener)
    : startProcess(program, listener)
