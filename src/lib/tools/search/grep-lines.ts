import { isObject } from '../../util/plain.ts'

const LONGEST = 500

interface Writing {
  readonly numbers: boolean
  readonly only: boolean
  readonly groups: boolean
}

/** Names and lines as ripgrep writes them: text, or base64 if they are not valid text. */
interface Data {
  readonly text?: string
  readonly bytes?: string
}

interface Found {
  readonly path: Data
  readonly lines: Data
  readonly line_number: number
  readonly submatches: readonly { readonly match: Data; readonly start: number }[]
}

/** Formats the JSON lines of ripgrep as its usual text output. */
export class Matches {
  readonly #writing: Writing
  readonly #add: (line: string) => boolean
  #path = ''
  #last = 0

  constructor(writing: Writing, add: (line: string) => boolean) {
    this.#writing = writing
    this.#add = add
  }

  read(record: Buffer, nameOf: (path: Buffer) => string): boolean {
    const said: unknown = JSON.parse(record.toString())
    const type = isObject(said) ? said['type'] : undefined
    if (!isObject(said) || (type !== 'match' && type !== 'context')) return true
    const found = said['data'] as Found
    const name = nameOf(bytesOf(found.path))
    if (this.#writing.only) return type === 'context' || this.#writeParts(name, found)
    return this.#write(name, found, type === 'match' ? ':' : '-')
  }

  #write(name: string, { lines, line_number: first, submatches }: Found, mark: string): boolean {
    const isApart = this.#path !== '' && (name !== this.#path || first !== this.#last + 1)
    const texts = linesIn(bytesOf(lines))
    this.#path = name
    this.#last = first + texts.length - 1
    if (this.#writing.groups && isApart && !this.#add('--')) return false
    return texts.every((text, index) => {
      const at = index === 0 ? (submatches[0]?.start ?? 0) : 0
      return this.#add(`${name}${mark}${this.#number(first + index, mark)}${clipped(text, at)}`)
    })
  }

  #writeParts(name: string, { lines, line_number: first, submatches }: Found): boolean {
    const all = bytesOf(lines)
    return submatches.every(({ match, start }) => {
      const number = first + linesIn(all.subarray(0, start + 1)).length - 1
      const texts = linesIn(bytesOf(match))
      return texts.every((text, index) => this.#add(`${name}:${this.#number(number + index, ':')}${clipped(text, 0)}`))
    })
  }

  #number(line: number, mark: string): string {
    return this.#writing.numbers ? `${line}${mark}` : ''
  }
}

const bytesOf = ({ text, bytes }: Data): Buffer =>
  text === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(text)

function linesIn(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(10, from)
    const to = end === -1 ? bytes.length : end
    lines.push(bytes.subarray(from, bytes[to - 1] === 13 && to > from ? to - 1 : to))
    from = to + 1
  }
  return lines.length === 0 ? [bytes] : lines
}

function clipped(line: Buffer, at: number): string {
  if (line.length <= LONGEST) return line.toString()
  const from = Math.max(0, Math.min(at - LONGEST / 4, line.length - LONGEST))
  const part = line
    .subarray(from, from + LONGEST)
    .toString()
    .replaceAll(/^\ufffd+|\ufffd+$/g, '')
  return `${from > 0 ? '[…] ' : ''}${part} [… the line has ${line.length.toLocaleString('en')} bytes]`
}
