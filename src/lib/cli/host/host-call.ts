import { resolve } from 'node:path'
import type { PlainObject } from '../../util/plain.ts'
import type { HostDialect, HostCall } from './dialect.ts'
import { checkPaths, checkToolKeys, mayAlsoDo, withAbsolutePaths } from './plain-input.ts'

/** A call of a host, as hooks and rules see it. */
export interface SeenCall {
  /** Several, if one call of the host stands for several. */
  readonly calls: readonly HostCall[]
  /** What it may do besides. Only refusals of these count. */
  readonly also: readonly HostCall[]
  /** The folder that its relative paths are about. */
  readonly cwd: string
  /** The input with the host's keys; undefined if its call cannot be rewritten. */
  readonly inOwnKeys: ((input: PlainObject) => PlainObject) | undefined
}

/** Throws if it is not certain what the call would do. */
export function seenCall(dialect: HostDialect, { name, input }: HostCall, cwd: string): SeenCall {
  const { tools, title, unlisted } = dialect
  const row = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (row?.inner !== undefined) return { ...seenCall(dialect, row.inner(input), cwd), inOwnKeys: undefined }
  if (row !== undefined) checkToolKeys(row, input, cwd)
  const others = row === undefined ? (unlisted?.(name, input) ?? []) : row.calls?.(input)
  if (others?.length === 0 && row !== undefined)
    throw new Error(`it is not known what this call of ${name} of ${title} would do`)
  if (others !== undefined && (others.length > 1 || row !== undefined))
    return { calls: others.map(call => judgeable(call, cwd)), also: [], cwd, inOwnKeys: undefined }
  const chosen = row?.folder === undefined ? undefined : input[row.folder]
  const folder = typeof chosen === 'string' ? resolve(cwd, chosen) : cwd
  const keys = Object.entries(row?.keys ?? {})
  const own = new Map(keys.map(([theirs, ours]) => [ours, theirs]))
  const call = { name: row?.as ?? others?.[0]?.name ?? name, input: renamed(input, new Map(keys)) }
  return {
    calls: [judgeable(call, folder)],
    also: row === undefined ? mayAlsoDo(call).map(each => judgeable(each, folder)) : [],
    cwd: folder,
    inOwnKeys: changed => renamed(changed, own)
  }
}

function judgeable(call: HostCall, cwd: string): HostCall {
  checkPaths(call)
  return withAbsolutePaths(call, cwd)
}

const renamed = (input: PlainObject, names: ReadonlyMap<string, string>): PlainObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]))

/** Each line of a patch that is not part of a file's text; only `\n` ends a line. */
const HEADER = /^[\s\p{C}\p{Z}]*\*\*\*\s*(.*)$/su
const FILE = /^(Add File|Update File|Delete File|Move to): ?(.*)$/s

/** The files that a patch of Codex's kind writes. */
export function patchedFiles(patch: unknown): readonly HostCall[] {
  // For some agents this ends a line, too.
  if (/\r(?!\n)/.test(String(patch))) return []
  const headers = String(patch)
    .split('\n')
    .flatMap(line => HEADER.exec(line)?.[1] ?? [])
  const isKnown = headers.every(header => FILE.test(header) || /^(Begin Patch|End Patch|End of File)\s*$/.test(header))
  if (!isKnown) return []
  return headers.flatMap(header => {
    const [, kind, file_path] = FILE.exec(header) ?? []
    if (kind === undefined) return []
    const text = { old_string: '', new_string: patch }
    return kind === 'Add File'
      ? { name: 'Write', input: { file_path, content: patch } }
      : { name: 'Edit', input: { file_path, ...text } }
  })
}
