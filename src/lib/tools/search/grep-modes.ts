import { realPath } from '../../world/files/paths.ts'
import type { ToolInput } from '../built-in.ts'
import { Matches } from './grep-lines.ts'
import { prefixOf, shownName } from '../files/escape-file-name.ts'
import { bare, MOST_RESULTS, newestFirst, ripgrep, withoutRecords, type Searched } from './ripgrep.ts'
import { ReadableFiles, type SearchPlace } from './search-place.ts'
import type { ToolCall, ToolResult } from '../tool.ts'

type GrepInput = ToolInput<'Grep'>

/** An output mode; `undefined` if the call was aborted. */
type Mode = (input: GrepInput, place: SearchPlace, call: ToolCall) => Promise<ToolResult | undefined>

const NEWLINE = 10
const SHOWN = 30_000
const HEAD_LIMIT = 250

export const filesOf: Mode = async (input, place, call) => {
  const found: Buffer[] = []
  const searched = await ripgrep(call, {
    args: [...commonArgs(input), '--files-with-matches', '--null'],
    place,
    separator: 0,
    each: record => found.push(bare(record)) < MOST_RESULTS
  })
  const shown = new ReadableFiles(place, call.session)
  const readable = found.filter(path => shown.has(path))
  const sorted = searched.why === 'aborted' ? [] : await newestFirst(place.folder, readable)
  const page = new Page(input, SHOWN)
  const name = namer(place, call)
  for (const each of sorted) if (!page.add(name(each))) break
  const filenames = page.lines
  const count = filenames.length
  return answer(searched, page, shown, {
    words: count === 0 ? ['No files found'] : [`Found ${count} ${count === 1 ? 'file' : 'files'}`, ...filenames],
    output: { mode: 'files_with_matches', filenames, numFiles: count, totalFiles: sorted.length }
  })
}

export const countsOf: Mode = async (input, place, call) => {
  const found: { readonly path: Buffer; readonly count: number }[] = []
  const shown = new ReadableFiles(place, call.session)
  let begun: Buffer[] = []
  const searched = await ripgrep(call, {
    args: [...commonArgs(input), '--count', '--with-filename', '--null'],
    place,
    separator: NEWLINE,
    each(record) {
      // A name may contain a newline: the count follows a NUL.
      const end = record.indexOf(0)
      if (end === -1) return begun.push(record, Buffer.of(NEWLINE)) < MOST_RESULTS
      const path = Buffer.concat([...begun, record.subarray(0, end)])
      begun = []
      if (!shown.has(bare(path))) return true
      return found.push({ path: bare(path), count: Number(record.subarray(end + 1)) }) < MOST_RESULTS
    }
  })
  found.sort((a, b) => Buffer.compare(a.path, b.path))
  const page = new Page(input, SHOWN)
  const name = namer(place, call)
  for (const { path, count } of found) if (!page.add(`${name(path)}:${count}`)) break
  const numMatches = found.reduce((sum, { count }) => sum + count, 0)
  const content = page.lines.join('\n')
  const total = `${numMatches} ${numMatches === 1 ? 'line matches' : 'lines match'} in ${found.length} ${found.length === 1 ? 'file' : 'files'}`
  return answer(searched, page, shown, {
    words: found.length === 0 ? ['No matches found'] : [...page.lines, total],
    output: { mode: 'count', numFiles: found.length, filenames: [], content, numMatches }
  })
}

export const contentOf: Mode = async (input, place, call) => {
  const page = new Page(input, SHOWN)
  const shown = new ReadableFiles(place, call.session)
  const context = input.context ?? input['-C']
  const [before, after] = [input['-B'] ?? context ?? 0, input['-A'] ?? context ?? 0]
  const matches = new Matches(
    {
      shows: path => shown.has(path),
      name: namer(place, call),
      numbers: input['-n'] !== false,
      only: input['-o'] === true,
      groups: before + after > 0
    },
    line => page.add(line)
  )
  const searched = await ripgrep(call, {
    // Sorted, so that a page is the same each time.
    args: [...commonArgs(input), '--json', '--sort=path', `--before-context=${before}`, `--after-context=${after}`],
    place,
    separator: NEWLINE,
    each: record => matches.read(record)
  })
  const content = page.lines.join('\n')
  return answer(searched, page, shown, {
    words: content === '' ? ['No matches found'] : [content],
    output: { mode: 'content', numFiles: 0, filenames: [], content, numLines: page.lines.length }
  })
}

function namer({ folder }: SearchPlace, { session }: ToolCall): (path: Buffer) => string {
  const prefix = Buffer.from(prefixOf(folder, realPath(session.cwd)))
  return path => shownName(Buffer.concat([prefix, path]))
}

class Page {
  readonly lines: string[] = []
  readonly offset: number
  isCut = false
  readonly #limit: number
  #room: number
  #passed = 0

  constructor({ offset = 0, head_limit = HEAD_LIMIT }: GrepInput, room: number) {
    this.offset = offset
    this.#limit = head_limit === 0 ? Number.POSITIVE_INFINITY : head_limit
    this.#room = room
  }

  add(line: string): boolean {
    if (this.#passed++ < this.offset) return true
    this.isCut = this.lines.length >= this.#limit || line.length > this.#room
    if (this.isCut) return false
    this.#room -= line.length + 1
    this.lines.push(line)
    return true
  }
}

function answer(
  { why, failure, trouble }: Searched,
  page: Page,
  shown: ReadableFiles,
  { words, output }: { readonly words: readonly string[]; readonly output: Readonly<Record<string, unknown>> }
): ToolResult | undefined {
  if (why === 'aborted') return undefined
  const late = why === 'timeout' ? TOO_LONG : undefined
  const error = failure ?? (page.lines.length === 0 ? late : undefined)
  if (error !== undefined) return { content: error, output: { ...output, ...(late && { timedOut: true }) }, error }
  const end = page.offset + page.lines.length
  const notes = [
    ...(page.isCut ? [`(${page.offset + 1} to ${end} are shown. There is more: ask with "offset": ${end}.)`] : []),
    ...(late === undefined ? [] : [`(${late} There may be more.)`]),
    ...(why === 'enough' && !page.isCut ? [`(The search ended after ${MOST_RESULTS} files. There may be more.)`] : []),
    ...(trouble === undefined ? [] : [`(Not everything could be searched: ${trouble})`]),
    ...shown.notes
  ]
  return {
    content: [...words, ...notes].join('\n'),
    output: {
      ...output,
      ...(page.isCut && { appliedLimit: page.lines.length }),
      ...(page.offset > 0 && { appliedOffset: page.offset }),
      ...(late !== undefined && { timedOut: true })
    }
  }
}

const TOO_LONG = 'The search took too long and was ended. Give a narrower path, glob or type.'

function commonArgs(input: GrepInput): readonly string[] {
  const globs = globsIn(input.glob ?? '')
  return [
    ...(input['-i'] === true ? ['--ignore-case'] : []),
    ...(input.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    ...globs.map(glob => `--glob=${glob}`),
    ...withoutRecords(globs.join('/')),
    `--regexp=${input.pattern}`
  ]
}

/** Several may be given, separated by spaces or commas; those in braces belong together. */
const globsIn = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .flatMap(part => (part.includes('{') ? [part] : part.split(',')))
    .filter(Boolean)
