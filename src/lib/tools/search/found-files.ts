import { join } from 'node:path'
import { closeFound, isPlaced, openFound, type FoundFile } from '../../world/files/found-file.ts'
import type { ToolCall, ToolSession } from '../tool.ts'
import { bare, MOST_RESULTS, ripgrep, SEARCH_TIME, type Searched } from './ripgrep.ts'
import type { SearchPlace } from './search-place.ts'

/** Files that are open at the same time: more than a page lists, so that mostly one process searches them all. */
const BATCH = 512

interface FileSearch {
  readonly args: readonly string[]
  readonly separator: number
  /** Called with each record, and with a function that gives the name of a path in it; return `false` to stop. */
  each(record: Buffer, nameOf: (path: Buffer) => Buffer): boolean
}

/**
 * The files of a search. A file that a process finds by walking may be exchanged for a link before it is read. So each
 * found file is opened and judged, and searched again by its descriptor; only that result is shown.
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

  has(name: Buffer, link?: string): boolean {
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
  open(name: Buffer): FoundFile | undefined {
    const file = openFound(this.#place, name)
    if (file?.link === undefined || this.has(name, file.link)) return file
    closeFound(file)
    return undefined
  }

  /** Whether a file is at this place, and may be shown. */
  isThere(name: Buffer): boolean {
    const file = this.open(name)
    if (file !== undefined) closeFound(file)
    return file !== undefined
  }

  /** The names of files in which ripgrep finds something. */
  async find(args: readonly string[], most = MOST_RESULTS): Promise<Searched & { readonly names: readonly Buffer[] }> {
    const { file, at, folder } = this.#place
    if (file !== undefined) return { why: 'ended', names: this.has(file.name, file.link) ? [file.name] : [] }
    const names: Buffer[] = []
    const each = (record: Buffer): boolean => !this.has(bare(record)) || names.push(bare(record)) < most
    const searched = await ripgrep(this.#call, { args: ['--null', ...args], folder, at, separator: 0, each })
    return {
      ...searched,
      failure: this.#messagesOf(searched.failure),
      trouble: this.#messagesOf(searched.trouble),
      names
    }
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
    for (let at = 0; at < names.length && searched.why === 'ended' && searched.failure === undefined; at += BATCH) {
      const batch = names.slice(at, at + BATCH)
      const opened = file === undefined ? batch.flatMap(name => this.open(name) ?? []) : []
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
