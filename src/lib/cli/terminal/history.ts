import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from '../../world/files/own-file.ts'

const MOST = 1000

/** What was asked before, a line each, in a file that nobody else can read. Where that cannot be, it is forgotten. */
export class History {
  readonly #file: string
  readonly #lines: string[]

  constructor(file: string) {
    this.#file = file
    const lines = linesOf(file)
    this.#lines = lines.slice(-MOST)
    if (lines.length > MOST) this.#shorten()
  }

  /** The latest first, as readline wants them. */
  get latest(): string[] {
    return this.#lines.toReversed()
  }

  /** What begins with a blank is not remembered, nor is the same again. */
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
    attempt(() => {
      writeFileSync(next, `${this.#lines.join('\n')}\n`, { mode: 0o600 })
      renameSync(next, this.#file)
    })
  }
}

function linesOf(file: string): readonly string[] {
  try {
    // What was put there by other means must not be able to steer the terminal.
    const text = readFileSync(file, 'utf8').replaceAll(/[^\P{Cc}\t\n]/gu, '')
    return text.split('\n').filter(line => line !== '')
  } catch {
    return []
  }
}

function attempt(write: () => void): void {
  try {
    write()
  } catch {
    // A home that cannot be written to is no reason not to work.
  }
}
