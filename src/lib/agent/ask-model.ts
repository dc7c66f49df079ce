import type { Answer, Model, ModelFailure, ModelRequest, StreamEvent } from '../model/model.ts'
import { failureOf } from '../model/failure.ts'
import { delayFor, withWait } from '../model/retry-delay.ts'
import { pause, within } from './abort.ts'
import { hears, judgeRequest, shownFailure } from './model-gate.ts'
import type { Ending } from './session/ending.ts'
import type { Session } from './session/session.ts'

/** An answer, and who gave it. */
export interface Asked {
  readonly answer: Answer
  readonly model: Model
  /** The reader waits for its parts. */
  readonly isHeld: boolean
}

/**
 * Asks the model until it has answered, or a retry is pointless. The reader sees every retry. Hooks judge the request
 * once; if they refuse it, that is the end.
 */
export async function askModel(session: Session, signal: AbortSignal): Promise<Asked | Ending> {
  const { options, conversation } = session
  const plain: ModelRequest = {
    system: session.system,
    messages: conversation.messages,
    tools: session.specs,
    maxTokens: options.limits.maxTokens,
    thinking: options.thinking,
    effort: options.effort,
    outputSchema: options.outputSchema,
    serverTools: options.serverTools.length === 0 ? undefined : options.serverTools
  }
  const step = hears(session, 'PreModelRequest') ? await judgeRequest(plain, 'turn', session, signal) : undefined
  if (step !== undefined && 'reason' in step) return step
  const { model, request, append } = step ?? { model: session.model, request: plain }
  for (const { content } of append ?? []) conversation.add({ role: 'user', content }, { synthetic: true })
  session.offered = request.tools === plain.tools ? undefined : request.tools.map(({ name }) => name)
  const isHeld = options.partialMessages && (options.holdOutput || hears(session, 'PostModelResponse', true))
  const onEvent =
    options.partialMessages && !isHeld
      ? (event: StreamEvent) => session.reader.emit({ type: 'stream_event', event, parent_tool_use_id: null })
      : undefined
  session.doing = 'waiting for the model'
  const begun = performance.now()
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await within(model.ask(request, signal, onEvent), signal)
        session.asked = begun
        return { answer, model, isHeld }
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
    max_retries: tries - 1,
    retry_delay_ms: delay,
    error_status: failure.status ?? null,
    error: failure.why,
    error_details: shownFailure(failure, session).message
  })
  await pause(delay, session.options.clock, signal)
  if (signal.aborted) throw failure
}
