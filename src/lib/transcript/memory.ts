import type { Rec } from './entry.ts'
import type { SessionKey, TranscriptStore } from './store.ts'

/** Transcripts in memory, for the lifetime of the process. Entries are copied on the way in and out. */
export class MemoryStore implements TranscriptStore {
  readonly #transcripts = new Map<string, { readonly key: SessionKey; readonly entries: Rec[] }>()

  async append(key: SessionKey, entries: readonly Rec[]): Promise<void> {
    const there = this.#transcripts.get(nameOf(key)) ?? { key: { ...key }, entries: [] }
    there.entries.push(...structuredClone(entries))
    this.#transcripts.set(nameOf(key), there)
  }

  async load(key: SessionKey): Promise<Rec[] | undefined> {
    return structuredClone(this.#transcripts.get(nameOf(key))?.entries)
  }

  async listSessions(projectKey: string): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]> {
    return [...this.#transcripts.values()]
      .filter(({ key }) => key.projectKey === projectKey && (key.subpath ?? '') === '')
      .map(({ key: { sessionId }, entries }) => ({
        sessionId,
        mtime: Date.parse(String(entries.at(-1)?.['timestamp'])) || 0
      }))
  }

  async listSubkeys({ projectKey, sessionId }: Omit<SessionKey, 'subpath'>): Promise<readonly string[]> {
    return [...this.#transcripts.values()].flatMap(({ key: { subpath = '', ...key } }) =>
      key.projectKey === projectKey && key.sessionId === sessionId && subpath !== '' ? [subpath] : []
    )
  }

  async delete(key: SessionKey): Promise<void> {
    this.#transcripts.delete(nameOf(key))
    if (key.subpath !== undefined) return
    for (const subpath of await this.listSubkeys(key)) this.#transcripts.delete(nameOf({ ...key, subpath }))
  }
}

const nameOf = ({ projectKey, sessionId, subpath = '' }: SessionKey): string =>
  JSON.stringify([projectKey, sessionId, subpath])
