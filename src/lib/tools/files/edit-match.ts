import { isUtf8 } from 'node:buffer'
import type { Splice } from '../../world/files/fingerprint.ts'
import {
  anyBlanksSpans,
  anyLineEndSpans,
  exactSpans,
  lineEndsAt,
  lineStart,
  lineStop,
  withLineEnds,
  type LineEnd,
  type Span,
  indexOfLongest,
  trimmedLines
} from './edit-lines.ts'

export interface Replacement {
  readonly old: string
  readonly now: string
  readonly all: boolean
  /** The model has not read the file: only an exact match counts, and errors show nothing of the file. */
  readonly isUnread?: boolean
}

export interface Match {
  readonly splices: readonly Splice[]
  readonly ignored: 'line endings' | 'indentation' | undefined
}

/**
 * Finds the text to replace: exactly as given; else, if there is exactly one such place, with other line ends; else
 * with other whitespace around its lines. Throws with an explanation if it is not certain.
 */
export function findSplices(bytes: Buffer, wanted: Replacement): Match {
  const exact = exactSpans(bytes, wanted.old)
  if (exact.length > 1 && !wanted.all) throw new Error(ambiguous(bytes, exact))
  if (exact.length > 0) return matchOf(bytes, wanted, { spans: exact, texts: literally(bytes, wanted, exact) })
  if (wanted.isUnread === true) throw new Error(UNKNOWN)
  if (wanted.all) throw new Error(`${missed(bytes, wanted.old)}\nreplace_all takes exact matches only.`)
  const lines = theOnly(bytes, anyLineEndSpans(bytes, wanted.old), 'line endings')
  if (lines !== undefined) {
    const [lineEnd = '\n'] = lineEndsAt(bytes, [lines])
    const texts = [withLineEnds(wanted.now, lineEnd)]
    return matchOf(bytes, wanted, { spans: [lines], texts, ignored: 'line endings' })
  }
  const blanks = theOnly(bytes, anyBlanksSpans(bytes, wanted.old), 'indentation')
  const text = blanks && indented(bytes, wanted, blanks)
  if (blanks === undefined || text === undefined) throw new Error(missed(bytes, wanted.old))
  return matchOf(bytes, wanted, { spans: [blanks], texts: [text], ignored: 'indentation' })
}

const UNKNOWN =
  'String not found. The file has not been read yet, so only an exact match counts; Read it first, then change it'

/**
 * The text as given. Only if neither text has carriage returns, which Read does not show, its lines get the line ends
 * around it.
 */
function* literally(
  bytes: Buffer,
  { old, now }: Replacement,
  spans: readonly Span[]
): Generator<string, void, undefined> {
  const texts: Record<LineEnd, string> = { '\n': now, '\r\n': withLineEnds(now, '\r\n') }
  const isLiteral = !now.includes('\n') || now.includes('\r') || old.includes('\r')
  if (isLiteral) for (const _ of spans) yield now
  else for (const lineEnd of lineEndsAt(bytes, spans)) yield texts[lineEnd]
}

function indented(bytes: Buffer, { old, now }: Replacement, span: Span): string | undefined {
  const found = bytes.toString('utf8', span.start, span.end)
  const [lineEnd = '\n'] = lineEndsAt(bytes, [span])
  const text = old.endsWith('\n')
    ? reindented({ old: unended(old), now: unended(now) }, unended(found))
    : reindented({ old, now }, found)
  // The last line of a file may have no line end, and then keeps none.
  const end = old.endsWith('\n') && now.endsWith('\n') && found.endsWith('\n') ? '\n' : ''
  return text === undefined ? undefined : withLineEnds(text + end, lineEnd)
}

const unended = (text: string): string => text.replace(/\r?\n$/, '')

function theOnly(bytes: Buffer, spans: readonly Span[], ignored: 'line endings' | 'indentation'): Span | undefined {
  if (spans.length > 1)
    throw new Error(`${ambiguous(bytes, spans)} (There is no exact match; these ignore ${ignored}.)`)
  return spans[0]
}

function ambiguous(bytes: Buffer, spans: readonly Span[]): string {
  const some = spans.slice(0, 5).map(({ start }) => lineNumber(bytes, start))
  const where = `${some.join(', ')}${spans.length > some.length ? ', …' : ''}`
  return `String appears ${spans.length} times (lines ${where}): use replace_all, or add more context around it to make it unique.`
}

function lineNumber(bytes: Buffer, place: number): number {
  let number = 1
  for (let at = bytes.indexOf(10); at !== -1 && at < place; at = bytes.indexOf(10, at + 1)) number++
  return number
}

interface Places {
  readonly spans: readonly Span[]
  readonly texts: Iterable<string>
  readonly ignored?: Match['ignored']
}

function matchOf(bytes: Buffer, wanted: Replacement, { spans, texts, ignored }: Places): Match {
  refuseOtherEncodings(bytes, wanted, spans)
  const buffers = new Map<string, Buffer>()
  const splices: Splice[] = []
  for (const text of texts) {
    let buffer = buffers.get(text)
    if (buffer === undefined) buffers.set(text, (buffer = Buffer.from(text)))
    const span = spans[splices.length]
    if (span !== undefined) splices.push({ ...span, text: buffer })
  }
  const isSame = splices.every(({ start, end, text }) => bytes.subarray(start, end).equals(text))
  if (isSame) throw new Error('the edit changes nothing: the file already holds that text there')
  return { splices, ignored }
}

/** In a file of another encoding a match may start within a character, and the new text may read as something else. */
function refuseOtherEncodings(bytes: Buffer, { old, now }: Replacement, spans: readonly Span[]): void {
  if (!isAscii(old + now) && !isUtf8(bytes)) {
    throw new Error(
      'the file is not UTF-8, so only ASCII text can be put into it; convert it first, or edit it with a command'
    )
  }
  let looked = 0
  for (const { start, end } of spans) {
    if (end <= looked) continue
    const from = Math.max(looked, lineStart(bytes, start))
    looked = bytes[end - 1] === 10 ? end : lineStop(bytes, end)
    if (isUtf8(bytes.subarray(from, looked))) continue
    const line = lineNumber(bytes, start)
    throw new Error(
      `line ${line} holds bytes that are not UTF-8, so it is left alone; edit it with a command that knows its encoding`
    )
  }
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

function reindented(wanted: { readonly old: string; readonly now: string }, found: string): string | undefined {
  const [old, file, now] = [linesOf(wanted.old), linesOf(found), linesOf(wanted.now)]
  const pairs = pairsOf(old, file)
  if (pairs === undefined) return undefined
  const first = commonLines(old, now)
  const last = commonLines(old.slice(first).toReversed(), now.slice(first).toReversed())
  const middle = now.slice(first, now.length - last).map(line => {
    const { indent, rest } = parts(line)
    return rest === '' ? line : indentLike(indent, pairs) + rest
  })
  // Unchanged lines keep their bytes.
  return [...file.slice(0, first), ...middle, ...file.slice(file.length - last)].join('\n')
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/)

interface Parts {
  readonly indent: string
  readonly rest: string
}

function parts(line: string): Parts {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  return { indent, rest: line.slice(indent.length).trimEnd() === '' ? '' : line.slice(indent.length) }
}

type Pair = readonly [given: string, actual: string]

/** Maps each given indentation to the one in the file; undefined if one would map to two. */
function pairsOf(old: readonly string[], file: readonly string[]): readonly Pair[] | undefined {
  const pairs = new Map<string, string>()
  for (const [index, line] of old.entries()) {
    const { indent, rest } = parts(line)
    if (rest === '') continue
    const actual = parts(file[index] ?? '').indent
    if ((pairs.get(indent) ?? actual) !== actual) return undefined
    pairs.set(indent, actual)
  }
  return [...pairs].toSorted(([a], [b]) => b.length - a.length)
}

function commonLines(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

function indentLike(indent: string, pairs: readonly Pair[]): string {
  const [given, actual] = pairs.find(([start]) => indent.startsWith(start)) ?? pairs.at(-1) ?? ['', '']
  if (indent === given) return actual
  if (indent.startsWith(given)) return actual + convert(indent.slice(given.length), pairs)
  const less = convert(given.slice(indent.length), pairs)
  return actual.slice(0, Math.max(0, actual.length - less.length))
}

function convert(more: string, pairs: readonly Pair[]): string {
  const [given, actual] = pairs.find(([a, b]) => a !== '' && b !== '' && a[0] !== b[0]) ?? ['', '']
  if (given === '' || more[0] !== given[0]) return more
  const steps = (more.length * actual.length) / given.length
  return actual.charAt(0).repeat(Math.max(1, Math.round(steps)))
}

/** In bytes. In larger files, only equal lines are searched for. */
const SEARCHED = 2 * 1024 * 1024
const SHOWN_LINES = 12
const SHOWN_CHARACTERS = 160

function missed(bytes: Buffer, old: string): string {
  const hint = /^\s*\d+\t/.test(old) ? ' Leave out the line numbers that Read shows, and the tab after them.' : ''
  const head = `String not found in the file.${hint}`
  if (bytes.length > SEARCHED) return `${head} Read the place again, and copy it exactly.`
  const lines = bytes.toString('utf8').split('\n')
  const wanted = old.replace(/\r?\n$/, '').split('\n')
  const place = nearestPlace(lines.map(trim), trimmedLines(old))
  if (place === undefined) return `${head} Nothing in it is similar.`
  const found = lines.slice(place, place + wanted.length)
  const rows = found
    .slice(0, SHOWN_LINES)
    .flatMap((line, index) => compared(line, wanted[index] ?? '', place + index + 1))
  const rest = found.length > SHOWN_LINES ? [`… and ${found.length - SHOWN_LINES} more lines`] : []
  return [`${head} The nearest place (· is a blank, → a tab, ␍ a carriage return):`, ...rows, ...rest].join('\n')
}

const trim = (line: string): string => line.trim()

function compared(line: string, wanted: string, number: number): readonly string[] {
  const isSame = line === wanted
  return isSame ? [`  ${number} ${visible(line)}`] : [`  ${number} ${visible(line)}`, `  not: ${visible(wanted)}`]
}

function visible(line: string): string {
  const shown = line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : line
  return shown.replaceAll(' ', '·').replaceAll('\t', '→').replaceAll('\r', '␍')
}

function nearestPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const key = indexOfLongest(wanted)
  const likeness = alike(wanted[key] ?? '')
  let best: number | undefined
  let most = 0.5
  for (const [index, line] of lines.entries()) {
    const score = likeness(line)
    if (score > most) [best, most] = [index, score]
  }
  return best === undefined ? undefined : Math.max(0, best - key)
}

/** The similarity of lines to one line, from 0 to 1, by the character pairs that they share. */
function alike(wanted: string): (line: string) => number {
  const known = new Uint8Array(PAIRS)
  for (let at = 1; at < wanted.length && at < SHOWN_CHARACTERS; at++) known[pairAt(wanted, at)] = 1
  return line => {
    if (line === wanted) return line === '' ? 0 : 1
    const length = Math.min(line.length, SHOWN_CHARACTERS)
    let shared = 0
    for (let at = 1; at < length; at++) shared += known[pairAt(line, at)] ?? 0
    return (0.99 * shared) / Math.max(length, Math.min(wanted.length, SHOWN_CHARACTERS))
  }
}

/** Collisions of pairs are rare within one text. */
const PAIRS = 65_536

const pairAt = (text: string, at: number): number => (text.charCodeAt(at - 1) * 257 + text.charCodeAt(at)) % PAIRS
