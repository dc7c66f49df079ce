import { randomBytes } from 'node:crypto'
import { startThroughHelper } from './helper.ts'
import { startProcess, type Program, type Start } from './process.ts'

/** From here on (resident bytes), starting a process from within costs more than asking the helper to. */
const LARGE = 192 * 1024 * 1024

/** Who starts a process. */
export type Starter = 'self' | 'helper'

/** How to start a process: as one is told, or in the cheaper way. */
export function startBy(starter: Starter | undefined): Start {
  if (process.platform === 'win32') return startProcess
  const helper = starter === undefined ? isLarge() : starter === 'helper'
  return helper ? startThroughHelper : startProcess
}

/** Without descriptors to spare not even this can be asked. */
function isLarge(): boolean {
  try {
    return process.memoryUsage.rss() > LARGE
  } catch {
    return false
  }
}

/** Of this process; with a number behind it, of one that it starts. None is the beginning of another. */
const OURS = randomBytes(6)
  .toString('base64url')
  .replaceAll(/[^A-Za-z0-9]/g, 'q')
let started = 0

/** The same program, to be told apart from others that run it. */
export function withCookie(program: Program): Program {
  const cookie = `${OURS}.${++started}x`
  return { ...program, cookie, env: { ...program.env, CARABINER_RUN: cookie } }
}
