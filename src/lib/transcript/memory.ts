import type { Rec } from './entry.ts'
import type { SessionKey, TranscriptStore } from './store.ts'

/** Transcripts that live as long as the process. What goes in and what comes out are copies. */
export class MemoryStore implements TranscriptStore {
  readonly #transcripts = new Map<string, Rec[]>()

  async append(key: SessionKey, entries: readonly Rec[]): Promise<void> {
    const name = nameOf(key)
    const there = this.#transcripts.get(name)
    const added = structuredClone(entries)
    if (there === undefined) this.#transcripts.set(name, [...added])
    else there.push(...added)
  }

  async load(key: SessionKey): Promise<Rec[] | undefined> {
    const entries = this.#transcripts.get(nameOf(key))
    return entries === undefined ? undefined : structuredClone(entries)
  }

  async listSessions(projectKey: string): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]> {
    return [...this.#transcripts].flatMap(([name, entries]) => {
      const [project, sessionId, subpath] = JSON.parse(name) as [string, string, string]
      const mtime = Date.parse(String(entries.at(-1)?.['timestamp'])) || 0
      return project === projectKey && subpath === '' ? [{ sessionId, mtime }] : []
    })
  }

  async listSubkeys({ projectKey, sessionId }: Omit<SessionKey, 'subpath'>): Promise<readonly string[]> {
    return [...this.#transcripts.keys()].flatMap(name => {
      const [project, session, subpath] = JSON.parse(name) as [string, string, string]
      return project === projectKey && session === sessionId && subpath !== '' ? [subpath] : []
    })
  }

  async delete(key: SessionKey): Promise<void> {
    this.#transcripts.delete(nameOf(key))
    if (key.subpath !== undefined) return
    for (const subpath of await this.listSubkeys(key)) this.#transcripts.delete(nameOf({ ...key, subpath }))
  }
}

const nameOf = ({ projectKey, sessionId, subpath = '' }: SessionKey): string =>
  JSON.stringify([projectKey, sessionId, subpath])
