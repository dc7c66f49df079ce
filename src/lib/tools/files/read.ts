import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nearest } from '../../errors.ts'
import { explained, fillFrom, openFile, readAll, shownPath, type OpenFile } from '../../world/files/files.ts'
import { fingerprint } from '../../world/files/fingerprint.ts'
import { READ_LINES } from '../../tool-table.ts'
import { builtInTool, type ToolInput } from '../built-in.ts'
import { fileSubject, judgedPath, withFilePath } from './tool-paths.ts'
import { presentRead } from '../present.ts'
import { LONGEST_LINE, readFileLines, type Lines, type LineRange } from './read-lines.ts'
import { remember } from './files-read.ts'
import type { Tool, ToolCall, ToolResult, ToolSession } from '../tool.ts'

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
    const path = judgedPath(input, call.session)
    const file = await openFile(path).catch(async error => {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT'
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
  const names = await readdir(dirname(path)).catch(() => [])
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
