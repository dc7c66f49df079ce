import { folderOfGlob } from '../../util/path-glob.ts'
import { isFolder, isThere, realPath } from '../../world/files/paths.ts'
import { builtInTool, type ToolInput } from '../built-in.ts'
import { prefixOf, shownName } from '../files/escape-file-name.ts'
import { absolutePath, fileSubject, judgedFile } from '../files/tool-paths.ts'
import { presentGlob } from '../present.ts'
import { FoundFiles } from './found-files.ts'
import { newestFirst, withoutRecords, type Searched } from './ripgrep.ts'
import { openPlace, placeProblem } from './search-place.ts'
import { failed, type Tool, type ToolResult } from '../tool.ts'

const MOST_SHOWN = 100

export const globTool: Tool = builtInTool('Glob', {
  description: `Finds files whose path matches a pattern, newest first, at most ${MOST_SHOWN}.

- A pattern without "/" matches in all folders.
- Hidden files and those in .gitignore are found, too; files in .git and the like are not.
- Links are not followed. A name that does not fit on a line is quoted for the shell: $'a\\nb'.`,
  check({ pattern, path }, session) {
    if (pattern === '' || pattern.includes('\0')) return { problem: '"pattern" is empty, or holds a NUL character' }
    if (path === undefined || path === '') return { input: { pattern } }
    const found = absolutePath(path, session)
    return 'problem' in found ? found : { input: { pattern, path: found.path } }
  },
  subject: (input, session) => fileSubject(input, 'read', session, baseOf(input, session.cwd).folder),
  present: presentGlob,
  async run(input, call) {
    const { cwd } = call.session
    const begun = performance.now()
    const asked = realPath(input.path ?? cwd)
    const problem = placeProblem(asked)
    if (problem !== undefined) return failed(problem)
    if (!isFolder(asked)) return failed(`${input.path} is a file; "path" must be a folder`)
    const { folder, glob } = baseOf(input, cwd)
    const place = await openPlace(judgedFile(input, call.session, folder))
    if ('problem' in place) {
      if (isThere(folder)) return failed(place.problem)
      // A folder that only the pattern names need not exist.
      return resultOf([], { why: 'ended', durationMs: performance.now() - begun })
    }
    try {
      const files = new FoundFiles(place, call)
      const found = await files.find(['--files', '--no-ignore', `--glob=${glob}`, ...withoutRecords(glob)])
      if (found.failure !== undefined) return failed(found.failure)
      if (found.why === 'aborted') return failed('the search was interrupted')
      const names = await newestFirst(place, found.names)
      const prefix = prefixOf(place.folder, realPath(cwd))
      return resultOf(names, { ...found, prefix, files, durationMs: performance.now() - begun })
    } finally {
      await place.close()
    }
  }
})

function baseOf({ pattern, path }: ToolInput<'Glob'>, cwd: string): { readonly folder: string; readonly glob: string } {
  const from = path ?? cwd
  const [fixed, rest] = folderOfGlob(pattern)
  if (fixed === undefined) return { folder: from, glob: pattern.startsWith('!') ? `\\${pattern}` : pattern }
  return { folder: realPath(fixed, from), glob: `/${rest === '' ? '**' : rest}` }
}

interface Found extends Searched {
  readonly prefix?: string
  readonly files?: FoundFiles
  readonly durationMs: number
}

function resultOf(names: readonly Buffer[], { why, trouble, prefix = '', files, durationMs }: Found): ToolResult {
  const shown = names.slice(0, MOST_SHOWN).filter(name => files?.isThere(name))
  const filenames = shown.map(name => shownName(Buffer.concat([Buffer.from(prefix), name])))
  const truncated = names.length > MOST_SHOWN
  const all = why === 'ended' ? names.length : `more than ${names.length}`
  const notes = [
    ...(truncated ? [`(These are the first ${MOST_SHOWN} of ${all} files. Use a narrower pattern or path.)`] : []),
    ...(why === 'timeout' ? ['(The search took too long and was ended: there may be more. Use a narrower path.)'] : []),
    ...(trouble === undefined ? [] : [`(Not everything could be searched: ${trouble})`]),
    ...(files?.notes ?? [])
  ]
  return {
    content: [...(filenames.length === 0 ? ['No files found'] : filenames), ...notes].join('\n'),
    output: {
      filenames,
      durationMs: Math.round(durationMs),
      numFiles: filenames.length,
      truncated,
      totalMatches: names.length,
      countIsComplete: why === 'ended',
      ...(why === 'timeout' && { timedOut: true })
    }
  }
}
