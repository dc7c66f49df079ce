import { HookFailure } from './dispatch/hook-failure.ts'

/** Work that continues after its hook has answered. Its failures affect neither a fire nor the process. */
export class SpawnedWork {
  readonly #work = new Set<Promise<void>>()
  readonly #announced = new Set<Promise<void>>()

  spawn(work: PromiseLike<unknown>, onError: (message: string) => void, isAnnounced = false): void {
    const settled: Promise<void> = Promise.resolve(work)
      .then(() => undefined)
      .catch(error => onError(HookFailure.from(error).message))
      .finally(() => this.#work.delete(settled) && this.#announced.delete(settled))
    this.#work.add(settled)
    if (isAnnounced) this.#announced.add(settled)
  }

  announced(): Promise<unknown> | undefined {
    return this.#announced.size === 0 ? undefined : Promise.all(this.#announced)
  }

  /** Waits until all work has ended, including work that starts meanwhile. */
  async drain(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}
