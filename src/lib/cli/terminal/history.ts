import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { makeFolders } from '../../world/files/own-file.ts'

const MOST = 1000

/** Earlier prompts, one per line, in a file that only the user can read. Where it cannot be written, nothing is kept. */
export class History {
  readonly #file: string
  readonly #lines: string[]

  constructor(file: string) {
    this.#file = file
    // What was put there by other means must not be able to steer the terminal.
    const text = attempt(() => readFileSync(file, 'utf8').replaceAll(/[^\P{Cc}\t\n]/gu, '')) ?? ''
    const lines = text.split('\n').filter(line => line !== '')
    this.#lines = lines.slice(-MOST)
    if (lines.length > MOST) attempt(() => this.#shorten())
  }

  get latest(): string[] {
    return this.#lines.toReversed()
  }

  /** A line that begins with a blank is not kept, nor is a repetition of the last one. */
  add(line: string): void {
    if (line.trim() === '' || line.startsWith(' ') || line === this.#lines.at(-1)) return
    this.#lines.push(line)
    attempt(() => {
      makeFolders(dirname(this.#file))
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 })
    })
  }

  #shorten(): void {
    const next = `${this.#file}.${process.pid}`
    writeFileSync(next, `${this.#lines.join('\n')}\n`, { mode: 0o600 })
    renameSync(next, this.#file)
  }
}
