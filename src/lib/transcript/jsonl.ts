import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from '../world/make-folders.ts'
import type { Entry, Line, Log } from './entry.ts'

/** What all lines of a session have in common. */
export interface LogOptions {
  readonly path: string
  readonly sessionId: string
  readonly version: string
  readonly entrypoint: string
  readonly cwd: () => string
  /** Whose file it is, for a subagent's. */
  readonly agentId?: string | undefined
}

/**
 * A file with one JSON object a line. It is opened with its first line, and each line is written whole before the next
 * thing happens.
 */
export class JsonlLog implements Log {
  readonly #options: LogOptions
  #file: number | undefined
  #last: string | null = null

  constructor(options: LogOptions) {
    this.#options = options
  }

  get path(): string {
    return this.#options.path
  }

  append(entry: Entry, uuid: string): void {
    this.#file ??= this.#open()
    const { sessionId, version, entrypoint, cwd, agentId } = this.#options
    const line: Line = {
      ...entry,
      uuid,
      parentUuid: this.#last,
      isSidechain: agentId !== undefined,
      ...(agentId !== undefined && { agentId }),
      timestamp: new Date().toISOString(),
      sessionId,
      cwd: cwd(),
      version,
      userType: 'external',
      entrypoint
    }
    writeWhole(this.#file, `${JSON.stringify(line)}\n`)
    this.#last = uuid
  }

  #open(): number {
    makeFolders(dirname(this.path))
    return openSync(this.path, 'a', 0o600)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** A file system may take less than it was given. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}
