import type { EventName } from './events/event-table.ts'
import { Failed, type AddedContext, type Failure, type SystemMessage } from './dispatch/outcome.ts'

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
