/** Work that is done one after the other under each key, in this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs this when all that came before it under the same key is done, however that ended. */
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
