import type { Entry, Log } from './entry.ts'

/** A log that lives as long as the process. */
export class MemoryLog implements Log {
  readonly path = ''
  readonly entries: Entry[] = []

  append(entry: Entry): void {
    this.entries.push(entry)
  }

  close(): void {
    // There is nothing to close.
  }
}
