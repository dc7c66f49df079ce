import { StringDecoder } from 'node:string_decoder'
import type { ReadStream } from 'node:tty'

export interface KeyListener {
  /** Keys, in the order of typing; a line end is always the last key of a chunk. */
  receive(keys: string): void
  interrupt(): void
}

/** How a line end is shown within a line that is still being edited, and in the history. */
export const LINE_END = '␊'

const CTRL_C = '\u0003'
const PASTE = '\u001B[200~'
const PASTED = '\u001B[201~'
const PASTE_ON = '\u001B[?2004h'
const PASTE_OFF = '\u001B[?2004l'
const SPECIAL = new RegExp(String.raw`${CTRL_C}|\r\n?|\n|${PASTE.replace('[', String.raw`\[`)}`)
/** Ctrl-Z would stop us with the terminal in a state that no shell expects. */
const CTRL_Z = '\u001A'
const MOST_EARLIER = 1000

/** Passes typed keys to its listener, or keeps them until there is one. Pasted text is one chunk. */
export class Keyboard {
  readonly #input: ReadStream
  readonly #meanwhile: () => void
  readonly #decoder = new StringDecoder('utf8')
  #listener: KeyListener | undefined
  #earlier: string[] = []
  #rest = ''
  #isPasting = false

  constructor(input: ReadStream, meanwhile: () => void, onGone: () => void) {
    this.#input = input
    this.#meanwhile = meanwhile
    input.setRawMode(true)
    input.on('data', (bytes: Buffer) => this.#take(this.#decoder.write(bytes)))
    input.on('end', onGone).on('error', onGone)
    // The keyboard of an earlier session may have paused it.
    input.resume()
    if (process.env['TERM'] !== 'dumb') process.stdout.write(PASTE_ON)
  }

  listen(listener: KeyListener): () => void {
    this.#listener = listener
    return () => {
      if (this.#listener === listener) this.#listener = undefined
    }
  }

  catchUp(listener: KeyListener): void {
    while (this.#listener === listener && this.#earlier.length > 0) listener.receive(this.#earlier.shift()!)
  }

  end(): void {
    if (process.env['TERM'] !== 'dumb') process.stdout.write(PASTE_OFF)
    this.#input.removeAllListeners('data').pause()
    try {
      this.#input.setRawMode(false)
    } catch {
      // The terminal was closed.
    }
  }

  #take(text: string): void {
    let rest = this.#rest + text
    this.#rest = ''
    while (rest !== '') rest = this.#isPasting ? this.#takePasted(rest) : this.#takeTyped(rest)
  }

  #takeTyped(text: string): string {
    const special = SPECIAL.exec(text)
    if (special === null) {
      const held = beginningOf(PASTE, text, 3)
      this.#rest = held
      this.#give(text.slice(0, text.length - held.length))
      return ''
    }
    const [found] = special
    const before = text.slice(0, special.index)
    this.#isPasting = found === PASTE
    if (found === CTRL_C) this.#interrupt()
    else this.#give(this.#isPasting ? before : `${before}\r`)
    return text.slice(special.index + found.length)
  }

  #takePasted(text: string): string {
    const end = text.indexOf(PASTED)
    const held = end === -1 ? beginningOf(PASTED, text, 1) : ''
    this.#rest = held
    this.#give(oneLine(text.slice(0, end === -1 ? text.length - held.length : end)))
    if (end === -1) return ''
    this.#isPasting = false
    return text.slice(end + PASTED.length)
  }

  #give(keys: string): void {
    const wanted = keys.replaceAll(CTRL_Z, '')
    if (wanted === '') return
    if (this.#listener !== undefined) this.#listener.receive(wanted)
    else if (this.#earlier.length < MOST_EARLIER) this.#earlier.push(wanted)
  }

  #interrupt(): void {
    this.#earlier = []
    if (this.#listener === undefined) this.#meanwhile()
    else this.#listener.interrupt()
  }
}

function beginningOf(mark: string, text: string, least: number): string {
  for (let length = mark.length - 1; length >= least; length--)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length)
  return ''
}

/** Pasted text as keys that neither edit nor submit. */
const oneLine = (text: string): string => text.replaceAll(/\r\n?|\n/g, LINE_END).replaceAll(/[^\P{Cc}\t]/gu, '')
