import type { ToolUseBlock } from '../../message.ts'
import type { ModelFailure } from '../../model/model.ts'
import type { TerminalReason } from '../output/output.ts'

/** How a run ended. */
export interface Ending {
  readonly reason: TerminalReason
  /** The last words; for an error, what went wrong. */
  readonly text: string
  readonly isError: boolean
  readonly stopReason: string | null
  readonly structured?: unknown
  /** Why the provider gave no answer. */
  readonly failure?: ModelFailure
  /** Calls that somebody has to decide about. */
  readonly deferred?: readonly ToolUseBlock[]
}

/** The last words of a run that somebody ended. */
export const INTERRUPTED = '[Request interrupted by user]'

export const ended = (
  reason: TerminalReason,
  text: string,
  isError: boolean,
  stopReason: string | null = null
): Ending => ({ reason, text, isError, stopReason })
