import { structuredPatch as compareLines } from 'diff'

/** One hunk of a difference: lines that start with a blank (kept), `-` (removed) or `+` (added). */
export interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

/** In characters. Larger texts are not compared. */
export const LARGEST_PATCHED = 1024 * 1024

/** With more differences than this, comparing takes too long: the whole text counts as replaced. */
const OPTIONS = { context: 3, maxEditLength: 800 }

export function structuredPatch(before: string, after: string): readonly Hunk[] {
  if (before === after) return []
  return compareLines('', '', before, after, '', '', OPTIONS)?.hunks ?? replaced(before, after)
}

const replaced = (before: string, after: string): readonly Hunk[] =>
  [compareLines('', '', before, '', '', ''), compareLines('', '', '', after, '', '')].flatMap(({ hunks }) => hunks)
