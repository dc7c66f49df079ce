import { dirname } from 'node:path'
import { errorMessage } from '../errors.ts'
import { fault } from '../faults.ts'
import type { Lock } from '../world/lock/lock.ts'
import type { Chain } from './chain.ts'
import type { Disk } from './disk.ts'
import type { Rec } from './entry.ts'
import { writeAll } from './file.ts'
import { seal, sealText } from './seal.ts'
import type { TranscriptWriter } from './store.ts'

interface Start {
  readonly last: number
  readonly isTorn: boolean
  /** Folders to sync with the first line, so that the file's name is durable; then `onNamed` is called. */
  readonly folders: readonly string[]
  readonly onNamed?: () => void
  /** Signs each line. */
  readonly chain?: Chain | undefined
}

/**
 * Appends lines to a file. A line is written whole before `write` returns, so that hooks can read it; it is durable
 * once `flush` has settled. Concurrent flushes share one sync. After any failure nothing more is written: memory and
 * disk may then differ, and only a restart can tell what is on disk.
 */
export class Appender implements TranscriptWriter {
  readonly #path: string
  readonly #disk: Disk
  readonly #start: Start
  #file: number | undefined
  #last: number
  #failure: Error | undefined
  #written = 0
  #safe = 0
  /** Duration of the last sync, in milliseconds. */
  #took = Number.POSITIVE_INFINITY
  #syncing: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(path: string, disk: Disk, start: Start) {
    this.#path = path
    this.#disk = disk
    this.#start = start
    this.#last = start.last
  }

  get last(): number {
    return this.#last
  }

  write(entry: Rec, json?: string): void {
    if (this.#failure !== undefined) throw this.#failure
    const { chain } = this.#start
    const line = json === undefined ? seal(entry, this.#last + 1, chain) : sealText(json, this.#last + 1, chain)
    try {
      if (!Number.isSafeInteger(this.#last + 1)) throw new Error('it has reached the highest sequence number')
      this.#file ??= this.#open()
      const isTorn = this.#written === 0 && this.#start.isTorn
      writeAll(this.#file, isTorn ? Buffer.concat([NEWLINE, line]) : line, this.#disk)
    } catch (error) {
      throw this.#fail(error)
    }
    this.#last++
    this.#written++
  }

  /** Fails permanently once another process has the lock. */
  guard(lock: Lock): void {
    try {
      lock.check()
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #open(): number {
    this.#disk.makeFolder(dirname(this.#path))
    const file = this.#disk.openToAppend(this.#path)
    open++
    return file
  }

  async flush(): Promise<void> {
    const wanted = this.#written
    while (this.#safe < wanted) {
      if (this.#failure !== undefined) throw this.#failure
      this.#syncing ??= this.#sync().finally(() => (this.#syncing = undefined))
      await this.#syncing
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  async #sync(): Promise<void> {
    // Flushes requested in the same tick share this sync.
    await Promise.resolve()
    const written = this.#written
    const { chain } = this.#start
    const head = chain?.headAt(this.#last)
    const begun = performance.now()
    try {
      if (this.#took < FAST && open === 1 && this.#disk.syncNow !== undefined) this.#disk.syncNow(this.#file!)
      else await this.#disk.sync(this.#file!)
      this.#took = performance.now() - begun
      if (this.#safe === 0) {
        for (const folder of this.#start.folders) await this.#disk.syncFolder(folder)
        this.#start.onNamed?.()
      }
      if (head !== undefined) chain?.writeHead(head)
    } catch (error) {
      throw this.#fail(error)
    }
    this.#safe = written
  }

  #fail(error: unknown): Error {
    this.#failure ??= fault('E_TRANSCRIPT', this.#path, errorMessage(error), String(this.#safe))
    return this.#failure
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      if (this.#file !== undefined) await this.flush()
    } finally {
      const file = this.#file
      this.#file = undefined
      this.#failure ??= fault('E_CLOSED', 'a line of the transcript')
      if (file !== undefined) {
        open--
        this.#start.chain?.close()
        this.#disk.close(file)
      }
    }
  }
}

/** In milliseconds. A disk that synced faster is synced synchronously, unless other files are open for writing. */
const FAST = 1
let open = 0

const NEWLINE = Buffer.from('\n')
