import type { Later } from '../reply.ts'
import type { HookEntry } from './entry.ts'
import { HookFailure, timeoutMessage } from './hook-failure.ts'
import type { DecodedReply } from './outcome.ts'
import type { Run } from './run.ts'

/**
 * Follows an answer that its event does not wait for. An answer in time is handed to `onLate`: context and system
 * messages only, since the event has already been decided.
 */
export function followLate(run: Run, entry: HookEntry, later: Later): void {
  const { registry, sessionId, trace } = run
  const report = async (reply: DecodedReply | undefined, failed: HookFailure | undefined): Promise<void> => {
    const { name: by, event } = entry
    const failure = failed && { by, kind: failed.kind, message: failed.message, failedOpen: false }
    trace?.end(entry, failure === undefined ? 'answered' : 'failed', undefined, failure)
    const { contexts = [], systemMessages = [] } = reply?.extras ?? {}
    if (reply?.decision !== undefined) trace?.note(entry, 'decided too late; the decision was dropped')
    if (failure !== undefined || contexts.length > 0 || systemMessages.length > 0)
      await registry.settings.onLate?.({ by, event, sessionId, contexts, systemMessages, failure })
  }
  const reported = answerInTime(run, entry, later).then(
    reply => report(reply, undefined),
    error => report(undefined, HookFailure.from(error))
  )
  const isAnnounced = later.announced === 'limited' && entry.profile === 'strict'
  registry.background.spawn(reported, message => trace?.note(entry, `onLate failed: ${message}`), isAnnounced)
}

/** The decoded answer, if it comes in time. Hooks from files have no limit here. */
async function answerInTime(run: Run, entry: HookEntry, later: Later): Promise<DecodedReply | undefined> {
  const { clock } = run.registry.settings
  const patience = entry.dialect === 'contract' ? undefined : (later.patience ?? entry.patience)
  let cancel = (): void => undefined
  const limit = new Promise<never>((_, reject) => {
    if (patience === undefined) return
    cancel = clock.after(patience, () => reject(new HookFailure('timeout', timeoutMessage(patience))))
  })
  try {
    return run.tally.read(entry, await Promise.race([later.promise, limit]))
  } finally {
    cancel()
  }
}
