import { realPath } from '../../world/files/paths.ts'
import type { ToolInput } from '../built-in.ts'
import { foundIn, Matches } from './grep-lines.ts'
import { prefixOf, shownName } from '../files/escape-file-name.ts'
import { FoundFiles } from './found-files.ts'
import { MOST_RESULTS, NEWLINE, newestFirst, withoutRecords, type Searched } from './ripgrep.ts'
import type { SearchPlace } from './search-place.ts'
import type { ToolCall, ToolResult } from '../tool.ts'

type GrepInput = ToolInput<'Grep'>

/** An output mode; `undefined` if the call was aborted. */
type Mode = (input: GrepInput, place: SearchPlace, call: ToolCall) => Promise<ToolResult | undefined>

const SHOWN = 30_000
const HEAD_LIMIT = 250

export const filesOf: Mode = async (input, place, call) => {
  const files = new FoundFiles(place, call)
  const args = [...commonArgs(input), '--files-with-matches']
  // A match of several lines is not known by one.
  const first =
    input.multiline === true
      ? { ...(await files.find(args)), lines: new Map() }
      : await files.findFirst(commonArgs(input))
  const sorted = isOver(first) ? [] : await newestFirst(place, first.names)
  const page = new Page(input, SHOWN)
  const name = namer(place, call)
  const searched = await files.confirm(sorted, first.lines, { args, each: path => page.add(name(path)) })
  const filenames = page.lines
  const count = filenames.length
  return answer(joined(first, searched, page), page, files, {
    words: count === 0 ? ['No files found'] : [`Found ${count} ${count === 1 ? 'file' : 'files'}`, ...filenames],
    output: { mode: 'files_with_matches', filenames, numFiles: count, totalFiles: sorted.length }
  })
}

export const countsOf: Mode = async (input, place, call) => {
  const found: { readonly path: Buffer; readonly count: number }[] = []
  const files = new FoundFiles(place, call)
  const first = await files.find([...commonArgs(input), '--files-with-matches'])
  const page = new Page(input, SHOWN)
  const searched = await files.search(isOver(first) ? [] : first.names.toSorted(Buffer.compare), {
    args: [...commonArgs(input), '--count', '--with-filename', '--null'],
    separator: NEWLINE,
    each(record, nameOf) {
      const end = record.indexOf(0)
      found.push({ path: nameOf(record.subarray(0, end)), count: Number(record.subarray(end + 1)) })
      return true
    }
  })
  const name = namer(place, call)
  for (const { path, count } of found) if (!page.add(`${name(path)}:${count}`)) break
  const numMatches = found.reduce((sum, { count }) => sum + count, 0)
  const content = page.lines.join('\n')
  const total = `${numMatches} ${numMatches === 1 ? 'line matches' : 'lines match'} in ${found.length} ${found.length === 1 ? 'file' : 'files'}`
  return answer(joined(first, searched, page), page, files, {
    words: found.length === 0 ? ['No matches found'] : [...page.lines, total],
    output: { mode: 'count', numFiles: found.length, filenames: [], content, numMatches }
  })
}

export const contentOf: Mode = async (input, place, call) => {
  const files = new FoundFiles(place, call)
  const context = input.context ?? input['-C']
  const [before, after] = [input['-B'] ?? context ?? 0, input['-A'] ?? context ?? 0]
  const args = [...commonArgs(input), `--before-context=${before}`, `--after-context=${after}`]
  const name = namer(place, call)
  const writing = { numbers: input['-n'] !== false, only: input['-o'] === true, groups: before + after > 0 }
  let page = new Page(input, SHOWN)
  let matches = new Matches(writing, line => page.add(line))
  // Sorted, so that a page is the same each time.
  const first = await files.findLines([...args, '--sort=path'], (path, found) => matches.add(name(path), found))
  let searched: Searched = first
  if (!first.isSure) {
    page = new Page(input, SHOWN)
    matches = new Matches(writing, line => page.add(line))
    const second = await files.search(isOver(first) ? [] : first.names, {
      args: [...args, '--json'],
      separator: NEWLINE,
      each(record, nameOf) {
        const found = foundIn(record)
        return found === undefined || matches.add(name(nameOf(found.path)), found)
      }
    })
    searched = joined(first, second, page)
  }
  const content = page.lines.join('\n')
  return answer(searched, page, files, {
    words: content === '' ? ['No matches found'] : [content],
    output: { mode: 'content', numFiles: 0, filenames: [], content, numLines: page.lines.length }
  })
}

const isOver = ({ why, failure }: Searched): boolean => why === 'aborted' || failure !== undefined

/** How both parts of a search ended. A full page is no reason. */
function joined(first: Searched, second: Searched, { isCut }: Page): Searched {
  if (isOver(first) || second.why === 'ended' || (second.why === 'enough' && isCut))
    return { ...first, failure: first.failure ?? second.failure, trouble: first.trouble ?? second.trouble }
  return second
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

  get end(): number {
    return this.offset + this.#limit
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
  files: FoundFiles,
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
    ...files.notes
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
