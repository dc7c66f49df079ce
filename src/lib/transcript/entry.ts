import type { Block, Message } from '../message.ts'
import { isObject, type PlainObject } from '../util/plain.ts'

/** The fields that every line starts with, in the format that existing viewers and hooks read. */
export interface Line {
  readonly type: string
  readonly uuid: string
  readonly parentUuid: string | null
  readonly isSidechain: boolean
  readonly timestamp: string
  readonly sessionId: string
  readonly cwd: string
  readonly version: string
  readonly userType: 'external'
  readonly entrypoint: string
}

export type Entry =
  | {
      readonly type: 'user'
      readonly message: { role: 'user'; content: string | readonly Block[] }
      readonly [more: string]: unknown
    }
  | { readonly type: 'assistant'; readonly message: PlainObject; readonly [more: string]: unknown }
  | { readonly type: 'system'; readonly subtype: string; readonly [more: string]: unknown }
  | { readonly type: 'attachment'; readonly attachment: PlainObject; readonly [more: string]: unknown }
  | {
      readonly type: 'tool-intent'
      readonly toolUseId: string
      readonly toolName: string
      readonly input: PlainObject
      readonly decision?: object | undefined
    }
  | {
      readonly type: 'tool-outcome'
      readonly toolUseId: string
      readonly isError: boolean
      readonly content: string | readonly Block[]
      readonly output?: unknown
      readonly input?: unknown
    }
  | {
      readonly type: 'tool-pending'
      readonly toolUseId: string
      readonly toolName: string
      readonly input: unknown
      readonly why: 'asked' | 'deferred' | 'nested'
      readonly hooks?: string | undefined
      readonly subagentId?: string | undefined
      readonly decision?: object | undefined
    }

/** A line as it was read back. The file may have been edited: its content is not trusted. */
export type Rec = PlainObject & { readonly type: string }

export const messageBlocks = ({ message }: Rec): readonly PlainObject[] =>
  isObject(message) ? contentBlocks(message['content']) : []

export function contentBlocks(content: unknown): readonly PlainObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as unknown[]).filter(isObject) : []
}

export interface Kept {
  readonly uuid: string
  readonly message: Message
}

export interface Log {
  /** The path of the file, for hooks; empty if there is no file. */
  readonly path: string
  /** Whether lines have what was decided about calls. */
  readonly hasDecisions: boolean
  /** Appends an entry. Throws if it cannot be written: nothing may happen that was not recorded first. */
  append(entry: Entry, uuid?: string): void
  /** Settles when all entries so far are durable; rejects if that fails. */
  flush(): Promise<void> | undefined
  close(): Promise<void>
}
