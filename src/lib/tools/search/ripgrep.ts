import { lstatSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { attempt } from '../../util/attempt.ts'
import { ByteRecords } from '../../world/process/byte-records.ts'
import type { Ended } from '../../world/process/process.ts'
import { processesOf, startProblem } from '../bash/processes.ts'
import { besides, type SearchPlace } from './search-place.ts'
import type { ToolCall } from '../tool.ts'

/** The time limit of a search, in milliseconds, */
export const SEARCH_TIME = 5_000
/** and the maximum number of results. */
export const MOST_RESULTS = 10_000
export const NEWLINE = 10
/** In bytes. Longer records are skipped. */
const LONGEST_RECORD = 16 * 1024 * 1024

export interface Searched {
  readonly why: 'ended' | 'enough' | 'timeout' | 'aborted'
  readonly failure?: string | undefined
  readonly trouble?: string | undefined
}

export interface Search extends Pick<SearchPlace, 'folder' | 'at'> {
  readonly args: readonly string[]
  /** Instead of the folder: opened files, and the paths by which ripgrep opens them. */
  readonly files?: { readonly paths: readonly string[]; readonly descriptors: readonly number[] }
  readonly separator: number
  /** Called with each record; return `false` to stop. */
  each(record: Buffer): boolean
  readonly longest?: number
}

/** Searches with ripgrep, whose patterns run in linear time. */
export async function ripgrep(call: ToolCall, search: Search): Promise<Searched> {
  const { folder, at, args, files } = search
  const { session, signal } = call
  const file = programPath()
  if (signal.aborted) return { why: 'aborted' }
  let errors = ''
  const records = new ByteRecords({
    separator: search.separator,
    longest: LONGEST_RECORD,
    take: record => void (search.each(record) || stop('enough'))
  })
  const listener = {
    stdout: (chunk: Buffer) => records.add(chunk),
    stderr: (chunk: Buffer) => void (errors.length < 4_000 && (errors += chunk.toString()))
  }
  const words = [...FIRST, ...args, ...besides(folder), '--', ...(files?.paths ?? ['./'])]
  const program = { file, args: words, isConfined: false, descriptors: files?.descriptors } as const
  const running = processesOf(session).start(program, at, session.env, listener)
  const { promise, resolve } = Promise.withResolvers<Searched>()
  const settle = (searched: Searched): void => {
    clearTimeout(limit)
    signal.removeEventListener('abort', abort)
    records.isOver = true
    resolve(searched)
  }
  const stop = (why: 'enough' | 'timeout' | 'aborted'): void => {
    running.end()
    settle({ why })
  }
  const abort = (): void => stop('aborted')
  const limit = setTimeout(stop, search.longest ?? SEARCH_TIME, 'timeout')
  signal.addEventListener('abort', abort)
  void running.ended.then(ended => settle(endOf(ended, errors, records.count)))
  return promise
}

const FIRST = ['--no-config', '--color=never', '--hidden']

/** Exit code 1 means that nothing was found, 2 that something failed, perhaps only for a few files. */
function endOf({ code, signal, error }: Ended, errors: string, count: number): Searched {
  if (error !== undefined) return { why: 'ended', failure: `it could not be started: ${startProblem(error)}` }
  const trouble = errors.replaceAll(/^rg: /gm, '').trim().slice(0, 2_000) || undefined
  if (code === 0 || code === 1) return { why: 'ended' }
  if (code === 2 && count > 0) return { why: 'ended', trouble }
  return { why: 'ended', failure: trouble ?? `it ended with ${signal ?? code}` }
}

let program: string | undefined

/**
 * The bundled program, or the installed one on platforms without it. Only a success is cached: a lookup without free
 * descriptors finds nothing.
 */
export function programPath(): string {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  try {
    const ours = import.meta.resolve('@vscode/ripgrep')
    program ??= createRequire(ours).resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`)
    return program
  } catch {
    return name
  }
}

/** Newest first, then by name. Files that are gone are left out. */
export async function newestFirst({ at: folder }: SearchPlace, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  const prefix = Buffer.from(join(folder, '/'))
  const aged: { readonly name: Buffer; readonly time: number }[] = []
  for (const [index, name] of names.entries()) {
    // Waiting for each would take several times as long.
    if (index % 256 === 255) await nextTurn()
    const time = attempt(() => lstatSync(Buffer.concat([prefix, name])).mtimeMs)
    if (time !== undefined) aged.push({ name, time })
  }
  return aged.toSorted((a, b) => b.time - a.time || Buffer.compare(a.name, b.name)).map(({ name }) => name)
}

/** The path without the leading `./` of ripgrep. */
export const bare = (path: Buffer): Buffer => (path[0] === 46 && path[1] === 47 ? path.subarray(2) : path)

const RECORDS = ['.git', '.svn', '.hg', '.bzr', '.jj', '.sl']

/** Excludes the folders of version control, unless the search names one. */
export const withoutRecords = (asked: string): readonly string[] =>
  RECORDS.filter(name => !asked.split('/').includes(name)).map(name => `--glob=!${name}`)
