import { FILE_READERS, FILE_WRITERS } from '../tool-table.ts'
import { FileFinder, linkAt } from '../world/files/file-finder.ts'
import { literalNames, pathOf, patternOf, type PathPattern, type RulePlaces } from './path-pattern.ts'
import type { PathLookup, Rule } from './policy.ts'

const MOST_FILES = 50_000

type Find = () => { readonly names: ReadonlyMap<string, readonly string[]>; readonly whole: boolean }

const READY = new WeakMap<readonly Rule[], Find | undefined>()

/** For one call: finds hard links of files that rules refuse or ask about. They are collected when first needed. */
export function twinsFor(permissions: RulePlaces & { readonly rules: readonly Rule[] }): PathLookup['twins'] {
  const { rules } = permissions
  if (!READY.has(rules)) READY.set(rules, finderFor(rules, { roots: permissions.roots, home: permissions.home }))
  const find = READY.get(rules)
  if (find === undefined) return undefined
  let all: ReturnType<Find> | undefined
  return (path, link = linkAt(path)) => {
    if (link === undefined) return []
    all ??= find()
    return all.names.get(link) ?? (all.whole ? [] : undefined)
  }
}

function finderFor(rules: readonly Rule[], places: RulePlaces): Find | undefined {
  const patterns = rules.flatMap(({ behavior, tool, specifier }) =>
    behavior === 'allow' || specifier === undefined || !(FILE_READERS.has(tool) || FILE_WRITERS.has(tool))
      ? []
      : [patternOf(specifier, places, true)]
  )
  if (patterns.length === 0) return undefined
  const starts = searchStarts(patterns, places)
  const finder = new FileFinder(path => patterns.some(({ fits }) => fits(pathOf(path))), true)
  return () => {
    const { found, whole } = finder.find(starts, MOST_FILES)
    const names = new Map<string, string[]>()
    for (const { path, id = '' } of found) names.set(id, [...(names.get(id) ?? []), path])
    return { names, whole }
  }
}

/** The folders in which patterns may find something. One without a literal start is searched in the project's folders. */
export function searchStarts(patterns: readonly PathPattern[], { roots }: RulePlaces): readonly string[] {
  const names = patterns.flatMap(({ globs }) => globs.map(glob => literalNames(glob).literal))
  return [...new Set(names.flatMap(each => (each.length === 0 ? roots : [`/${each.join('/')}`])))]
}
