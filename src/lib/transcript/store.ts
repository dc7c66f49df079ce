import type { Holder } from '../world/lock/lock.ts'
import type { Rec } from './entry.ts'

/** Which transcript: that of a session, or, with `subpath`, that of one of its subagents (`subagents/agent-…`). */
export interface SessionKey {
  /** Whatever sets projects apart; by default their folder, with all but letters and digits as `-`. */
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string | undefined
}

/** Two methods make a store (`sessionStore` of the Claude Agent SDK); the others make it faster, or safer. */
export interface TranscriptStore {
  /** Puts entries behind those that are there. Settles when they cannot be lost any more. Never called twice at once. */
  append(key: SessionKey, entries: Rec[]): Promise<void>
  /** All entries in their order, or nothing where there is no such transcript. */
  load(key: SessionKey): Promise<Rec[] | LoadedTranscript | null | undefined>
  /** A part of the entries, from the end. Without it, all are loaded. */
  page?(key: SessionKey, before: Cursor | undefined): Promise<Page | null | undefined>
  /** Makes this process the only one that writes. Without it, whoever shares the store sees to that. */
  open?(key: SessionKey, doing: () => string): Promise<TranscriptWriter | { readonly holder: Holder }>
  listSessions?(projectKey: string): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]>
  listSubkeys?(key: Omit<SessionKey, 'subpath'>): Promise<readonly string[]>
  /** Forgets it. What is not there is forgotten already. */
  delete?(key: SessionKey): Promise<void>
  /** The file in which hooks can read it. */
  pathOf?(key: SessionKey): string
}

/** Where a page begins: only the store that gave it knows what it means. */
export type Cursor = number | string

export interface Page extends LoadedTranscript {
  /** Where the page before this one ends; nothing where there is none. */
  readonly before: Cursor | undefined
}

/** What could be read, and what could not. */
export interface LoadedTranscript {
  readonly entries: Rec[]
  readonly gaps: readonly Gap[]
  /** Where each entry begins, in bytes, for a store that knows. */
  readonly offsets?: readonly number[]
}

/** A place at which something is missing, or is not what it should be. */
export interface Gap {
  readonly at: number
  readonly length: number
  readonly why: GapKind
  readonly seqs?: readonly [first: number, last: number]
  /** In a transcript of Claude Code: the id of the line that is missing, which the line at this place follows. */
  readonly uuid?: string
}

/**
 * `torn`: an entry ends in the middle · `damaged`: these bytes are no entry · `missing`: entries that were there are not
 * · `duplicate`: the same once more · `moved`: it stood elsewhere · `conflict`: two with one number · `foreign`: an entry
 * of another transcript · `unsealed`: not written by us, between what was.
 */
export type GapKind = 'torn' | 'damaged' | 'missing' | 'duplicate' | 'moved' | 'conflict' | 'foreign' | 'unsealed'

/** The only writer of a transcript. */
export interface TranscriptWriter {
  /** The number of the last entry that is there; 0 where there is none. */
  readonly last: number
  /** Takes an entry, which comes with its JSON: others can read it from now on. Throws for good, once it cannot. */
  write(entry: Rec, json?: string): void
  /** Settles when nothing that was taken can be lost any more. */
  flush(): Promise<void>
  close(): Promise<void>
}
