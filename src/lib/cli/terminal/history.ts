import { appendFileSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import { changeOwnFile } from '../../world/lock/lock.ts'

const MOST = 1000

/** Earlier prompts, one per line, in a file that only the user can read. If it cannot be written, nothing is kept. */
export class History {
  readonly #file: string
  readonly #lines: string[]

  constructor(file: string) {
    this.#file = file
    const lines = linesIn(attempt(() => readFileSync(file, 'utf8')))
    this.#lines = lines.slice(-MOST)
    // Another terminal may have added to it since.
    if (lines.length > MOST) attempt(() => changeOwnFile(file, text => `${linesIn(text).slice(-MOST).join('\n')}\n`))
  }

  get latest(): string[] {
    return this.#lines.toReversed()
  }

  /** A line that starts with a blank is not kept, nor is a repetition of the last one. */
  add(line: string): void {
    if (line.trim() === '' || line.startsWith(' ') || line === this.#lines.at(-1)) return
    this.#lines.push(line)
    attempt(() => {
      makeFolders(dirname(this.#file))
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 })
    })
  }
}

/** Text that another program put there must not be able to control the terminal. */
const linesIn = (text = ''): string[] =>
  text
    .replaceAll(/[^\P{Cc}\t\n]/gu, '')
    .split('\n')
    .filter(line => line !== '')
