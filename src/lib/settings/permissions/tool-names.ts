import { OTHER_TOOL_NAMES, TOOL_NAMES, TOOL_SYNONYMS } from '../../tool-table.ts'
import { RENAMED } from '../../util/names.ts'
import { nearMiss } from '../../util/near.ts'

/** What a name stands for: a tool that is here or not, one that it misses narrowly, or nothing that is known. */
export type Naming = { readonly is: 'here' | 'elsewhere' | 'unknown' } | { readonly is: 'near'; readonly meant: string }

/** Reads the name of a tool. `more`: tools that somebody has added. Those of MCP servers are known later. */
export function namingOf(name: string, more: readonly string[] = []): Naming {
  const here = [...TOOL_NAMES, ...more]
  if (here.includes(RENAMED.get(name) ?? name) || name.startsWith('mcp__')) return { is: 'here' }
  if (OTHER_TOOL_NAMES.has(name)) return { is: 'elsewhere' }
  const meant =
    (Object.hasOwn(TOOL_SYNONYMS, name) ? TOOL_SYNONYMS[name] : undefined) ??
    nearMiss(name, [...here, ...RENAMED.keys()])
  if (meant !== undefined) return { is: 'near', meant }
  return { is: nearMiss(name, [...OTHER_TOOL_NAMES]) === undefined ? 'unknown' : 'elsewhere' }
}

/** Every name that a pattern may mean: tools that are here, and those that others have. */
export const ALL_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...RENAMED.keys(), ...OTHER_TOOL_NAMES]
