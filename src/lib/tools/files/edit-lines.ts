export type LineEnd = '\n' | '\r\n'

export interface Span {
  readonly start: number
  readonly end: number
}

const LF = 10
const CR = 13

/** The line end in each of these spans; else the next one after it; on the last line, the one before. */
export function* lineEndsAt(bytes: Buffer, spans: readonly Span[]): Generator<LineEnd, void, undefined> {
  const last = bytes.lastIndexOf(LF)
  let at = -1
  for (const { start } of spans) {
    // A line may be as long as the file: it is searched once, not once per span.
    if (at < start && at !== last) at = start > last ? last : bytes.indexOf(LF, start)
    yield at > 0 && bytes[at - 1] === CR ? '\r\n' : '\n'
  }
}

export const withLineEnds = (text: string, lineEnd: LineEnd): string => text.replace(/\r?\n/g, lineEnd)

export const lineStart = (bytes: Buffer, at: number): number => (at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1)

export function lineStop(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(LF, at)
  return end === -1 ? bytes.length : end
}

/** The exact matches of these bytes. Matches do not overlap. */
export function exactSpans(bytes: Buffer, text: string): Span[] {
  const wanted = Buffer.from(text)
  const find = searchFor(bytes, wanted)
  const spans: Span[] = []
  for (let at = find(0); at !== -1; at = find(at + wanted.length)) spans.push({ start: at, end: at + wanted.length })
  return spans
}

export function anyLineEndSpans(bytes: Buffer, text: string): Span[] {
  const lines = text.split(/\r?\n/).map(line => Buffer.from(line))
  if (lines.length === 1) return []
  return aroundLongest(bytes, lines, (at, { line: longest, before, after }) => {
    let start = at
    for (const line of before) {
      if (start === 0 || bytes[start - 1] !== LF) return undefined
      start -= bytes[start - 2] === CR ? 2 : 1
      start -= line.length
      if (start < 0 || !isThere(bytes, line, start)) return undefined
    }
    let end = at + longest.length
    for (const line of after) {
      if (bytes[end] === CR) end++
      if (bytes[end++] !== LF || !isThere(bytes, line, end)) return undefined
      end += line.length
    }
    return { start, end }
  })
}

/** The matches of these lines as whole lines, ignoring whitespace at both ends of a line and the kind of line end. */
export function anyBlanksSpans(bytes: Buffer, text: string): Span[] {
  const isEnded = text.endsWith('\n')
  const lines = trimmedLines(text).map(line => Buffer.from(line))
  return aroundLongest(bytes, lines, (at, { line: longest, before, after }) => {
    const found = lineOfOnly(bytes, at, longest)
    if (found === undefined) return undefined
    let { start, end } = found
    for (const line of before) {
      if (start === 0) return undefined
      start = lineStart(bytes, start - 1)
      if (!isTrimmed(bytes, start, line)) return undefined
    }
    for (const line of after) {
      if (end === bytes.length || !isTrimmed(bytes, end + 1, line)) return undefined
      end = lineStop(bytes, end + 1)
    }
    if (isEnded) return { start, end: Math.min(bytes.length, end + 1) }
    return { start, end: bytes[end] === LF && end > start && bytes[end - 1] === CR ? end - 1 : end }
  })
}

/** The lines of a text without the whitespace around them. What follows the last line end is not a line. */
export const trimmedLines = (text: string): string[] =>
  text
    .replace(/\r?\n$/, '')
    .split('\n')
    .map(trimBlanks)

/** A regular expression would take quadratic time on a long run of blanks. */
function trimBlanks(line: string): string {
  let [from, to] = [0, line.length]
  while (from < to && isBlank(line.charCodeAt(from))) from++
  while (to > from && isBlank(line.charCodeAt(to - 1))) to--
  return line.slice(from, to)
}

const isBlank = (code: number | undefined): boolean => code === 32 || code === 9 || code === CR

interface Surrounded {
  readonly line: Buffer
  readonly before: readonly Buffer[]
  readonly after: readonly Buffer[]
}

/** Searches for the longest line, which is the rarest, and calls `extend` to compare around it. */
function aroundLongest(
  bytes: Buffer,
  lines: readonly Buffer[],
  extend: (at: number, around: Surrounded) => Span | undefined
): Span[] {
  const longest = indexOfLongest(lines)
  const line = lines[longest]
  const spans: Span[] = []
  if (line === undefined || line.length === 0) return spans
  const around = { line, before: lines.slice(0, longest).toReversed(), after: lines.slice(longest + 1) }
  for (let at = bytes.indexOf(line); at !== -1; at = bytes.indexOf(line, at + 1)) {
    const span = extend(at, around)
    if (span !== undefined && span.start >= (spans.at(-1)?.end ?? 0)) spans.push(span)
  }
  return spans
}

export const indexOfLongest = (lines: readonly { readonly length: number }[]): number =>
  lines.reduce((best, { length }, index) => (length > (lines[best]?.length ?? 0) ? index : best), 0)

const isThere = (bytes: Buffer, part: Buffer, at: number): boolean =>
  at + part.length <= bytes.length && bytes.compare(part, 0, part.length, at, at + part.length) === 0

function isTrimmed(bytes: Buffer, start: number, line: Buffer): boolean {
  let [from, to] = [start, lineStop(bytes, start)]
  while (from < to && isBlank(bytes[from])) from++
  while (to > from && isBlank(bytes[to - 1])) to--
  return to - from === line.length && isThere(bytes, line, from)
}

function lineOfOnly(bytes: Buffer, at: number, text: Buffer): Span | undefined {
  let [start, end] = [at, at + text.length]
  while (start > 0 && isBlank(bytes[start - 1])) start--
  while (end < bytes.length && isBlank(bytes[end])) end++
  const isWhole = (start === 0 || bytes[start - 1] === LF) && (end === bytes.length || bytes[end] === LF)
  return isWhole ? { start, end } : undefined
}

/** How many samples are taken to find rare bytes, and their size. */
const SAMPLES = 16
const SAMPLE = 4096

const RARE = 512

/** In bytes. Shorter content is searched fast enough anyway. */
const LARGE = 16 * SAMPLES * SAMPLE

/**
 * A function that returns the next index of `wanted` from an index on, or -1. Node stops at each occurrence of its
 * first byte; in most text it is several times faster to search for its rarest byte.
 */
export function searchFor(bytes: Buffer, wanted: Buffer): (from: number) => number {
  const plainly = (from: number): number => bytes.indexOf(wanted, from)
  const rarest = bytes.length < LARGE ? undefined : rarestIn(bytes, wanted)
  if (rarest === undefined) return plainly
  const { byte, index: rare } = rarest
  let stops = 0
  return from => {
    for (let at = bytes.indexOf(byte, from + rare); at !== -1; at = bytes.indexOf(byte, at + 1)) {
      const start = at - rare
      if (start + wanted.length > bytes.length) return -1
      if (bytes.compare(wanted, 0, wanted.length, start, start + wanted.length) === 0) return start
      // It was rare only in the samples.
      if (++stops > RARE && at < stops * RARE) return plainly(start + 1)
    }
    return -1
  }
}

function rarestIn(bytes: Buffer, wanted: Buffer): { readonly byte: number; readonly index: number } | undefined {
  const counts = new Uint32Array(256)
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor((sample * (bytes.length - SAMPLE)) / (SAMPLES - 1))
    for (const byte of bytes.subarray(start, start + SAMPLE)) counts[byte] = (counts[byte] ?? 0) + 1
  }
  const countOf = (byte: number): number => counts[byte] ?? 0
  const byte = wanted.reduce((best, each) => (countOf(each) < countOf(best) ? each : best), wanted[0] ?? 0)
  return countOf(byte) * RARE <= SAMPLES * SAMPLE ? { byte, index: wanted.indexOf(byte) } : undefined
}
