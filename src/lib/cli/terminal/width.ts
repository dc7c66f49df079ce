import { stripVTControlCharacters } from 'node:util'
import { escapeText, printLine } from '../print.ts'

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u
const NARROW = /\p{M}/u

const columnsOf = (char: string): number => (NARROW.test(char) ? 0 : WIDE.test(char) ? 2 : 1)

export function truncateText(text: string, most: number): string {
  if (widthOf(text) <= most) return text
  let room = most - 1
  let line = ''
  for (const char of text) {
    room -= columnsOf(char)
    if (room < 0) break
    line += char
  }
  return `${line}…`
}

export function wrapText(text: string, most: number): readonly string[] {
  return text.split('\n').flatMap(line => pieces(line, Math.max(2, most)))
}

export function hangIndent(mark: string, text: string, columns: number): string {
  return mark + wrapText(text, columns - mark.length - 1).join(`\n${' '.repeat(mark.length)}`)
}

const widthOf = (text: string): number => {
  let columns = 0
  for (const char of text) columns += char === '\t' ? 8 - (columns % 8) : columnsOf(char)
  return columns
}

function pieces(line: string, most: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  let columns = 0
  for (const char of line) {
    const wide = char === '\t' ? 8 - (columns % 8) : columnsOf(char)
    if (columns + wide > most && current !== '') {
      const end = current.trim().includes(' ') ? current.lastIndexOf(' ') + 1 : current.length
      lines.push(current.slice(0, end))
      current = current.slice(end)
      columns = widthOf(current)
    }
    current += char
    columns += wide
  }
  return [...lines, current]
}

/** Prints lines for a person: on a terminal they are wrapped between words, and continue indented. */
export function printProse(text = ''): void {
  const { isTTY, columns } = process.stdout
  // A terminal that does not know its width says 0.
  for (const line of text.split('\n')) printLine(isTTY && columns > 0 ? wrapWords(line, columns).join('\n') : line)
}

function wrapWords(line: string, most: number): readonly string[] {
  const indent = ' '.repeat(line.search(/\S|$/) + 2)
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\S )/)) {
    if (current.trim() !== '' && widthOf(stripVTControlCharacters(current + word).trimEnd()) > most) {
      lines.push(current.trimEnd())
      current = indent
    }
    current += word
  }
  return [...lines, current]
}

/** For an output without a width. */
const USUAL_WIDTH = 100

export const outputColumns = (): number => Math.max(20, process.stdout.columns ?? USUAL_WIDTH)

const STEPS = [
  [60, 's'],
  [60, 'min'],
  [24, 'h'],
  [365, 'days']
] as const

export function timeAgo(when: number, now = Date.now()): string {
  let left = Math.max(0, Math.round((now - when) / 1000))
  for (const [most, unit] of STEPS) {
    if (left < most) return `${left} ${unit} ago`
    left = Math.floor(left / most)
  }
  return left === 1 ? '1 year ago' : `${left} years ago`
}

export function wrapBlock(text: string, left: string, width: number): readonly string[] {
  return wrapText(escapeText(text).trimEnd(), width - left.length).map(line => `${left}${line}`.trimEnd())
}

export function firstLines(lines: readonly string[], most: number, left: string): readonly string[] {
  if (lines.length <= most) return lines
  return [...lines.slice(0, most), `${left}… ${lines.length - most} more lines`]
}
