import { wordsOf } from '../errors.ts'

/** Work that goes on after its hook has answered. Nothing here can fail a fire or the process. */
export class Background {
  readonly #work = new Set<Promise<void>>()

  spawn(work: PromiseLike<unknown>, onError: (message: string) => void): void {
    const settled: Promise<void> = Promise.resolve(work)
      .then(() => undefined)
      .catch(error => onError(wordsOf(error)))
      .finally(() => this.#work.delete(settled))
    this.#work.add(settled)
  }

  /** Waits until nothing is left, also of what was begun meanwhile. */
  async drain(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }
}
