import type { Answer, ModelFailure, ModelRequest, StreamEvent } from '../model/model.ts'
import { failureOf } from '../model/failure.ts'
import { delayFor, withWait } from '../model/retry-delay.ts'
import { pause, within } from './abort.ts'
import type { Session } from './session/session.ts'

/** Asks the model until it has answered, or a retry is pointless. The reader sees every retry. */
export async function askModel(session: Session, signal: AbortSignal): Promise<Answer> {
  const { options, conversation } = session
  const request: ModelRequest = {
    system: session.system,
    messages: conversation.messages,
    tools: session.specs,
    maxTokens: options.limits.maxTokens,
    thinking: options.thinking,
    effort: options.effort,
    outputSchema: options.outputSchema,
    serverTools: options.serverTools.length === 0 ? undefined : options.serverTools
  }
  const onEvent = options.partialMessages
    ? (event: StreamEvent) => session.reader.emit({ type: 'stream_event', event, parent_tool_use_id: null })
    : undefined
  session.doing = 'waiting for the model'
  const begun = performance.now()
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await within(session.model.ask(request, signal, onEvent), signal)
      } catch (error) {
        await beforeRetry(failureOf(error), { attempt, waited: performance.now() - begun }, session, signal)
      }
    }
  } finally {
    session.spending.waited += performance.now() - begun
  }
}

async function beforeRetry(
  failure: ModelFailure,
  { attempt, waited }: { readonly attempt: number; readonly waited: number },
  session: Session,
  signal: AbortSignal
): Promise<void> {
  const { tries } = session.options.limits
  const delay = signal.aborted ? undefined : delayFor(failure, attempt, Math.random(), { waited, tries })
  if (delay === undefined) throw withWait(failure)
  session.reader.emit({
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: tries,
    retry_delay_ms: delay,
    error_status: failure.status ?? null,
    error: failure.why,
    error_details: failure.message
  })
  await pause(delay, session.options.clock, signal)
  if (signal.aborted) throw failure
}
