/** A queue per key, within this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs this after everything queued before under the same key has settled. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work)
    this.#last.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
  }
}
