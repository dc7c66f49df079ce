/** Characters that most terminals show in two columns, and in none. */
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

/** Lines no wider than this. They break behind a blank where there is one, and nothing is left out. */
export function wrapText(text: string, most: number): readonly string[] {
  return text.split('\n').flatMap(line => pieces(line, Math.max(2, most)))
}

/** A text behind a mark, its further lines below its first. */
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
