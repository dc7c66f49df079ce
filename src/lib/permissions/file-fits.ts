import { resolve } from 'node:path'
import { wordsIn, type Fit } from './command-fits.ts'
import type { Call } from './decide.ts'
import { READERS, SEARCHERS, WRITERS } from './file-tools.ts'
import { fitsLoosely, fitsPath, globsOf, reachesInto, type Places } from './paths.ts'
import type { Rule } from './rule.ts'

/**
 * Whether a rule about files is about a call. `Edit(…)` means every tool that changes files, `Read(…)` every one that
 * looks at them; what may not be read may not be changed either. Files are judged by their real path; rules that refuse
 * or ask also by the name that was given.
 */
export function concernsFile(rule: Rule, specifier: string, call: Call, places: Places): Fit {
  if (rule.behavior === 'allow') return allowsFile(rule, specifier, call, places) ? 'yes' : 'no'
  const globs = globsOf(specifier, places, true)
  if (call.subject?.kind === 'command') return mentions(globs, call.subject.command, places)
  if (!isAbout(rule, call)) return 'no'
  const paths = pathsOf(call, places)
  if (paths.length === 0)
    return READERS.includes(call.tool) && READERS.includes(rule.tool) ? inFolder(globs, places) : 'no'
  if (paths.some(path => fitsPath(globs, path))) return 'yes'
  if (paths.some(path => fitsLoosely(globs, path))) return 'maybe'
  // `/etc/**` begins at the project. Somebody may have meant the other one.
  if (/^\/[^/]/.test(specifier) && paths.some(path => fitsPath(globsOf(`/${specifier}`, places, true), path)))
    return 'maybe'
  return SEARCHERS.includes(call.tool) && places.leavesOut !== true && paths.some(path => reachesInto(globs, path))
    ? 'maybe'
    : 'no'
}

/** A search that names no folder is one of all folders. */
const inFolder = (globs: readonly string[], { roots, leavesOut }: Places): Fit =>
  leavesOut !== true && roots.some(root => reachesInto(globs, root)) ? 'maybe' : 'no'

function allowsFile(rule: Rule, specifier: string, { tool, subject }: Call, places: Places): boolean {
  if (subject?.kind !== 'file') return false
  const family =
    rule.tool === 'Edit' ? WRITERS.includes(tool) : rule.tool === 'Read' ? READERS.includes(tool) : rule.tool === tool
  const access = READERS.includes(rule.tool) ? 'read' : 'write'
  return family && subject.access === access && fitsPath(globsOf(specifier, places, false), subject.path)
}

/** A rule about reading is about every file; one about writing about those that are written. */
function isAbout(rule: Rule, { tool, subject }: Call): boolean {
  if (READERS.includes(rule.tool)) return subject?.kind === 'file' || READERS.includes(tool) || WRITERS.includes(tool)
  return (subject?.kind === 'file' && subject.access === 'write') || WRITERS.includes(tool)
}

function pathsOf({ subject, input }: Call, { roots }: Places): readonly string[] {
  const real = subject?.kind === 'file' ? [subject.path] : []
  const given = [input['file_path'], input['notebook_path'], input['path']].filter(path => typeof path === 'string')
  return [...real, ...given.map(path => resolve(roots[0] ?? '/', path))]
}

/** A command that names such a file may do with it what the rule is about. Where it runs is not known here. */
function mentions(globs: readonly string[], command: string, { roots, home }: Places): Fit {
  const paths = wordsIn(command).flatMap(word => {
    const path = home !== undefined && word.startsWith('~/') ? home + word.slice(1) : word
    return path === '' || path.startsWith('-') ? [] : [resolve(roots[0] ?? '/', path)]
  })
  return paths.some(path => fitsPath(globs, path)) ? 'maybe' : 'no'
}
