import { wordsOf } from '../errors.ts'
import { decode } from './decode.ts'
import type { Entry } from './entry.ts'
import type { LateAnswer } from './messages.ts'
import { Failed, type Said } from './outcome.ts'
import type { Later } from './reply.ts'
import type { Run } from './run.ts'
import { baseField } from './view.ts'

/**
 * Follows an answer that its event does not wait for. What comes in time is handed to `onLate`: context and
 * system messages only, since what it might have decided has already happened.
 */
export function answerLater(run: Run, entry: Entry, later: Later): void {
  const { hub } = run
  const session = baseField(run, 'session_id')
  const tell = (said: Said | undefined, failed: Failed | undefined): void => {
    const failure = failed && { by: entry.name, kind: failed.kind, message: failed.message, failedOpen: false }
    run.trace?.end(entry, failure === undefined ? 'answered' : 'failed', undefined, failure)
    const { contexts = [], systemMessages = [] } = said?.rest ?? {}
    const answer: LateAnswer = { by: entry.name, event: entry.event, sessionId: session, contexts, systemMessages, failure }
    if (failure !== undefined || contexts.length > 0 || systemMessages.length > 0) hub.settings.onLate?.(answer)
    if (said?.decision !== undefined) run.trace?.note(entry, 'decided after its event had gone on; the decision was dropped')
  }
  const told = inTime(run, entry, later).then(
    said => tell(said, undefined),
    error => tell(undefined, asFailed(error))
  )
  hub.background.spawn(told, message => run.trace?.note(entry, `onLate failed: ${message}`))
}

const asFailed = (error: unknown): Failed => (error instanceof Failed ? error : new Failed('threw', wordsOf(error)))

/** The decoded answer, if it comes in time. Hooks from files have no limit here. */
async function inTime(run: Run, entry: Entry, later: Later): Promise<Said | undefined> {
  const { clock } = run.hub.settings
  const patience = entry.dialect === 'contract' ? undefined : later.patience
  let cancel = (): void => undefined
  const limit = new Promise<never>((_, reject) => {
    if (patience === undefined) return
    cancel = clock.after(patience, () => reject(new Failed('timeout', `gave no answer within ${patience / 1000} s`)))
  })
  try {
    const raw = await Promise.race([later.promise, limit])
    return decode(raw, entry, run.trace)
  } finally {
    cancel()
  }
}
