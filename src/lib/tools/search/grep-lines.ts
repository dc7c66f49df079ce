import { isObject } from '../../util/plain.ts'
import type { Lines } from '../../world/files/found-file.ts'

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

interface RipgrepLines {
  readonly path: Data
  readonly lines: Data
  readonly line_number: number
  readonly absolute_offset: number
  readonly submatches: readonly { readonly match: Data; readonly start: number }[]
}

/** Lines of a file, with a match in them or around one. */
export interface FoundText extends Lines, Pick<RipgrepLines, 'submatches'> {
  readonly isMatch: boolean
  readonly path: Buffer
  readonly number: number
}

/** What a JSON line of ripgrep says about lines of a file; undefined if it is about something else. */
export function foundIn(record: Buffer): FoundText | undefined {
  const said: unknown = JSON.parse(record.toString())
  const type = isObject(said) ? said['type'] : undefined
  if (!isObject(said) || (type !== 'match' && type !== 'context')) return undefined
  const { path, lines, line_number: number, absolute_offset: offset, submatches } = said['data'] as RipgrepLines
  return { isMatch: type === 'match', path: bytesOf(path), number, offset, bytes: bytesOf(lines), submatches }
}

/** Formats lines as the usual text output of ripgrep. */
export class Matches {
  readonly #writing: Writing
  readonly #add: (line: string) => boolean
  #path = ''
  #last = 0

  constructor(writing: Writing, add: (line: string) => boolean) {
    this.#writing = writing
    this.#add = add
  }

  add(name: string, found: FoundText): boolean {
    if (this.#writing.only) return !found.isMatch || this.#writeParts(name, found)
    return this.#write(name, found)
  }

  #write(name: string, { isMatch, bytes, number: first, submatches }: FoundText): boolean {
    const mark = isMatch ? ':' : '-'
    const isApart = this.#path !== '' && (name !== this.#path || first !== this.#last + 1)
    const texts = linesIn(bytes)
    this.#path = name
    this.#last = first + texts.length - 1
    if (this.#writing.groups && isApart && !this.#add('--')) return false
    return texts.every((text, index) => {
      const at = index === 0 ? (submatches[0]?.start ?? 0) : 0
      return this.#add(`${name}${mark}${this.#number(first + index, mark)}${clipped(text, at)}`)
    })
  }

  #writeParts(name: string, { bytes: all, number: first, submatches }: FoundText): boolean {
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
