import { isDeepStrictEqual } from 'node:util'
import { fault } from '../../faults.ts'
import { Turns } from '../../util/turns.ts'
import type { Message } from '../../message.ts'
import type { Kept, Rec } from '../../transcript/entry.ts'
import { lastSeq, loadTail } from '../../transcript/load.ts'
import type { SessionKey, TranscriptStore } from '../../transcript/store.ts'
import { lostResult, UNKNOWN } from '../call/open-call.ts'
import { isFreshStart, replayAll } from './replay.ts'
import { randomUuid } from '../../transcript/log.ts'

/** Where whole conversations are kept, by the ids of sessions and subagents. */
export interface SavedConversations {
  save(id: string, messages: readonly Message[]): Promise<void> | void
  /** Null or undefined if there is no conversation with this id. */
  load(id: string): Promise<Saved> | Saved
}

type Saved = readonly Message[] | null | undefined

/**
 * A transcript store on top of something that only saves and loads conversations. Session state other than messages is
 * lost with the process: what hooks store, and what they added to the system prompt.
 */
export function storeOf(saved: SavedConversations): TranscriptStore {
  const known = new Map<string, readonly Rec[]>()
  const entriesFor = async (id: string): Promise<readonly Rec[] | undefined> => {
    const messages = await saved.load(id)
    if (messages === undefined || messages === null) return undefined
    const entries = known.get(id)
    if (entries !== undefined && isDeepStrictEqual(asJson(messagesIn(entries)), messages)) return entries
    return [{ ...lineOf('saved', { kept: keptOf(messages) }), seq: 1 }]
  }
  return {
    async load(key) {
      const entries = await entriesFor(idOf(key))
      if (entries !== undefined) known.set(idOf(key), entries)
      return entries === undefined ? undefined : structuredClone([...entries])
    },
    async append(key, entries) {
      const id = idOf(key)
      const all = [...(known.get(id) ?? (await entriesFor(id)) ?? []), ...structuredClone(entries)]
      const left = all.slice(Math.max(0, all.findLastIndex(isFreshStart)))
      await saved.save(id, messagesIn(left))
      known.set(id, left)
    }
  }
}

const idOf = ({ sessionId, subpath }: SessionKey): string => subpath?.replace(/^subagents\/agent-/, '') ?? sessionId

function messagesIn(entries: readonly Rec[]): readonly Message[] {
  const { conversation, open } = replayAll(entries)
  const { messages, notes } = conversation
  if (open === undefined)
    return notes.length === 0 ? messages : [...messages, { role: 'system', content: notes.join('\n\n') }]
  // A started call is never started again: without an end, its result says so.
  const content = open.flatMap(call => call.result?.result ?? (call.started === true ? lostResult(call, UNKNOWN) : []))
  return content.length === 0 ? messages : [...messages, { role: 'user', content }]
}

const asJson = (messages: readonly Message[]): Message[] => JSON.parse(JSON.stringify(messages)) as Message[]

/** Saves and loads whole conversations in a store of transcripts. */
export interface Savings {
  /** Appends to the saved messages, or replaces them if they differ. Saves of one id wait for each other. */
  save(id: string, messages: readonly Message[]): Promise<void>
  load(id: string): Promise<Message[] | undefined>
  /** The ids, if the store can list them. */
  list(): Promise<readonly string[]>
  delete(id: string): Promise<void>
}

/** Saves and loads whole conversations in any transcript store, including `query()` sessions of this project. */
export function savedIn(store: TranscriptStore, projectKey = 'saved'): Savings {
  const turns = new Turns()
  const tailOf = async (id: string): Promise<readonly Rec[] | undefined> =>
    (await loadTail(store, { projectKey, sessionId: id }, isFreshStart))?.entries
  return {
    async load(id) {
      const tail = await tailOf(id)
      return tail === undefined ? undefined : structuredClone([...messagesIn(tail)])
    },
    save(id, messages) {
      const given = asJson(messages)
      return turns.take(id, async () => {
        const tail = await tailOf(id)
        const added = entriesToSave(tail && messagesIn(tail), given)
        const last = lastSeq(tail ?? [])
        const entries = added.map((entry, at) => ({ ...entry, sessionId: id, seq: last + 1 + at }))
        if (entries.length > 0) await store.append({ projectKey, sessionId: id }, entries)
      })
    },
    async list() {
      if (store.listSessions === undefined) throw fault('E_USAGE', 'list() was called on a store that cannot list')
      return (await store.listSessions(projectKey)).map(({ sessionId }) => sessionId)
    },
    delete: id =>
      turns.take(id, async () => {
        if (store.delete === undefined) throw fault('E_USAGE', 'delete() was called on a store that cannot delete')
        await store.delete({ projectKey, sessionId: id })
      })
  }
}

function entriesToSave(before: readonly Message[] | undefined, messages: readonly Message[]): Rec[] {
  const goesOn = before !== undefined && isDeepStrictEqual(before, messages.slice(0, before.length))
  const added = goesOn ? messages.slice(before.length) : messages
  const start = goesOn ? [] : [lineOf('clear', {})]
  return added.length === 0 ? start : [...start, lineOf('saved', { kept: keptOf(added) })]
}

const lineOf = (subtype: string, more: object): Rec => ({
  type: 'system',
  subtype,
  ...more,
  uuid: randomUuid(),
  timestamp: new Date().toISOString()
})

const keptOf = (messages: readonly Message[]): readonly Kept[] =>
  messages.map(message => ({ uuid: randomUuid(), message: structuredClone(message) }))
