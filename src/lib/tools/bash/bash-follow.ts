import type { Ended, Running } from '../../world/process/process.ts'
import type { Output } from './bash-output.ts'

/** How a command ended. After `timeout`, `flood` or `aborted`, its process may still be running. */
export interface CommandEnding {
  readonly why: 'ended' | 'aborted' | 'timeout' | 'flood'
  readonly ended?: Ended | undefined
}

/** In milliseconds. A stopped command is waited for this long; KILL is sent before that. */
const PATIENCE = 4_000

export function follow(
  running: Running,
  output: Output,
  timeout: number,
  signal?: AbortSignal
): Promise<CommandEnding> {
  return new Promise(resolve => {
    let why: CommandEnding['why'] = 'ended'
    let patience: NodeJS.Timeout | undefined
    const settle = (ended?: Ended): void => {
      clearTimeout(limit)
      clearTimeout(patience)
      signal?.removeEventListener('abort', abort)
      resolve({ why, ended })
    }
    const stop = (reason: 'timeout' | 'flood'): void => {
      if (why !== 'ended') return
      why = reason
      running.end()
      patience = setTimeout(settle, PATIENCE)
    }
    const abort = (): void => {
      if (why === 'ended') why = 'aborted'
      running.end()
      settle()
    }
    const limit = setTimeout(stop, timeout, 'timeout')
    output.onFlood = () => stop('flood')
    void running.ended.then(settle)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
  })
}
