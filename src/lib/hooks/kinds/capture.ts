import { StringDecoder } from 'node:string_decoder'
import type { OutputListener } from '../../world/process/process.ts'

/** In bytes, per stream. More output is not an answer. */
export const OUTPUT_CAP = 1024 * 1024

type Stream = 'stdout' | 'stderr'

export class Capture implements OutputListener {
  onPiece: (text: string, stream: Stream) => void = () => undefined
  /** Called once, when there is too much output. */
  onFlood: (stream: Stream) => void = () => undefined
  /** Called once, with the first line of standard output. */
  onFirstLine: (line: string) => void = () => undefined
  readonly #kept: Record<Stream, Buffer[]> = { stdout: [], stderr: [] }
  readonly #size: Record<Stream, number> = { stdout: 0, stderr: 0 }
  readonly #decoders: Record<Stream, StringDecoder> = { stdout: new StringDecoder(), stderr: new StringDecoder() }
  #flooded = false
  #hasLine = false

  stdout(chunk: Buffer): void {
    if (!this.#keep('stdout', chunk) || this.#hasLine || !chunk.includes('\n')) return
    this.#hasLine = true
    const text = this.bytes('stdout').toString()
    this.onFirstLine(text.slice(0, text.indexOf('\n')))
  }

  stderr(chunk: Buffer): void {
    this.#keep('stderr', chunk)
  }

  #keep(stream: Stream, chunk: Buffer): boolean {
    if (this.#flooded) return false
    this.#size[stream] += chunk.length
    if (this.#size[stream] > OUTPUT_CAP) {
      this.#flooded = true
      this.onFlood(stream)
      return false
    }
    this.#kept[stream].push(chunk)
    const text = this.#decoders[stream].write(chunk)
    if (text !== '') this.onPiece(text, stream)
    return true
  }

  bytes(stream: Stream): Buffer {
    const kept = this.#kept[stream]
    if (kept.length > 1) kept.splice(0, kept.length, Buffer.concat(kept))
    return kept[0] ?? Buffer.alloc(0)
  }

  text(stream: Stream): string {
    return this.bytes(stream).toString()
  }
}
