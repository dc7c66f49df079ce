import { isLiteral } from '../../util/path-glob.ts'
import { realPath } from '../../world/files/paths.ts'
import { builtInTool, type ToolInput } from '../built-in.ts'
import { prefixOf, shownName } from '../files/escape-file-name.ts'
import { absolutePath, fileSubject, judgedPath } from '../files/tool-paths.ts'
import { presentGlob } from '../present.ts'
import { bare, MOST_RESULTS, newestFirst, ripgrep, withoutRecords, type Searched } from './ripgrep.ts'
import { placeAt, ReadableFiles } from './search-place.ts'
import { failed, type Tool, type ToolCall, type ToolResult } from '../tool.ts'

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
    const asked = await placeAt(realPath(input.path ?? cwd))
    if ('problem' in asked) return failed(asked.problem)
    if (asked.name !== undefined) return failed(`${input.path} is a file; "path" must be a folder`)
    const { folder: base, glob } = baseOf(input, cwd)
    const folder = judgedPath(input, call.session, base)
    const found: Buffer[] = []
    const searched = await filesIn(call, folder, glob, found)
    if (searched.failure !== undefined) return failed(searched.failure)
    if (searched.why === 'aborted') return failed('the search was interrupted')
    const shown = new ReadableFiles({ folder }, call.session)
    const names = await newestFirst(
      folder,
      found.filter(name => shown.has(name))
    )
    const prefix = prefixOf(folder, realPath(cwd))
    return resultOf(names, { ...searched, prefix, shown, durationMs: performance.now() - begun })
  }
})

async function filesIn(call: ToolCall, folder: string, glob: string, found: Buffer[]): Promise<Searched> {
  const place = await placeAt(folder)
  // A folder that only the pattern names need not exist.
  if ('problem' in place || place.name !== undefined) return { why: 'ended' }
  return ripgrep(call, {
    args: ['--files', '--null', '--no-ignore', `--glob=${glob}`, ...withoutRecords(glob)],
    place,
    separator: 0,
    each: record => found.push(bare(record)) < MOST_RESULTS
  })
}

function baseOf({ pattern, path }: ToolInput<'Glob'>, cwd: string): { readonly folder: string; readonly glob: string } {
  const from = path ?? cwd
  const parts = pattern.split('/')
  const magic = parts.findIndex(part => !isLiteral(part))
  const fixed = parts.slice(0, magic === -1 ? parts.length - 1 : magic)
  if (fixed.length === 0) return { folder: from, glob: pattern.startsWith('!') ? `\\${pattern}` : pattern }
  const folder = realPath(fixed.join('/') || '/', from)
  const rest = parts.slice(fixed.length).join('/')
  return { folder, glob: `/${rest === '' ? '**' : rest}` }
}

interface Found extends Searched {
  readonly prefix: string
  readonly shown: ReadableFiles
  readonly durationMs: number
}

function resultOf(names: readonly Buffer[], { why, trouble, prefix, shown, durationMs }: Found): ToolResult {
  const filenames = names.slice(0, MOST_SHOWN).map(name => shownName(Buffer.concat([Buffer.from(prefix), name])))
  const truncated = names.length > MOST_SHOWN
  const all = why === 'ended' ? names.length : `more than ${names.length}`
  const notes = [
    ...(truncated ? [`(These are the first ${MOST_SHOWN} of ${all} files. Use a narrower pattern or path.)`] : []),
    ...(why === 'timeout' ? ['(The search took too long and was ended: there may be more. Use a narrower path.)'] : []),
    ...(trouble === undefined ? [] : [`(Not everything could be searched: ${trouble})`]),
    ...shown.notes
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
