import type { ModelFailure } from '../../model/model.ts'
import type { Ending } from '../session/ending.ts'
import type { Session } from '../session/session.ts'
import type { ErrorSubtype, ResultMessage } from './agent-messages.ts'
import { randomUuid } from '../../transcript/log.ts'

export interface Since {
  readonly turns: number
  readonly denials: number
  readonly at: number
}

export const sinceNow = ({ turns, denials }: Session): Since => ({
  turns,
  denials: denials.length,
  at: performance.now()
})

const SUBTYPES: Partial<Record<Ending['reason'], ErrorSubtype>> = {
  max_turns: 'error_max_turns',
  budget_exhausted: 'error_max_budget_usd',
  structured_output_retry_exhausted: 'error_max_structured_output_retries',
  aborted_streaming: 'error_during_execution',
  aborted_tools: 'error_during_execution',
  start_blocked: 'error_during_execution',
  request_blocked: 'error_during_execution',
  response_blocked: 'error_during_execution',
  turn_setup_failed: 'error_during_execution'
}

export function resultMessage(
  ending: Ending,
  session: Pick<Session, 'id' | 'turns' | 'denials' | 'spending'>,
  since: Since = { turns: 0, denials: 0, at: performance.now() }
): ResultMessage {
  const { spending } = session
  const { reason, text, isError, stopReason, failure } = ending
  const deferred = (ending.deferred ?? []).map(({ id, name, input }) => ({ id, name, input }))
  const [first] = deferred
  const subtype = SUBTYPES[reason]
  return {
    type: 'result',
    ...(subtype === undefined
      ? { subtype: 'success', ...(isError && { errors: [text] }) }
      : { subtype, errors: [text] }),
    is_error: isError,
    result: text,
    terminal_reason: reason,
    stop_reason: stopReason,
    num_turns: session.turns - since.turns,
    duration_ms: Math.round(performance.now() - since.at),
    duration_api_ms: Math.round(spending.waited),
    total_cost_usd: spending.dollars,
    usage: spending.usage,
    modelUsage: spending.byModel(),
    permission_denials: session.denials.slice(since.denials),
    ...(failure !== undefined && apiError(failure)),
    ...('structured' in ending && { structured_output: ending.structured }),
    ...(first !== undefined && { deferred_tool_use: first }),
    ...(deferred.length > 1 && { deferred_tool_uses: deferred }),
    uuid: randomUuid(),
    session_id: session.id
  }
}

const apiError = ({ why, status, code, requestId, retryAfter }: ModelFailure): Pick<ResultMessage, 'api_error'> => ({
  api_error: {
    error: why,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(retryAfter !== undefined && { retry_after_ms: retryAfter })
  }
})
