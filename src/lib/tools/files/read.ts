import { isUtf8 } from 'node:buffer'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nearest } from '../../errors.ts'
import { explained, fillFrom, openJudged, readAll, shownPath, type OpenFile } from '../../world/files/files.ts'
import { holdFolder } from '../../world/files/folders.ts'
import { fingerprint, stretchOf, type Fingerprint } from '../../world/files/fingerprint.ts'
import { READ_LINES } from '../../tool-table.ts'
import { builtInTool, type ToolInput } from '../built-in.ts'
import { fileSubject, judgedFile, withFilePath } from './tool-paths.ts'
import { presentRead } from '../present.ts'
import { LARGEST, remember } from './files-read.ts'
import type { Tool, ToolCall, ToolResult, ToolSession } from '../tool.ts'

/** In characters. Longer lines are cut. */
const LONGEST_LINE = 2000
const CHARACTERS = 256 * 1024
const CHARACTERS_IF_ALLOWED = 4 * CHARACTERS
const LARGEST_IMAGE = 3_750_000

const DESCRIPTION = `Reads a file.
- Text is shown with the number of each line and a tab in front; they are not part of the file. All line ends are shown alike, whichever the file uses.
- Up to ${READ_LINES} lines are shown at once; use offset and limit for other parts. Lines beyond ${LONGEST_LINE} characters are cut.
- Pictures (PNG, JPEG, GIF, WebP) are shown as such. Other files that are not text cannot be read, nor can folders: list those with Glob or a command.
- A file must have been read before it can be changed with Edit or Write.
- Several files can be read in one answer.`

export const readTool: Tool = builtInTool('Read', {
  description: DESCRIPTION,
  check: withFilePath,
  subject: (input, session) => fileSubject(input, 'read', session),
  present: presentRead,
  async run(input, call) {
    const judged = judgedFile(input, call.session)
    const { path } = judged
    const file = await openJudged(judged).catch(async error => {
      throw /^(ENOENT|ESTALE)$/.test((error as NodeJS.ErrnoException).code ?? '')
        ? await missing(path, call.session)
        : explained(error, path)
    })
    try {
      return await show(file, input, call)
    } catch (error) {
      throw explained(error, path)
    } finally {
      await file.handle.close()
    }
  }
})

async function missing(path: string, session: ToolSession): Promise<Error> {
  const folder = await holdFolder(dirname(path)).catch(() => undefined)
  const names = folder === undefined ? [] : await readdir(folder.at('.')).catch(() => [])
  await folder?.handle.close()
  const near = nearest(basename(path), names.slice(0, 1000))
  const hint = near === undefined ? '' : ` Did you mean ${shownPath(join(dirname(path), near))}?`
  return new Error(`File does not exist. Note: your current working directory is ${shownPath(session.cwd)}.${hint}`)
}

async function show(file: OpenFile, input: ToolInput<'Read'>, { session, signal }: ToolCall): Promise<ToolResult> {
  const head = Buffer.alloc(Math.min(HEAD, Number(file.stat.size)))
  const type = imageType(head.subarray(0, await fillFrom(file.handle, head, 0)))
  if (type !== undefined) return showImage(file, type, session)
  refuseBinary(head, file.path)
  const first = Math.max(1, input.offset ?? 1)
  const most = input.allow_large === true ? CHARACTERS_IF_ALLOWED : CHARACTERS
  const wanted = { first, count: input.limit ?? READ_LINES, most }
  const found = await readFileLines(file, wanted, signal)
  if (found.isWhole) {
    const isPartial = first > 1 || found.lines.length < found.total || found.cut > 0
    remember(session, file, found.hash, isPartial)
  }
  return { content: contentOf(file, found, wanted), output: outputOf(input.file_path, found, wanted) }
}

function outputOf(path: string, { lines, total, isFull }: Lines, { first }: LineRange): unknown {
  const file = {
    filePath: path,
    content: lines.join('\n'),
    numLines: lines.length,
    startLine: first,
    totalLines: total
  }
  return { type: 'text', file: { ...file, ...(isFull && { truncatedByTokenCap: true }) } }
}

function contentOf({ stat }: OpenFile, found: Lines, { first }: LineRange): string {
  const { lines, total, isWhole, isFull, cut, garbled } = found
  if (stat.size === 0n) return '[The file exists and is empty.]'
  if (lines.length === 0) return `[There is no line ${first}: the file has ${total} lines.]`
  const next = first + lines.length
  const notes = [
    isWhole && next > total ? '' : `Lines ${first} to ${next - 1} of ${isWhole ? total : 'a very large file'}`,
    isFull ? 'more does not fit at once' : '',
    isWhole && next > total ? '' : `read on with offset ${next}`,
    cut > 0 ? `${cut} long ${cut === 1 ? 'line is' : 'lines are'} cut` : '',
    garbled > 0 ? `\uFFFD stands for bytes that are not UTF-8 (in ${garbled} lines); Edit leaves such lines alone` : ''
  ].filter(Boolean)
  const text = lines.map((line, index) => `${first + index}\t${line}`).join('\n')
  return notes.length === 0 ? text : `${text}\n\n[${notes.join('; ')}.]`
}

async function showImage(file: OpenFile, type: string, session: ToolSession): Promise<ToolResult> {
  const { stat, path } = file
  if (stat.size > LARGEST_IMAGE) {
    throw new Error(
      `${shownPath(path)} is a picture of ${stat.size} bytes; up to ${LARGEST_IMAGE} can be shown. Scale it down`
    )
  }
  const bytes = await readAll(file)
  remember(session, file, fingerprint(bytes), false)
  const data = bytes.toString('base64')
  return {
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }],
    output: { type: 'image', file: { base64: data, type, originalSize: bytes.length } }
  }
}

const HEAD = 8192

const IMAGES: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/]
]

function imageType(head: Buffer): string | undefined {
  const beginning = head.toString('hex', 0, 16)
  return IMAGES.find(([, pattern]) => pattern.test(beginning))?.[0]
}

/** Throws if content that starts like this is not text, or not in an encoding that can be searched as UTF-8. */
export function refuseBinary(head: Buffer, path: string): void {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (isWide) throw new Error(`${shownPath(path)} is UTF-16; convert it to UTF-8 first, for example with iconv`)
  if (!head.subarray(0, HEAD).includes(0)) return
  const what = head.toString('latin1', 0, 5) === '%PDF-' ? 'a PDF' : 'a binary file (it holds NUL bytes)'
  throw new Error(`${shownPath(path)} is ${what}, not text; look into it with a command`)
}

interface LineRange {
  readonly first: number
  readonly count: number
  readonly most: number
}

interface Lines {
  readonly lines: readonly string[]
  /** The number of lines; if the file was not read to its end, the number found so far. */
  readonly total: number
  /** The file was read to its end. Then `hash` is that of the whole file. */
  readonly isWhole: boolean
  readonly isFull: boolean
  readonly cut: number
  readonly garbled: number
  readonly hash: Fingerprint
}

const KEPT = LONGEST_LINE * 4

const BLOCK = 4 * 1024 * 1024

/**
 * Reads lines from a file of any size, holding one block and the lines in memory. Files that are too large to edit are
 * read only as far as needed, and never beyond that size.
 */
async function readFileLines({ handle, stat }: OpenFile, wanted: LineRange, signal: AbortSignal): Promise<Lines> {
  const size = Number(stat.size)
  const isKnown = size <= LARGEST
  // Blocks of whole stretches: their fingerprints, joined, are the fingerprint of the file.
  const stretch = isKnown ? stretchOf(size) : BLOCK
  const block = Buffer.allocUnsafeSlow(Math.min(size, Math.max(1, Math.floor(BLOCK / stretch)) * stretch))
  const reader = new LineReader(wanted)
  const prints: Fingerprint[] = []
  let at = 0
  while (at < Math.min(size, LARGEST)) {
    if (!isKnown && reader.isDone) break
    signal.throwIfAborted()
    const room = block.subarray(0, Math.min(block.length, size - at))
    const bytes = room.subarray(0, await fillFrom(handle, room, at))
    if (bytes.length === 0) break
    if (isKnown) prints.push(fingerprint(bytes, size))
    reader.take(bytes)
    at += bytes.length
  }
  if (isKnown || !reader.isDone) reader.end()
  const { lines, number, isFull, cut, garbled } = reader
  return { lines, total: number - 1, isFull, cut, garbled, isWhole: isKnown, hash: prints.join(',') }
}

class LineReader {
  readonly lines: string[] = []
  cut = 0
  garbled = 0
  isFull = false
  number = 1
  readonly #range: LineRange
  #characters = 0
  #begun: Buffer[] = []
  #kept = 0
  #length = 0

  constructor(range: LineRange) {
    this.#range = range
  }

  get isDone(): boolean {
    return this.isFull || this.number >= this.#range.first + this.#range.count
  }

  take(bytes: Buffer): void {
    let at = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
      this.#add(bytes.subarray(at, end), true)
      at = end + 1
    }
    this.#add(bytes.subarray(at), false)
  }

  /** What follows the last line end is a line, too, even if it is empty. */
  end(): void {
    this.#add(Buffer.alloc(0), true)
  }

  #add(bytes: Buffer, isEnded: boolean): void {
    if (this.number >= this.#range.first && !this.isDone) {
      this.#length += bytes.length
      // The block is reused for the next one.
      const piece = Buffer.from(bytes.subarray(0, KEPT - this.#kept))
      this.#kept += piece.length
      if (piece.length > 0) this.#begun.push(piece)
      if (isEnded) this.#finish()
    }
    if (isEnded) this.number++
  }

  #finish(): void {
    const [first] = this.#begun
    const whole = first !== undefined && this.#begun.length === 1 ? first : Buffer.concat(this.#begun)
    const hasMark = this.number === 1 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf
    const bytes = hasMark ? whole.subarray(3) : whole
    const isLong = this.#length > this.#kept
    const text = bytes.toString('utf8').replace(/\r$/, '')
    const line = isLong || text.length > LONGEST_LINE ? this.#shortened(text, bytes) : text
    const size = line.length + 1
    this.isFull = this.lines.length > 0 && this.#characters + size > this.#range.most
    if (!this.isFull) {
      this.lines.push(line)
      this.#characters += size
      if (isLong ? line.includes('\uFFFD') : !isUtf8(bytes)) this.garbled++
    }
    this.#begun = []
    this.#kept = 0
    this.#length = 0
  }

  #shortened(text: string, bytes: Buffer): string {
    this.cut++
    const kept = text.slice(0, LONGEST_LINE).replace(/[\uD800-\uDBFF]$/, '')
    const rest = this.#length - (this.#kept - bytes.length) - Buffer.byteLength(kept)
    return `${kept}… [cut here: ${rest} more bytes in this line]`
  }
}
