import { FILE_READERS, FILE_SEARCHERS, FILE_WRITERS, isReadOnly } from '../tool-table.ts'
import { folderOfGlob } from '../util/path-glob.ts'
import type { PlainObject } from '../util/plain.ts'
import { resolvePath } from '../world/files/paths.ts'
import type { CallFacts, PathLookup, Policy } from './policy.ts'

/** What a call is about, without its tool: for rules alone. `lookup`: how its paths are looked at. */
export function factsOf(tool: string, input: PlainObject, policy: Policy, lookup: PathLookup = {}): CallFacts {
  const cwd = lookup.cwd ?? policy.roots[0] ?? process.cwd()
  const path =
    input['file_path'] ?? input['notebook_path'] ?? input['path'] ?? (FILE_SEARCHERS.has(tool) ? '.' : undefined)
  const { pattern } = input
  const below = tool === 'Glob' && typeof pattern === 'string' ? folderOfGlob(pattern)[0] : undefined
  const access = FILE_WRITERS.has(tool) ? 'write' : FILE_READERS.has(tool) ? 'read' : undefined
  const { command, url } = input
  const subject: CallFacts['subject'] =
    tool === 'Bash' && typeof command === 'string'
      ? { kind: 'command', command }
      : access !== undefined && typeof path === 'string'
        ? { kind: 'file', path: resolvePath(below ?? '.', resolvePath(path, cwd).path).path, access }
        : typeof url === 'string'
          ? { kind: 'url', url }
          : undefined
  return { tool, input, subject, readOnly: access === 'read' || isReadOnly(tool), ...lookup, cwd }
}

/** The input of a call of which people write only the main value. */
export function mainInput(tool: string, text: string): PlainObject {
  const isUrl = tool === 'WebFetch'
  const key = tool === 'Bash' ? 'command' : isUrl ? 'url' : FILE_SEARCHERS.has(tool) ? 'path' : 'file_path'
  return { [key]: text }
}
