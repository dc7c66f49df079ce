import type { Fit } from './command-fits.ts'
import type { CallFacts } from './decide.ts'
import { FILE_READERS, FILE_SEARCHERS, FILE_WRITERS } from '../tool-table.ts'
import { pathsGiven, pathsNamedBy } from './named-paths.ts'
import { pathOf, patternOf, type SplitPath, type PathPattern, type RulePlaces } from './path-pattern.ts'
import type { Rule } from './rule.ts'

/**
 * Whether a rule about files is about a call. `Edit(…)` means every tool that changes files, `Read(…)` every one that
 * looks at them; what may not be read may not be changed either. Files are judged by their real path; rules that refuse
 * or ask also by the name that was given.
 */
export function concernsFile(rule: Rule, specifier: string, call: CallFacts, places: RulePlaces): Fit {
  if (rule.behavior === 'allow') return allowsFile(rule, specifier, call, places) ? 'yes' : 'no'
  const pattern = patternOf(specifier, places, true)
  const { paths, unsure } = pathsOf(call, places)
  // A command that names such a file may do with it what the rule is about.
  if (call.subject?.kind === 'command') return unsure || paths.some(pattern.fits) ? 'maybe' : 'no'
  if (!isAbout(rule, call)) return 'no'
  if (paths.some(pattern.fits)) return 'yes'
  if (unsure || paths.some(pattern.fitsLoosely)) return 'maybe'
  // `/etc/**` begins at the project. Somebody may have meant the other one.
  if (/^\/[^/]/.test(specifier) && paths.some(patternOf(`/${specifier}`, places, true).fits)) return 'maybe'
  return FILE_SEARCHERS.has(call.tool) && findsIn(pattern, paths, places) ? 'maybe' : 'no'
}

function findsIn(pattern: PathPattern, paths: readonly SplitPath[], { roots, leavesOut }: RulePlaces): boolean {
  if (leavesOut === true) return false
  return (paths.length === 0 ? roots.map(pathOf) : paths).some(pattern.reachesInto)
}

function allowsFile(rule: Rule, specifier: string, { tool, subject }: CallFacts, places: RulePlaces): boolean {
  if (subject?.kind !== 'file') return false
  const family =
    rule.tool === 'Edit' ? FILE_WRITERS.has(tool) : rule.tool === 'Read' ? FILE_READERS.has(tool) : rule.tool === tool
  const access = FILE_READERS.has(rule.tool) ? 'read' : 'write'
  return family && subject.access === access && patternOf(specifier, places, false).fits(pathOf(subject.path))
}

function isAbout(rule: Rule, { tool, subject }: CallFacts): boolean {
  if (FILE_READERS.has(rule.tool)) return subject?.kind === 'file' || FILE_READERS.has(tool) || FILE_WRITERS.has(tool)
  return (subject?.kind === 'file' && subject.access === 'write') || FILE_WRITERS.has(tool)
}

interface About {
  readonly root: string | undefined
  readonly paths: readonly SplitPath[]
  readonly unsure: boolean
}

const KNOWN = new WeakMap<CallFacts, About>()

function pathsOf(call: CallFacts, places: RulePlaces): About {
  const [root] = places.roots
  const known = KNOWN.get(call)
  if (known !== undefined && known.root === root) return known
  const { subject, input } = call
  const given = [input['file_path'], input['notebook_path'], input['path']].filter(path => typeof path === 'string')
  const named =
    subject?.kind === 'command'
      ? pathsNamedBy(subject.command, places, call)
      : pathsGiven([...(subject?.kind === 'file' ? [subject.path] : []), ...given], root ?? '/', call)
  const about = { root, paths: Array.from(named.paths, pathOf), unsure: named.unsure !== undefined }
  KNOWN.set(call, about)
  return about
}
