/** Called when the agent gets it; returns undefined if the agent knows already. */
export type NotificationText = () => string | undefined

/** Events beside the agent's work: tasks that end, hooks that wake it. */
export class Notifications {
  readonly #expected = new Set<Promise<void>>()
  #words: NotificationText[] = []
  onChange: () => void = () => undefined

  expect(coming: Promise<NotificationText | undefined>): void {
    const come = coming
      .then(word => void (word !== undefined && this.#words.push(word)))
      .catch(() => undefined)
      .finally(() => {
        this.#expected.delete(come)
        this.onChange()
      })
    this.#expected.add(come)
  }

  get isExpected(): boolean {
    return this.#expected.size > 0
  }

  take(): string | undefined {
    if (this.#words.length === 0) return undefined
    const words = this.#words.map(word => word()).filter(text => text !== undefined)
    this.#words = []
    return words.length === 0 ? undefined : words.join('\n\n')
  }
}
