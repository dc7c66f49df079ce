import type { Rec } from './entry.ts'
import { isObject } from '../util/plain.ts'
import type { Cursor, Gap, GapKind, LoadedTranscript, Page, SessionKey, TranscriptStore } from './store.ts'

const KNOWN = new Set(['user', 'assistant', 'system', 'attachment', 'tool-intent', 'tool-outcome', 'tool-pending'])

export async function loadWhole(store: TranscriptStore, key: SessionKey): Promise<LoadedTranscript | undefined> {
  const found = await store.load(key)
  if (found === undefined || found === null) return undefined
  return Array.isArray(found) ? { entries: entriesIn(found), gaps: [] } : loadedIn(found)
}

/** A store may be implemented by the caller: check what it returns. */
function loadedIn(found: LoadedTranscript): LoadedTranscript {
  const { entries, gaps } = found as Partial<LoadedTranscript>
  if (!Array.isArray(entries)) throw new Error('the transcript store returned something that is not a list of entries')
  return { ...found, entries: entriesIn(entries), gaps: gaps ?? [] }
}

const entriesIn = (found: Rec[]): Rec[] => (found.every(isEntry) ? found : found.filter(isEntry))

const isEntry = (value: unknown): boolean => isObject(value) && typeof value['type'] === 'string'

/** The entries from the last fresh start on, or all if there is none. `kept` reduces each to what is held. */
export async function loadTail(
  store: TranscriptStore,
  key: SessionKey,
  isStart: (entry: Rec) => boolean,
  kept: (entry: Rec) => Rec = entry => entry
): Promise<LoadedTranscript | undefined> {
  const whole = async (): Promise<LoadedTranscript | undefined> => {
    const all = await loadWhole(store, key)
    return all && from(all, isStart)
  }
  if (store.page === undefined) return whole()
  const parts: LoadedTranscript[] = []
  let before: Cursor | undefined
  do {
    const given = await store.page(key, before)
    if (given === undefined || given === null) return undefined
    const page: Page = { ...loadedIn(given), before: given.before }
    const part = from(page, isStart)
    // Entries out of order can be detected only in the whole file.
    if (!follows(part, parts.at(-1))) return whole()
    parts.push({ ...part, entries: part.entries.map(kept) })
    before = part === page ? page.before : undefined
  } while (before !== undefined)
  parts.reverse()
  return {
    entries: parts.flatMap(({ entries }) => entries),
    gaps: parts.flatMap(({ gaps }) => gaps),
    offsets: parts.flatMap(({ offsets }) => offsets ?? [])
  }
}

/** Whether a page has no gaps and the next page continues where it ends. A torn entry at the end is accepted. */
function follows({ entries, gaps }: LoadedTranscript, later: LoadedTranscript | undefined): boolean {
  const [last, next] = [entries.at(-1)?.['seq'], later?.entries[0]?.['seq']]
  const isNext = last === undefined || next === undefined || Number(next) === Number(last) + 1
  return isNext && entries.length > 0 && gaps.every(({ why }) => why === 'torn')
}

function from(loaded: LoadedTranscript, isStart: (entry: Rec) => boolean): LoadedTranscript {
  const { entries, gaps, offsets } = loaded
  const first = entries.findLastIndex(isStart)
  if (first < 0) return loaded
  const begin = offsets?.[first] ?? 0
  const left = { entries: entries.slice(first), gaps: gaps.filter(({ at }) => at > begin) }
  return offsets === undefined ? left : { ...left, offsets: offsets.slice(first) }
}

/** An entry without its frame: a resumed session needs only the event, its time and its sequence number. */
export const withoutFrame = ({
  parentUuid: _parent,
  sessionId: _session,
  cwd: _cwd,
  version: _version,
  userType: _user,
  entrypoint: _entrypoint,
  crc: _sum,
  mac: _signature,
  ...rest
}: Rec): Rec => rest

export function isLossy({ entries, gaps, offsets }: LoadedTranscript, behind: number): boolean {
  const number = Number(entries[behind]?.['seq'] ?? 0)
  const end = offsets?.at(-1) ?? Number.POSITIVE_INFINITY
  return gaps.some(({ why, at, seqs }) => (why === 'missing' ? (seqs?.[1] ?? 0) > number : LOSSES.has(why) && at > end))
}

const LOSSES: ReadonlySet<GapKind> = new Set<GapKind>(['damaged', 'foreign', 'unsealed'])

export function gapText({ at, length, why, seqs, uuid }: Gap): string {
  if (uuid !== undefined) return `line ${uuid} is ${why} before byte ${at}`
  if (seqs === undefined) return `${why} at byte ${at} (${length} ${length === 1 ? 'byte' : 'bytes'})`
  const [first, last] = seqs
  return `${first === last ? `entry ${first} is` : `entries ${first} to ${last} are`} ${why} before byte ${at}`
}

export const lastSeq = (entries: readonly Rec[]): number =>
  entries.reduce((last, { seq }) => Math.max(last, Number(seq) || 0), entries.length)

export const isKnown = ({ type }: Rec): boolean => KNOWN.has(type)

export const unknownType = (entries: readonly Rec[]): string | undefined => entries.find(entry => !isKnown(entry))?.type
