import { collect, linkedFile, type Collected } from '../world/files/hard-links.ts'
import { FILE_READERS, FILE_WRITERS } from '../tool-table.ts'
import type { PathLookup } from './named-paths.ts'
import { literalNames, pathOf, patternOf, type RulePlaces } from './path-pattern.ts'
import type { Rule } from './rule.ts'

const READY = new WeakMap<readonly Rule[], PathLookup['twins']>()

/** Finds other names (hard links) of files that rules refuse or ask about; collected once, when first needed. */
export function twinsFor(permissions: RulePlaces & { readonly rules: readonly Rule[] }): PathLookup['twins'] {
  const { rules } = permissions
  if (!READY.has(rules)) READY.set(rules, finderFor(rules, { roots: permissions.roots, home: permissions.home }))
  return READY.get(rules)
}

function finderFor(rules: readonly Rule[], places: RulePlaces): PathLookup['twins'] {
  const patterns = rules.flatMap(({ behavior, tool, specifier }) =>
    behavior === 'allow' || specifier === undefined || !(FILE_READERS.has(tool) || FILE_WRITERS.has(tool))
      ? []
      : [patternOf(specifier, places, true)]
  )
  if (patterns.length === 0) return undefined
  const names = patterns.flatMap(({ globs }) => globs.map(glob => literalNames(glob).literal))
  // What may be anywhere is looked for where the work is.
  const beginnings = names.flatMap(each => (each.length === 0 ? places.roots : [`/${each.join('/')}`]))
  let collected: Collected | undefined
  return path => {
    const id = linkedFile(path)
    if (id === undefined) return []
    collected ??= collect(beginnings, each => patterns.some(({ fits }) => fits(pathOf(each))))
    return collected.names.get(id) ?? (collected.whole ? [] : undefined)
  }
}
