import { withStyle } from '../print.ts'
import { truncateText } from './width.ts'

export interface Footer {
  hide(): void
  show(): void
}

const ERASE = '\r\u001B[2K'
/** In milliseconds. Shorter work gets no status line. */
const SOON = 150

export class Screen {
  /** False for a terminal that only accepts text. */
  readonly redraws = process.env['TERM'] !== 'dumb'
  #inLine = false
  #status: { readonly text: string; readonly since: number } | undefined
  #note = ''
  #isDrawn = false
  #timer: NodeJS.Timeout | undefined
  #bottom: Footer | undefined
  #gone = false

  get columns(): number {
    return process.stdout.columns || 80
  }

  print(text: string): void {
    this.#bottom?.hide()
    this.#erase()
    this.write(`${this.#inLine ? '\n' : ''}${text}\n`)
    this.#inLine = false
    this.#bottom?.show()
    this.#draw()
  }

  stream(text: string): void {
    if (text === '') return
    this.#erase()
    this.write(text)
    this.#inLine = !text.endsWith('\n')
  }

  fresh(): void {
    if (this.#inLine) this.stream('\n')
  }

  status(text?: string): void {
    if (text === this.#status?.text) return
    clearTimeout(this.#timer)
    this.#erase()
    this.#note = ''
    this.#status = text === undefined ? undefined : { text, since: performance.now() }
    if (text !== undefined) this.#drawIn(SOON)
  }

  note(text = ''): void {
    this.#note = text
  }

  hold(bottom: Footer | undefined): void {
    this.#erase()
    this.#bottom = bottom
  }

  gone(): void {
    this.#gone = true
    clearTimeout(this.#timer)
  }

  write(text: string): void {
    if (!this.#gone) process.stdout.write(text)
  }

  #drawIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#draw()
      this.#drawIn(1000)
    }, ms).unref()
  }

  #draw(): void {
    if (this.#status === undefined || !this.redraws || this.#inLine || this.#bottom !== undefined) return
    const { text, since } = this.#status
    const ms = performance.now() - since
    if (ms < SOON) return
    const time = ` · ${formatDuration(ms)}`
    const room = this.columns - 1 - time.length
    const note = this.#note === '' ? '' : ` · ${this.#note}`
    this.#erase()
    this.write(withStyle('dim', truncateText(`${truncateText(text, room)}${time}${note}`, this.columns - 1)))
    this.#isDrawn = true
  }

  #erase(): void {
    if (this.#isDrawn) this.write(ERASE)
    this.#isDrawn = false
  }
}

export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`
}
