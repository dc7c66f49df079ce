import type { Entry } from './dispatch/entry.ts'
import type { EventName } from './events/event-table.ts'
import { Failed, type AddedContext, type Failure, type Said, type SystemMessage } from './dispatch/outcome.ts'
import type { Later } from './reply.ts'
import type { Run } from './dispatch/run.ts'

/** Work that goes on after its hook has answered. Nothing here can fail a fire or the process. */
export class Background {
  readonly #work = new Set<Promise<void>>()
  /** Answers that were announced for a limited time. */
  readonly #announced = new Set<Promise<void>>()

  spawn(work: PromiseLike<unknown>, onError: (message: string) => void, isAnnounced = false): void {
    const settled: Promise<void> = Promise.resolve(work)
      .then(() => undefined)
      .catch(error => onError(Failed.from(error).message))
      .finally(() => this.#work.delete(settled) && this.#announced.delete(settled))
    this.#work.add(settled)
    if (isAnnounced) this.#announced.add(settled)
  }

  announced(): Promise<unknown> | undefined {
    return this.#announced.size === 0 ? undefined : Promise.all(this.#announced)
  }

  /** Waits until nothing is left, also of what was begun meanwhile. */
  async drain(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}

/** An answer that came after its event had gone on. */
export interface LateAnswer {
  readonly by: string
  readonly event: EventName
  readonly sessionId: string
  readonly contexts: readonly AddedContext[]
  readonly systemMessages: readonly SystemMessage[]
  readonly failure: Failure | undefined
}

/**
 * Follows an answer that its event does not wait for. What comes in time is handed to `onLate`: context and
 * system messages only, since what it might have decided has already happened.
 */
export function answerLater(run: Run, entry: Entry, later: Later): void {
  const { hub } = run
  const session = run.base('session_id')
  const tell = async (said: Said | undefined, failed: Failed | undefined): Promise<void> => {
    const failure = failed && { by: entry.name, kind: failed.kind, message: failed.message, failedOpen: false }
    run.trace?.end(entry, failure === undefined ? 'answered' : 'failed', undefined, failure)
    const { contexts = [], systemMessages = [] } = said?.rest ?? {}
    const answer: LateAnswer = {
      by: entry.name,
      event: entry.event,
      sessionId: session,
      contexts,
      systemMessages,
      failure
    }
    if (said?.decision !== undefined)
      run.trace?.note(entry, 'decided after its event had gone on; the decision was dropped')
    if (failure !== undefined || contexts.length > 0 || systemMessages.length > 0) await hub.settings.onLate?.(answer)
  }
  const told = inTime(run, entry, later).then(
    said => tell(said, undefined),
    error => tell(undefined, Failed.from(error))
  )
  const isAnnounced = later.announced === 'limited' && entry.profile === 'strict'
  hub.background.spawn(told, message => run.trace?.note(entry, `onLate failed: ${message}`), isAnnounced)
}

/** The decoded answer, if it comes in time. Hooks from files have no limit here. */
async function inTime(run: Run, entry: Entry, later: Later): Promise<Said | undefined> {
  const { clock } = run.hub.settings
  const patience = entry.dialect === 'contract' ? undefined : (later.patience ?? entry.patience)
  let cancel = (): void => undefined
  const limit = new Promise<never>((_, reject) => {
    if (patience === undefined) return
    cancel = clock.after(patience, () => reject(new Failed('timeout', `gave no answer within ${patience / 1000} s`)))
  })
  try {
    return run.tally.read(entry, await Promise.race([later.promise, limit]))
  } finally {
    cancel()
  }
}
