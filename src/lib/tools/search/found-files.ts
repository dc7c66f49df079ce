import { join } from 'node:path'
import { attempt } from '../../util/attempt.ts'
import { closeFound, hasLines, isPlaced, openFound, type FoundFile, type Lines } from '../../world/files/found-file.ts'
import type { ToolCall, ToolSession } from '../tool.ts'
import { foundIn, type FoundText } from './grep-lines.ts'
import { bare, MOST_RESULTS, NEWLINE, ripgrep, SEARCH_TIME, type Search, type Searched } from './ripgrep.ts'
import type { SearchPlace } from './search-place.ts'

/** Files that one process searches by their descriptors, */
const BATCH = 512
/** and files that are opened to confirm a line in each: a few more than a page lists. */
const PAGE = 256

interface FileSearch {
  readonly args: readonly string[]
  readonly separator: number
  /** Called with each record, and with a function that gives the name of a path in it; return `false` to stop. */
  each(record: Buffer, nameOf: (path: Buffer) => Buffer): boolean
}

/** The names of files in which something was found. */
interface FoundNames extends Searched {
  readonly names: readonly Buffer[]
}

/** One line of each file, unless it is long. */
const FIRST_LINE = [
  '--null',
  '--max-count=1',
  '--byte-offset',
  '--no-line-number',
  '--no-heading',
  '--max-columns=4000'
]

/**
 * The files of a search. A file that a process finds by walking may be exchanged for a link before it is read. So each
 * found file is opened and judged, and only what the opened file contains is shown: the found lines, if they are at
 * their place in it, or else what a search by its descriptor finds.
 */
export class FoundFiles {
  readonly #place: SearchPlace
  readonly #call: ToolCall
  readonly #mayRead: ReturnType<NonNullable<ToolSession['mayRead']>>
  readonly #known = new Map<string, boolean>()
  readonly #deadline = performance.now() + SEARCH_TIME
  #leftOut = 0

  constructor(place: SearchPlace, call: ToolCall) {
    this.#place = place
    this.#call = call
    this.#mayRead = call.session.mayRead?.() ?? (() => true)
  }

  #has(name: Buffer, link?: string): boolean {
    const text = name.toString()
    const key = `${link}/${text}`
    let shown = this.#known.get(key)
    if (shown === undefined) {
      shown = this.#mayRead(join(this.#place.folder, text), link)
      if (!shown) this.#leftOut++
      this.#known.set(key, shown)
    }
    return shown
  }

  /** The file, opened and judged; undefined if it is gone, exchanged for a link, or may not be shown. */
  #open(name: Buffer): FoundFile | undefined {
    const file = openFound(this.#place, name)
    if (file?.link === undefined || this.#has(name, file.link)) return file
    closeFound(file)
    return undefined
  }

  /** What `use` makes of the file; undefined if the file does not exist. */
  #with<T>(name: Buffer, use: (file: FoundFile) => T): T | undefined {
    const file = this.#open(name)
    if (file === undefined) return undefined
    try {
      return use(file)
    } finally {
      closeFound(file)
    }
  }

  /** Whether a file is at this place, and may be shown. */
  isThere(name: Buffer): boolean {
    return this.#with(name, () => true) === true
  }

  /** The names of files in which ripgrep finds something. */
  find(args: readonly string[]): Promise<FoundNames> {
    const names: Buffer[] = []
    const each = (record: Buffer): boolean => !this.#has(bare(record)) || names.push(bare(record)) < MOST_RESULTS
    return this.#walk(names, { args: ['--null', ...args], separator: 0, each })
  }

  /** The same, with the first line that it finds in each file. */
  async findFirst(args: readonly string[]): Promise<FoundNames & { readonly lines: ReadonlyMap<Buffer, Lines> }> {
    const lines = new Map<Buffer, Lines>()
    const names: Buffer[] = []
    let begun: readonly Buffer[] = []
    const each = (record: Buffer): boolean => {
      // A name may contain a newline. A NUL follows it, then the offset, a colon and the line.
      const [end, colon] = [record.indexOf(0), record.indexOf(58, record.indexOf(0))]
      if (end === -1) return (begun = [...begun, record, Buffer.of(NEWLINE)]).length < MOST_RESULTS
      const name = bare(Buffer.concat([...begun, record.subarray(0, end)]))
      begun = []
      if (!this.#has(name)) return true
      lines.set(name, { offset: Number(record.subarray(end + 1, colon)), bytes: record.subarray(colon + 1) })
      return names.push(name) < MOST_RESULTS
    }
    return { ...(await this.#walk(names, { args: [...FIRST_LINE, ...args], separator: NEWLINE, each })), lines }
  }

  /** The names of those files that have their line, or in which a search finds something, in this order. */
  async confirm(
    names: readonly Buffer[],
    lines: ReadonlyMap<Buffer, Lines>,
    { args, each }: { readonly args: readonly string[]; each(name: Buffer): boolean }
  ): Promise<Searched> {
    let searched: Searched = { why: 'ended' }
    for (let at = 0; at < names.length && isGoingOn(searched); at += PAGE) {
      const batch = names.slice(at, at + PAGE)
      const sure = new Set(batch.filter(name => this.#with(name, file => hasLines(file, lines.get(name)))))
      searched = await this.search(
        batch.filter(name => !sure.has(name)),
        { args: ['--null', ...args], separator: 0, each: (record, nameOf) => sure.add(nameOf(record)).size > 0 }
      )
      if (!batch.every(name => !sure.has(name) || each(name))) return { why: 'enough' }
    }
    return searched
  }

  /** The lines that ripgrep finds. `isSure` is false if a file did not have them when it was opened. */
  async findLines(
    args: readonly string[],
    each: (name: Buffer, found: FoundText) => boolean
  ): Promise<FoundNames & { readonly isSure: boolean }> {
    const names: Buffer[] = []
    let isSure = this.#place.file === undefined
    let last: FoundFile | undefined
    const take = (record: Buffer): boolean => {
      const found = foundIn(record)
      const name = found === undefined ? undefined : bare(found.path)
      if (found === undefined || name === undefined || !this.#has(name)) return true
      if (names.at(-1)?.equals(name) !== true) {
        names.push(name)
        if (last !== undefined) closeFound(last)
        // Without free descriptors the next search says so.
        last = attempt(() => this.#open(name))
      }
      if (last !== undefined && hasLines(last, found)) return each(name, found)
      isSure = false
      return names.length < MOST_RESULTS
    }
    try {
      const searched = await this.#walk(names, { args: ['--json', ...args], separator: NEWLINE, each: take })
      return { ...searched, isSure }
    } finally {
      if (last !== undefined) closeFound(last)
    }
  }

  /** Lets ripgrep search the place. What it finds is added to `names`, which is the file alone where that is the place. */
  async #walk(names: Buffer[], search: Pick<Search, 'args' | 'separator' | 'each'>): Promise<FoundNames> {
    const { file, at, folder } = this.#place
    if (file !== undefined) return { why: 'ended', names: this.#has(file.name, file.link) ? [file.name] : [] }
    const { why, failure, trouble } = await ripgrep(this.#call, { ...search, folder, at })
    return { why, failure: this.#messagesOf(failure), trouble: this.#messagesOf(trouble), names }
  }

  /** Messages without those about a file that is not at that place: it is gone, or the way to it was a link. */
  #messagesOf(messages: string | undefined): string | undefined {
    const kept = messages?.split('\n').filter(message => {
      const [, name] = /^\.\/(.*): [^:]*$/.exec(message) ?? []
      return name === undefined || isPlaced(this.#place, Buffer.from(name))
    })
    return kept?.join('\n') || undefined
  }

  /** Searches these files in this order, by their descriptors. */
  async search(names: readonly Buffer[], search: FileSearch): Promise<Searched> {
    let searched: Searched = { why: 'ended' }
    const { file } = this.#place
    for (let at = 0; at < names.length && isGoingOn(searched); at += BATCH) {
      const batch = names.slice(at, at + BATCH)
      const opened = file === undefined ? batch.flatMap(name => this.#open(name) ?? []) : []
      try {
        searched = await this.#searchOpened(file === undefined ? opened : [file], search)
      } finally {
        opened.forEach(closeFound)
      }
    }
    return searched
  }

  async #searchOpened(files: readonly FoundFile[], { args, separator, each }: FileSearch): Promise<Searched> {
    if (files.length === 0) return { why: 'ended' }
    const { folder } = this.#place
    const descriptors = files.flatMap(({ descriptor }) => descriptor ?? [])
    const paths = files.map(({ path }, index) => (descriptors.length === 0 ? path : `/proc/self/fd/${index + 3}`))
    const names = new Map(files.map(({ name }, index) => [paths[index], name]))
    return ripgrep(this.#call, {
      args: ['--threads=1', ...args],
      folder,
      at: '/',
      files: { paths, descriptors },
      separator,
      each: record => each(record, path => names.get(path.toString()) ?? path),
      longest: this.#deadline - performance.now()
    })
  }

  get notes(): readonly string[] {
    const out = this.#leftOut
    return out === 0 ? [] : [`(${out} ${out === 1 ? 'file is' : 'files are'} left out: a rule forbids reading them.)`]
  }
}

const isGoingOn = ({ why, failure }: Searched): boolean => why === 'ended' && failure === undefined
