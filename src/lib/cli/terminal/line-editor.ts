import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { LINE_END, type Keyboard, type KeyListener } from './keyboard.ts'
import type { Footer, Screen } from './screen.ts'

export interface LineRequest {
  readonly prompt: string
  readonly isMultiline?: boolean
  readonly history?: string[]
  readonly earlier?: boolean
  readonly signal: AbortSignal
  /** Ctrl-C; if a line can continue, only when there is nothing to undo. */
  onInterrupt(): void
}

const MORE = '… '
const ESCAPE = '\u001B'

export class LineEditor implements Footer, KeyListener {
  readonly #keyboard: Keyboard
  readonly #screen: Screen
  readonly #asking: LineRequest
  readonly #keys = new PassThrough()
  readonly #output = new Writable({
    write: (bytes: Buffer, _, done) => {
      if (!this.#isMuted) this.#screen.write(bytes.toString())
      done()
    }
  })
  #isMuted = false
  readonly #readline: Interface
  readonly #before: string[] = []
  readonly #done = Promise.withResolvers<string | undefined>()
  #release: (() => void) | undefined
  #isOver = false

  constructor(keyboard: Keyboard, screen: Screen, asking: LineRequest) {
    this.#keyboard = keyboard
    this.#screen = screen
    this.#asking = asking
    Object.defineProperty(this.#output, 'columns', { get: () => screen.columns })
    process.stdout.on('resize', this.#onResize)
    this.#readline = createInterface({
      input: this.#keys,
      output: this.#output,
      terminal: true,
      prompt: asking.prompt,
      history: asking.history ?? [],
      historySize: asking.history === undefined ? 0 : 1000
    })
    this.#readline.on('line', line => this.#line(line)).once('close', this.#onAbort)
  }

  read(): Promise<string | undefined> {
    const { signal } = this.#asking
    if (signal.aborted) this.#end(undefined)
    else {
      signal.addEventListener('abort', this.#onAbort, { once: true })
      this.resume()
    }
    return this.#done.promise
  }

  pause(): void {
    if (this.#release === undefined) return
    this.#release()
    this.#release = undefined
    this.hide()
    this.#screen.hold(undefined)
  }

  resume(): void {
    if (this.#isOver || this.#release !== undefined) return
    this.#screen.hold(this)
    this.show()
    this.#release = this.#keyboard.listen(this)
    if (this.#asking.earlier === true) this.#keyboard.catchUp(this)
  }

  receive(keys: string): void {
    const text = keys.endsWith('\r') ? keys.slice(0, -1) : keys
    // Readline loses count of its rows if several characters arrive at once.
    if (text.length > 1 && !text.startsWith(ESCAPE) && this.#screen.redraws) {
      this.hide()
      this.#silently(() => this.#press(text))
      this.show()
    } else if (text !== '') this.#press(text)
    if (text !== keys) this.#press('\r')
  }

  /** Immediately instead of when the stream emits it: the next keys may be for another listener. */
  #press(keys: string): void {
    this.#keys.emit('data', Buffer.from(keys))
  }

  #silently(change: () => void): void {
    this.#isMuted = true
    change()
    this.#isMuted = false
  }

  interrupt(): void {
    const isEmpty = this.#readline.line === '' && this.#before.length === 0
    if (isEmpty || this.#asking.isMultiline !== true) return this.#asking.onInterrupt()
    this.#readline.write(null, { ctrl: true, name: 'e' })
    this.#readline.write(null, { ctrl: true, name: 'u' })
    this.#before.length = 0
    this.#readline.setPrompt(this.#asking.prompt)
    this.#readline.prompt()
  }

  hide(): void {
    if (!this.#screen.redraws) return this.#screen.write('\n')
    moveCursor(process.stdout, 0, -this.#readline.getCursorPos().rows)
    cursorTo(process.stdout, 0)
    clearScreenDown(process.stdout)
  }

  show(): void {
    if (this.#screen.redraws) {
      // Readline moves up as many rows as its cursor was below its first when it last drew.
      this.#silently(() => this.#readline.prompt(true))
      this.#screen.write('\n'.repeat(this.#readline.getCursorPos().rows))
    }
    this.#readline.prompt(true)
  }

  #line(line: string): void {
    if (this.#asking.isMultiline === true && line.endsWith('\\')) {
      this.#before.push(line.slice(0, -1))
      this.#readline.setPrompt(MORE)
      this.#readline.prompt()
    } else this.#end([...this.#before, line].join(LINE_END))
  }

  readonly #onResize = (): void => void this.#output.emit('resize')

  readonly #onAbort = (): void => {
    if (!this.#isOver) this.#screen.write('\n')
    this.#end(undefined)
  }

  #end(line: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#asking.signal.removeEventListener('abort', this.#onAbort)
    process.stdout.off('resize', this.#onResize)
    this.#release?.()
    this.#screen.hold(undefined)
    this.#readline.close()
    this.#done.resolve(line)
  }
}
