import { FILE_READERS, FILE_WRITERS } from '../tool-table.ts'
import { FileFinder, linkAt } from '../world/files/file-finder.ts'
import { literalNames, pathOf, patternOf } from './path-pattern.ts'
import type { PathPattern, RuledFiles, RulePlaces, SplitPath } from './path-pattern.ts'
import type { Rule } from './policy.ts'

const MOST_FILES = 50_000

interface Finder {
  readonly starts: readonly string[]
  readonly files: FileFinder
}

const READY = new WeakMap<readonly Rule[], { readonly roots: readonly string[]; readonly finder: Finder | undefined }>()

/** For one call. Files are looked for when first needed. */
export function ruledFiles(permissions: RulePlaces & { readonly rules: readonly Rule[] }): RuledFiles | undefined {
  const { rules, roots, home } = permissions
  let ready = READY.get(rules)
  if (ready?.roots !== roots) READY.set(rules, (ready = { roots, finder: finderFor(rules, { roots, home }) }))
  const { finder } = ready
  if (finder === undefined) return undefined
  let byLink: ReturnType<typeof namesByLink> | undefined
  const folders = new Map<string, readonly SplitPath[] | undefined>()
  return {
    twins: (path, link = linkAt(path)) => {
      if (link === undefined) return []
      byLink ??= namesByLink(finder)
      return byLink.names.get(link) ?? (byLink.whole ? [] : undefined)
    },
    below: folder => {
      if (!folders.has(folder)) folders.set(folder, filesBelow(finder, folder))
      return folders.get(folder)
    }
  }
}

function finderFor(rules: readonly Rule[], places: RulePlaces): Finder | undefined {
  const patterns = rules.flatMap(({ behavior, tool, specifier }) =>
    behavior === 'allow' || specifier === undefined || !(FILE_READERS.has(tool) || FILE_WRITERS.has(tool))
      ? []
      : [patternOf(specifier, places, true)]
  )
  if (patterns.length === 0) return undefined
  const files = new FileFinder(path => patterns.some(({ fits }) => fits(pathOf(path))), true)
  return { files, starts: searchStarts(patterns, places) }
}

function namesByLink({ files, starts }: Finder): {
  readonly names: ReadonlyMap<string, string[]>
  readonly whole: boolean
} {
  const { found, whole } = files.find(starts, MOST_FILES)
  const names = new Map<string, string[]>()
  for (const { path, id = '' } of found) names.set(id, [...(names.get(id) ?? []), path])
  return { names, whole }
}

function filesBelow({ files }: Finder, folder: string): readonly SplitPath[] | undefined {
  const { found, whole } = files.find([folder], MOST_FILES)
  return whole ? found.map(({ path }) => pathOf(path)) : undefined
}

/** The folders in which patterns may find something. One without a literal start is searched in the project's folders. */
export function searchStarts(patterns: readonly PathPattern[], { roots }: RulePlaces): readonly string[] {
  const names = patterns.flatMap(({ globs }) => globs.map(glob => literalNames(glob).literal))
  return [...new Set(names.flatMap(each => (each.length === 0 ? roots : [`/${each.join('/')}`])))]
}
