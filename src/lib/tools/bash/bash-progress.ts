/** What is told at a time. */
const MOST = 4_000

/**
 * Tells people of new lines: of each at first, and of fewer the more there are, so that a flood is a few hundred
 * messages, whatever its size.
 */
export class Progress {
  readonly #tell: (text: string) => void
  #pending = ''
  #total = 0
  #next = 0

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  add(text: string): void {
    this.#total += text.length
    this.#pending = (this.#pending + text).slice(-MOST)
    const end = this.#pending.lastIndexOf('\n')
    if (end === -1 || this.#total < this.#next) return
    this.#tell(this.#pending.slice(0, end).toWellFormed())
    this.#pending = this.#pending.slice(end + 1)
    this.#next = this.#total + this.#total / 16
  }
}
