import type { ResultMessage } from '../agent/output/agent-messages.ts'
import type { Session } from '../agent/session/session.ts'
import { NUDGE, type Prompt, type Prompts } from './prompts.ts'

/** How long a session without further prompts waits for background work, in milliseconds. */
const LONGEST_WAIT = 600_000
const LONG_WAIT = 5_000
const WAITING = 'Waiting for background work, for at most 10 minutes.'
const STILL_RUNNING =
  'Background work did not end within 10 minutes and is stopped: let it end by itself, or do not start it in the background.'

/** How often notifications start a turn without a prompt in between: a hook may wake the agent whenever it stops. */
const MOST_WOKEN_TURNS = 50

export class TurnSource {
  readonly #prompts: Prompts
  readonly #signal: AbortSignal
  #wokenTurns = 0
  isLeaving = false

  constructor(prompts: Prompts, signal: AbortSignal) {
    this.#prompts = prompts
    this.#signal = signal
  }

  /** Undefined when neither a prompt nor a notification will come. */
  async next(session: Session, result: ResultMessage | undefined): Promise<Prompt | undefined> {
    const { notifications } = session
    let isTooLong = false
    let cancel: (() => void) | undefined
    try {
      for (;;) {
        if (this.#signal.aborted && result !== undefined) return undefined
        const canWake =
          result?.is_error !== true && result?.deferred_tool_use === undefined && this.#wokenTurns < MOST_WOKEN_TURNS
        const notification = canWake ? notifications.take() : undefined
        if (notification !== undefined) {
          this.#wokenTurns++
          return notification
        }
        const isAwaited = notifications.isExpected && canWake && !isTooLong && !this.isLeaving
        if (isAwaited && this.#prompts.areOver) cancel ??= this.#limitWaiting(session, () => (isTooLong = true))
        const next = await this.#prompts.next(isAwaited)
        if (next === NUDGE) continue
        this.#wokenTurns = 0
        return next
      }
    } finally {
      cancel?.()
    }
  }

  #limitWaiting({ reader, options: { clock } }: Session, giveUp: () => void): () => void {
    const warn = clock.after(LONG_WAIT, () => reader.notice(WAITING, 'warning'))
    const end = clock.after(LONGEST_WAIT, () => {
      giveUp()
      reader.notice(STILL_RUNNING, 'warning')
      this.#prompts.nudge()
    })
    return () => (warn(), end())
  }
}
