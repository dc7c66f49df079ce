import type { PlainObject } from '../../util/plain.ts'
import { FILE_READERS, FILE_WRITERS } from '../../tool-table.ts'
import { resolve } from 'node:path'
import type { HostDialect, HostCall } from './dialect.ts'

/** A call of a host, as hooks and rules see it. */
export interface SeenCall {
  /** Several, if one call of the host stands for several. */
  readonly calls: readonly HostCall[]
  /** The folder that its relative paths are about. */
  readonly cwd: string
  /** The input with the host's keys; undefined if its call cannot be rewritten. */
  readonly inOwnKeys: ((input: PlainObject) => PlainObject) | undefined
}

export function seenCall(dialect: HostDialect, { name, input }: HostCall, cwd: string): SeenCall {
  const { tools, title } = dialect
  const row = Object.hasOwn(tools, name) ? tools[name] : undefined
  if (row?.inner !== undefined) return { ...seenCall(dialect, row.inner(input), cwd), inOwnKeys: undefined }
  if (row?.calls !== undefined) {
    const calls = row.calls(input).map(call => withAbsolutePath(call, cwd))
    if (calls.length === 0) throw new Error(`it is not known what this call of ${name} of ${title} would do`)
    return { calls, cwd, inOwnKeys: undefined }
  }
  const others = row === undefined ? (dialect.unlisted?.(name, input) ?? []) : []
  if (others.length > 1) return { calls: others, cwd, inOwnKeys: undefined }
  const chosen = row?.folder === undefined ? undefined : input[row.folder]
  const folder = typeof chosen === 'string' ? resolve(cwd, chosen) : cwd
  const keys = Object.entries(row?.keys ?? {})
  const own = new Map(keys.map(([theirs, ours]) => [ours, theirs]))
  const call = { name: row?.as ?? others[0]?.name ?? name, input: renamed(input, new Map(keys)) }
  return { calls: [withAbsolutePath(call, folder)], cwd: folder, inOwnKeys: changed => renamed(changed, own) }
}

const renamed = (input: PlainObject, names: ReadonlyMap<string, string>): PlainObject =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [names.get(key) ?? key, value]))

/** Claude Code names files by absolute paths, and hooks rely on that. */
function withAbsolutePath({ name, input }: HostCall, cwd: string): HostCall {
  const { file_path: path } = input
  const isOfFile = FILE_READERS.has(name) || FILE_WRITERS.has(name)
  return { name, input: isOfFile && typeof path === 'string' ? { ...input, file_path: resolve(cwd, path) } : input }
}

const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): *(.*?)\s*$/gm

/** The files that a patch of Codex's kind writes. */
export const patchedFiles = (patch: unknown): readonly HostCall[] =>
  Array.from(String(patch).matchAll(HEADER), ([, kind, file_path]) =>
    kind === 'Add File'
      ? { name: 'Write', input: { file_path, content: patch } }
      : { name: 'Edit', input: { file_path, old_string: '', new_string: patch } }
  )
