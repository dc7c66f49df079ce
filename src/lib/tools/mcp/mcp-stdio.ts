import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { errorMessage } from '../../errors.ts'
import { escapedLines } from '../../util/escape.ts'
import type { Ended, OutputListener, Running } from '../../world/process/process.ts'
import { startProblem } from '../bash/processes.ts'
import { jsonIn } from '../../util/attempt.ts'
import { ByteRecords } from '../../world/process/byte-records.ts'
import { isObject } from '../../util/plain.ts'

/** In bytes. A server that sends a longer message is ended. */
export const LONGEST_MESSAGE = 32 * 1024 * 1024
const MOST_REMARKS = 1000
/** How many of the last characters on standard error are reported when a server ends. */
const LAST_WORDS = 1000
/** A number that may be read as Infinity. */
const TOO_LARGE = /\de\+?\d{3}|\d{309}/i

export interface ServerLink {
  readonly transport: Transport
  /** Why it closed, if not on request and if known. */
  failure(): string | undefined
  end(): Promise<void>
}

export function stdioLink(begin: (listener: OutputListener) => Running): ServerLink {
  const transport = new StdioTransport(begin)
  return { transport, failure: () => transport.failure, end: () => transport.close() }
}

/** A process at the other end: one JSON object per line, both ways. It is started and ended like any other process. */
class StdioTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  failure: string | undefined
  readonly #begin: (listener: OutputListener) => Running
  #running: Running | undefined
  readonly #lines = new ByteRecords({
    separator: 10,
    longest: LONGEST_MESSAGE,
    take: line => this.#take(line.toString()),
    onTooLong: () => this.#end(`it sent a message of more than ${LONGEST_MESSAGE} bytes, and was ended`)
  })
  #remarks = 0
  #lastWords = ''
  #isClosed = false

  constructor(begin: (listener: OutputListener) => Running) {
    this.#begin = begin
  }

  async start(): Promise<void> {
    this.#running = this.#begin({
      stdout: chunk => this.#lines.add(chunk),
      stderr: chunk => {
        this.#lastWords = (this.#lastWords + chunk.toString()).slice(-LAST_WORDS)
      }
    })
    void this.#running.ended.then(ended => this.#end(this.#endText(ended)))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection has ended')
    this.#running?.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#end(undefined)
    await this.#running?.ended
  }

  #end(why: string | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.failure = why
    this.#lines.isOver = true
    this.#running?.close()
    this.#running?.end()
    this.onclose?.()
  }

  #endText({ code, signal, error }: Ended): string {
    if (error !== undefined) return `it could not be started: ${startProblem(error)}`
    const how = signal === null ? `exit code ${code}` : signal
    const last = escapedLines(this.#lastWords.trim())
    return `it has ended (${how})${last === '' ? '' : `; its last output: ${last}`}`
  }

  #take(line: string): void {
    if (line.trim() === '') return
    const parsed = jsonIn(line)
    // In 2025-03-26, several messages may come as a list. Infinity would be sent on as null: that must be judged.
    const messages = [TOO_LARGE.test(line) ? jsonIn(JSON.stringify(parsed ?? null)) : parsed].flat()
    if (!messages.every(isObject) || messages.length === 0) this.#remark(line)
    else this.#remarks = 0
    try {
      for (const message of messages) if (isObject(message)) this.onmessage?.(message as unknown as JSONRPCMessage)
    } catch (error) {
      this.#end(`it sent a message that cannot be read (${errorMessage(error)}), and was ended`)
    }
  }

  /** Some servers print a greeting, or log to standard output. Such lines are reported, and otherwise ignored. */
  #remark(line: string): void {
    if (++this.#remarks > MOST_REMARKS) this.#end('it kept printing lines that are not messages, and was ended')
    else this.onerror?.(new Error(`it printed a line that is not a message: ${escapedLines(line.slice(0, 200))}`))
  }
}
