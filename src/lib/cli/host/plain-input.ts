import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { FILE_READERS, FILE_USERS, FILE_WRITERS, TOOL_TABLE } from '../../tool-table.ts'
import type { PlainObject } from '../../util/plain.ts'
import type { HostCall, HostTool } from './dialect.ts'

const PATH_KEYS = ['file_path', 'notebook_path', 'path'] as const

/** Agents read these in ways of their own: `@` and `~`, addresses, blanks at an end, characters that cannot be seen. */
const ODD_PATH = /^[@~]|^\s|\s$|^[a-z]+:\/\/|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[^\S ]/iu

const usesFiles = (tool: string): boolean => FILE_READERS.has(tool) || FILE_WRITERS.has(tool)

/** Claude Code names files by absolute paths, and hooks rely on that. */
export function withAbsolutePaths({ name, input }: HostCall, cwd: string): HostCall {
  const paths = usesFiles(name) ? PATH_KEYS.filter(key => typeof input[key] === 'string') : []
  return { name, input: { ...input, ...Object.fromEntries(paths.map(key => [key, resolve(cwd, String(input[key]))])) } }
}

/** Throws where agents may read a path differently. */
export function checkPaths({ name, input }: HostCall): void {
  if (!usesFiles(name)) return
  if (FILE_USERS.has(name) && PATH_KEYS.every(key => input[key] === undefined))
    throw new Error(`it is not known which file this call of ${name} is about`)
  for (const key of PATH_KEYS) {
    const path = input[key]
    if (path !== undefined && (typeof path !== 'string' || ODD_PATH.test(path)))
      throw new Error(
        `it is not certain which file ${JSON.stringify(path)} is: write an absolute path without blanks around it`
      )
  }
}

/** Keys that may choose a file, a folder, a command or an address. */
const TELLING_KEY = /path|file|dir|folder|cwd|command|cmd|script|url|uri/i

/** Throws if a call of a tool has keys of which it is not known what the host makes of them. */
export function checkToolKeys(row: HostTool, input: PlainObject, cwd: string): void {
  const { as, keys = {}, known = [], folder = '', findsFiles } = row
  if (!usesFiles(as) && as !== 'Bash' && as !== 'WebFetch') return
  const table: Readonly<Record<string, { readonly input: object }>> = TOOL_TABLE
  const ours = [...Object.keys(table[as]?.input ?? {}).map(key => key.replace('?', '')), ...PATH_KEYS]
  const theirs = ours.filter(key => !Object.values(keys).includes(key))
  const listed = new Set([...theirs, ...Object.keys(keys), ...known, folder])
  const stray = Object.keys(input).find(
    key => !listed.has(key) && typeof input[key] !== 'boolean' && (ours.includes(key) || TELLING_KEY.test(key))
  )
  if (stray !== undefined) throw new Error(`it is not known what the key ${stray} of this call does: leave it out`)
  const path = input['file_path']
  if (findsFiles === true && typeof path === 'string' && !isAbsolute(path) && !existsSync(resolve(cwd, path)))
    throw new Error(`there is no file ${path}, and the agent would look for another one of that name`)
}

/** What a tool that no table lists may do, by its keys: it is refused if that is. */
export function mayAlsoDo({ name, input }: HostCall): readonly HostCall[] {
  if (name.startsWith('mcp__') || Object.hasOwn(TOOL_TABLE, name)) return []
  const { command, cmd = command } = input
  const paths = PATH_KEYS.flatMap(key => (typeof input[key] === 'string' ? input[key] : []))
  return [
    ...(typeof cmd === 'string' ? [{ name: 'Bash', input: { command: cmd } }] : []),
    ...paths.flatMap(file_path => [
      { name: 'Read', input: { file_path } },
      { name: 'Edit', input: { file_path, old_string: '', new_string: '' } }
    ])
  ]
}
