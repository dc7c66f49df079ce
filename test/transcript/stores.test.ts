/** One suite over all stores; and what files must do beside. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  JsonlStore,
  MemoryStore,
  savedIn,
  storeOf,
  type Message,
  type TranscriptEntry,
  type TranscriptStore
} from '../../src/index.ts'
import { storeSuite } from './store-suite.ts'

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-stores-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  return root
}

/** A store as programs for the Claude Agent SDK have it: two methods over any storage. */
function rowsStore(rows: Map<string, string[]>): TranscriptStore {
  const nameOf = (key: object): string => JSON.stringify(key)
  return {
    async append(key, entries) {
      const all = rows.get(nameOf(key)) ?? []
      rows.set(nameOf(key), [...all, ...entries.map(entry => JSON.stringify(entry))])
    },
    async load(key) {
      return rows.get(nameOf(key))?.map(row => JSON.parse(row) as TranscriptEntry) ?? null
    }
  }
}

/** A store that only saves and loads whole conversations. */
const conversations = (rows: Map<string, string>) => ({
  async save(id: string, messages: readonly Message[]): Promise<void> {
    rows.set(id, JSON.stringify(messages))
  },
  async load(id: string): Promise<Message[] | undefined> {
    const row = rows.get(id)
    return row === undefined ? undefined : (JSON.parse(row) as Message[])
  }
})

storeSuite(
  'MemoryStore',
  () => {
    const store = new MemoryStore()
    return { store, again: () => store }
  },
  { keepsEntries: true, lists: true, deletes: true }
)

storeSuite(
  'JsonlStore',
  () => {
    const root = join(folder(), 'projects')
    return { store: new JsonlStore(root), again: () => new JsonlStore(root) }
  },
  { keepsEntries: true, lists: true, deletes: true }
)

storeSuite(
  'a store of two methods',
  () => {
    const rows = new Map<string, string[]>()
    return { store: rowsStore(rows), again: () => rowsStore(rows) }
  },
  { keepsEntries: true, lists: false, deletes: false }
)

storeSuite(
  'storeOf({ save, load })',
  () => {
    const rows = new Map<string, string>()
    return { store: storeOf(conversations(rows)), again: () => storeOf(conversations(rows)) }
  },
  { keepsEntries: false, lists: false, deletes: false }
)

// F182
describe('files', () => {
  test.each(['../x', '', 'x'.repeat(300), 'a\0b', 'a/b', '..', '.hidden', 'a\nb'])('%j is no name', async id => {
    const root = folder()
    const saved = savedIn(new JsonlStore(join(root, 'projects')))
    const refused = expect.objectContaining({
      code: 'E_OPTION_INVALID',
      message: expect.stringMatching(/name of a transcript/)
    })
    await expect(saved.save(id, [])).rejects.toThrow(refused)
    await expect(saved.load(id)).rejects.toThrow(refused)
    await expect(saved.delete(id)).rejects.toThrow(refused)
    await expect(savedIn(new JsonlStore(root), id).list()).rejects.toThrow(refused)
  })

  test('a last line that is torn costs that line alone', async () => {
    const store = new JsonlStore(join(folder(), 'projects'))
    const saved = savedIn(store)
    const [one, two, three] = ['one', 'two', 'three'].map(content => ({ role: 'user', content }) as const)
    await saved.save('agent', [one!])
    await saved.save('agent', [one!, two!])
    const path = store.pathOf({ projectKey: 'saved', sessionId: 'agent' })
    truncateSync(path, readFileSync(path).length - 9)
    expect(await saved.load('agent')).toEqual([one])
    await saved.save('agent', [one!, three!])
    appendFileSync(path, '{"seq":')
    expect(await saved.load('agent')).toEqual([one, three])
    await saved.save('agent', [one!, three!, two!])
    expect(await saved.load('agent')).toEqual([one, three, two])
  })
})

// F178
test('a save that fails is heard of, and what was saved before is still there', async () => {
  const rows = new Map<string, string>()
  const { save, load } = conversations(rows)
  let isFull = false
  const store = storeOf({
    load,
    save: (id, messages) => (isFull ? Promise.reject(new Error('no space')) : save(id, messages))
  })
  const key = { projectKey: 'p', sessionId: 's' }
  const said = (content: string) => ({ type: 'user', uuid: content, message: { role: 'user', content } })
  await store.append(key, [said('one')])
  isFull = true
  await expect(store.append(key, [said('two')])).rejects.toThrow('no space')
  isFull = false
  expect(await load('s')).toEqual([{ role: 'user', content: 'one' }])
  await store.append(key, [said('three')])
  expect(await load('s')).toEqual(['one', 'three'].map(content => ({ role: 'user', content })))
})
