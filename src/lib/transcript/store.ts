import type { Holder } from '../world/lock/lock.ts'
import type { Rec } from './entry.ts'

/** Identifies a transcript: of a session or, with `subpath`, of one of its subagents (`subagents/agent-…`). */
export interface SessionKey {
  /** Identifies the project; by default the path of its folder, with `-` for all but letters and digits. */
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string | undefined
}

/** Two methods make a store (`sessionStore` of the Claude Agent SDK); the others make it faster or safer. */
export interface TranscriptStore {
  /** Appends entries. Settles when they are durable. Calls for one transcript never overlap. */
  append(key: SessionKey, entries: Rec[]): Promise<void>
  /** All entries in order, or null or undefined if there is no such transcript. */
  load(key: SessionKey): Promise<Rec[] | LoadedTranscript | null | undefined>
  /** A part of the entries, starting from the end. Without it, all are loaded. */
  page?(key: SessionKey, before: Cursor | undefined): Promise<Page | null | undefined>
  /** Makes this process the only writer. Without it, users of the store must ensure that themselves. */
  open?(key: SessionKey, doing: () => string): Promise<TranscriptWriter | { readonly holder: Holder }>
  listSessions?(projectKey: string): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]>
  listSubkeys?(key: Omit<SessionKey, 'subpath'>): Promise<readonly string[]>
  /** Deletes the transcript. Not an error if it does not exist. */
  delete?(key: SessionKey): Promise<void>
  /** The file in which hooks can read it. */
  pathOf?(key: SessionKey): string
}

/** The position of a page, opaque to everything but the store that returned it. */
export type Cursor = number | string

export interface Page extends LoadedTranscript {
  /** Where the previous page ends; undefined if there is none. */
  readonly before: Cursor | undefined
}

/** The entries that could be read, and the gaps. */
export interface LoadedTranscript {
  readonly entries: Rec[]
  readonly gaps: readonly Gap[]
  /** The byte offset of each entry, if the store knows it. */
  readonly offsets?: readonly number[]
}

/** A place where data is missing or invalid. */
export interface Gap {
  readonly at: number
  readonly length: number
  readonly why: GapKind
  readonly seqs?: readonly [first: number, last: number]
  /** In a transcript of Claude Code: the id of a missing line, the parent of the line at this offset. */
  readonly uuid?: string
}

/**
 * `torn`: an entry is cut off · `damaged`: these bytes are not an entry · `missing`: entries are gone · `duplicate`:
 * the same entry again · `moved`: an entry out of order · `conflict`: two entries with one number · `foreign`: an entry
 * of another transcript · `unsealed`: written by another program, among our entries.
 */
export type GapKind = 'torn' | 'damaged' | 'missing' | 'duplicate' | 'moved' | 'conflict' | 'foreign' | 'unsealed'

/** The only writer of a transcript. */
export interface TranscriptWriter {
  /** The sequence number of the last entry; 0 if there is none. */
  readonly last: number
  /** Appends an entry; `json` is its JSON. Others can read it from then on. After one failure every call throws. */
  write(entry: Rec, json?: string): void
  /** Settles when all entries so far are durable. */
  flush(): Promise<void>
  close(): Promise<void>
}
