import type { Rec } from './entry.ts'
import type { Cursor, Gap, Loaded, SessionKey, TranscriptStore } from './store.ts'

/** What is here was written by this version, or by one that knew no more. */
const KNOWN = new Set(['user', 'assistant', 'system', 'attachment', 'tool-intent', 'tool-outcome', 'tool-pending'])

/** All that a store has of a transcript. */
export async function loadWhole(store: TranscriptStore, key: SessionKey): Promise<Loaded | undefined> {
  const found = await store.load(key)
  if (found === undefined || found === null) return undefined
  return Array.isArray(found) ? { entries: found, gaps: [] } : found
}

/** The end of a transcript, from the last entry on that is a fresh start; all of it where there is none. */
export async function loadTail(
  store: TranscriptStore,
  key: SessionKey,
  isStart: (entry: Rec) => boolean
): Promise<Loaded | undefined> {
  if (store.page === undefined) {
    const whole = await loadWhole(store, key)
    return whole === undefined ? undefined : from(whole, isStart)
  }
  let entries: Rec[] = []
  let gaps: readonly Gap[] = []
  let before: Cursor | undefined
  do {
    const page = await store.page(key, before)
    if (page === undefined || page === null) return undefined
    const part = from(page, isStart)
    gaps = [...part.gaps, ...missingBetween(part.entries, entries), ...gaps]
    entries = part.entries.concat(entries)
    before = part === page ? page.before : undefined
  } while (before !== undefined)
  return { entries, gaps }
}

/** The part of it that begins with the last fresh start; all of it where there is none. */
function from(loaded: Loaded, isStart: (entry: Rec) => boolean): Loaded {
  const { entries, gaps, offsets } = loaded
  const first = entries.findLastIndex(isStart)
  if (first < 0) return loaded
  const begin = offsets?.[first] ?? 0
  return { entries: entries.slice(first), gaps: gaps.filter(({ at }) => at > begin) }
}

/** Pages are read one by one: what is missing between two of them is seen here. */
function missingBetween(earlier: readonly Rec[], later: readonly Rec[]): readonly Gap[] {
  const [last, next] = [Number(earlier.at(-1)?.['seq']), Number(later[0]?.['seq'])]
  return next > last + 1 ? [{ at: 0, length: 0, why: 'missing', seqs: [last + 1, next - 1] }] : []
}

/** The number of the last entry. */
export const lastSeq = (entries: readonly Rec[]): number =>
  entries.reduce((last, { seq }) => Math.max(last, Number(seq) || 0), entries.length)

/** Whether this version knows entries of this type. */
export const isKnown = ({ type }: Rec): boolean => KNOWN.has(type)

/** A type of entry that this version does not know. */
export const unknownType = (entries: readonly Rec[]): string | undefined => entries.find(entry => !isKnown(entry))?.type
