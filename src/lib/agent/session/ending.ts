import type { ToolUseBlock } from '../../message.ts'
import type { ModelFailure } from '../../model/model.ts'
import type { TerminalReason } from '../output/agent-messages.ts'

export interface Ending {
  readonly reason: TerminalReason
  readonly text: string
  readonly isError: boolean
  readonly stopReason: string | null
  readonly structured?: unknown
  readonly failure?: ModelFailure
  readonly deferred?: readonly ToolUseBlock[]
}

export const INTERRUPTED = '[Request interrupted by user]'

export const ended = (
  reason: TerminalReason,
  text: string,
  isError: boolean,
  stopReason: string | null = null
): Ending => ({ reason, text, isError, stopReason })
