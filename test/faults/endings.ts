/** The ways in which a process that uses hooks may end. In each of them, no process that a hook started is left. */
export interface Ending {
  /** The command for the driver. */
  readonly how: string
  readonly words: string
  /** Its exit code, or the signal that ended it. */
  readonly end: number | NodeJS.Signals
  readonly signal?: NodeJS.Signals
}

const bySignal = (signal: NodeJS.Signals): Ending => ({ how: 'wait', words: `${signal} ends it`, end: signal, signal })

export const ENDINGS: readonly Ending[] = [
  { how: 'close', words: '`place.close()`, and it ends by itself', end: 0 },
  { how: 'abort', words: 'the run is aborted, and it ends by itself', end: 0 },
  { how: 'drain', words: 'nothing is left to do, and it ends by itself', end: 0 },
  { how: 'exit', words: '`process.exit()`', end: 0 },
  { how: 'throw', words: 'an uncaught exception', end: 1 },
  { how: 'reject', words: 'an unhandled rejection', end: 1 },
  bySignal('SIGINT'),
  bySignal('SIGTERM'),
  bySignal('SIGHUP'),
  bySignal('SIGKILL')
]
