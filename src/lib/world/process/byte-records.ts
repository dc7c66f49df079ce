interface RecordOptions {
  readonly separator: number
  readonly longest: number
  take(record: Buffer): void
  onTooLong?(): void
}

export class ByteRecords {
  count = 0
  isOver = false
  readonly #options: RecordOptions
  #pieces: Buffer[] = []
  #size = 0

  constructor(options: RecordOptions) {
    this.#options = options
  }

  add(chunk: Buffer): void {
    const { separator, longest, take } = this.#options
    let from = 0
    for (let at = chunk.indexOf(separator); at !== -1 && !this.isOver; at = chunk.indexOf(separator, from)) {
      this.#keep(chunk.subarray(from, at))
      from = at + 1
      const record = this.#size > longest ? undefined : Buffer.concat(this.#pieces)
      this.#pieces = []
      this.#size = 0
      this.count++
      if (record !== undefined && !this.isOver) take(record)
    }
    if (!this.isOver) this.#keep(chunk.subarray(from))
  }

  #keep(piece: Buffer): void {
    const { longest, onTooLong } = this.#options
    const isFirst = this.#size <= longest
    this.#size += piece.length
    if (this.#size <= longest) this.#pieces.push(piece)
    else this.#pieces = []
    if (isFirst && this.#size > longest) onTooLong?.()
  }
}
