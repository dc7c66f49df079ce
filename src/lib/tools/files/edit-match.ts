import { isUtf8 } from 'node:buffer'
import type { Splice } from '../../world/files/fingerprint.ts'
import { reindented } from './edit-indent.ts'
import {
  anyBlanksSpans,
  anyLineEndSpans,
  exactSpans,
  lineEndsAt,
  lineStart,
  lineStop,
  withLineEnds,
  type LineEnd,
  type Span
} from './edit-lines.ts'
import { missed } from './edit-miss.ts'

export interface Replacement {
  readonly old: string
  readonly now: string
  readonly all: boolean
  /** The model has not read the file: only an exact match proves that it knows the text, and nothing of the file is shown. */
  readonly isUnread?: boolean
}

export interface Match {
  readonly splices: readonly Splice[]
  readonly ignored: 'line endings' | 'indentation' | undefined
}

/**
 * Finds the text that is to be replaced: exactly as it is given; else, if that is one place and one only, with other
 * line ends; else with other blanks around its lines. Throws with an explanation when that is not certain.
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
 * The text as it was given. Only, where neither text has carriage returns, since Read shows none, its lines end as those
 * around it do.
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
  // The last line of a file may have no end, and then it keeps having none.
  const end = old.endsWith('\n') && now.endsWith('\n') && found.endsWith('\n') ? '\n' : ''
  return text === undefined ? undefined : withLineEnds(text + end, lineEnd)
}

const unended = (text: string): string => text.replace(/\r?\n$/, '')

function theOnly(bytes: Buffer, spans: readonly Span[], ignored: 'line endings' | 'indentation'): Span | undefined {
  if (spans.length > 1)
    throw new Error(`${ambiguous(bytes, spans)} (There is no exact match; ${ignored} did not count.)`)
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

/** In a file of another encoding a match may begin within a character, and what is put in may read as something else. */
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
