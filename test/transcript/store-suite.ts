/** What every store of transcripts must do, built-in or custom. */
import { describe, expect, test } from 'vitest'
import { savedIn, type Message, type SessionKey, type TranscriptEntry, type TranscriptStore } from '../../src/index.ts'
import { replay } from '../../src/lib/agent/session/replay.ts'
import { loadWhole } from '../../src/lib/transcript/load.ts'
import { projectKeyOf } from '../../src/lib/query/session-choice.ts'
import {
  ask,
  ofType,
  ownTool,
  project,
  resultsIn,
  unpaired,
  words,
  type Asking,
  type Project
} from '../support/agent-kit.ts'

/** A store, and how a new process would come by it. */
export interface Made {
  readonly store: TranscriptStore
  again(): TranscriptStore
}

/** What a store is known for. */
export interface StoreTraits {
  /** It gives entries back as they were, and not only the conversation that they tell of. */
  readonly keepsEntries: boolean
  readonly lists: boolean
  readonly deletes: boolean
}

const KEY: SessionKey = { projectKey: 'project', sessionId: 'session' }

const said = (n: number, sessionId = KEY.sessionId): TranscriptEntry => ({
  type: 'user',
  uuid: `u${n}`,
  sessionId,
  message: { role: 'user', content: `message ${n}` }
})

/** The text of all messages that a store has of a transcript. */
async function textsIn(store: TranscriptStore, key: SessionKey = KEY): Promise<readonly string[] | undefined> {
  const loaded = await loadWhole(store, key)
  return loaded && replay(loaded.entries)!.conversation.messages.map(words)
}

/** Changes all that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string') Object.assign(value, { [name]: 'changed' })
    else spoil(inner)
  }
}

const CONVERSATION: readonly Message[] = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'put', input: { deep: [1, { ü: null }], text: '\u2028"\\\n' } }
    ]
  },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'ok' }], is_error: true }]
  },
  { role: 'system', content: 'by the way' },
  { role: 'assistant', content: 'done' }
]

export function storeSuite(name: string, make: () => Made, traits: StoreTraits): void {
  describe.each([name])('%s', () => {
    describe('entries', () => {
      test('what is not there is nothing', async () => {
        expect((await make().store.load(KEY)) ?? undefined).toBeUndefined()
      })

      test('come back in their order, also to another process', async () => {
        const { store, again } = make()
        for (let n = 0; n < 100; n += 4)
          await store.append(
            KEY,
            [0, 1, 2, 3].map(more => said(n + more))
          )
        const texts = Array.from({ length: 100 }, (_, n) => `message ${n}`)
        expect(await textsIn(store)).toEqual(texts)
        expect(await textsIn(again())).toEqual(texts)
        await again().append(KEY, [said(100)])
        expect(await textsIn(again())).toEqual([...texts, 'message 100'])
      })

      test('of one transcript are not those of another', async () => {
        const { store } = make()
        const other = { ...KEY, sessionId: 'other' }
        const child = { ...KEY, subpath: 'subagents/agent-a1' }
        await store.append(KEY, [said(1)])
        await store.append(other, [said(2, 'other')])
        await store.append(child, [{ ...said(3), isSidechain: true, agentId: 'a1' }])
        expect(await textsIn(store)).toEqual(['message 1'])
        expect(await textsIn(store, other)).toEqual(['message 2'])
        expect(await textsIn(store, child)).toEqual(['message 3'])
      })

      // F179
      test('are copies: who changes what went in, or came out, changes nothing', async () => {
        const { store } = make()
        const entry = { ...said(1), message: { role: 'user', content: [{ type: 'text', text: 'as it was' }] } }
        await store.append(KEY, [entry])
        spoil(entry)
        spoil((await loadWhole(store, KEY))!.entries)
        expect(await textsIn(store)).toEqual(['as it was'])
      })

      if (!traits.keepsEntries) return
      test('keep all that is in them', async () => {
        const { store } = make()
        const entry = { ...said(1), anything: { deep: ['ü', null, 1.5] } }
        await store.append(KEY, [entry])
        expect((await loadWhole(store, KEY))!.entries).toMatchObject([entry])
      })
    })

    describe('sessions', () => {
      const starts: string[] = []
      const put = ownTool('put', ({ toolUseId }) => `${starts.push(toolUseId)} was put`)
      const run = (place: Project, store: TranscriptStore, turns: Parameters<typeof ask>[0], asking: Asking) =>
        ask(turns, { in: place, sessionStore: store, tools: ['Agent', put], allowedTools: ['put'], ...asking })

      // F175
      test('go on in another process with all that was said', async () => {
        const { store, again } = make()
        const place = project()
        const calls = [{ name: 'put', input: {}, id: 'p1' }]
        await run(place, store, [{ text: 'I put', calls }, 'done'], { sessionId: 'known' })
        const { sent, result } = await run(place, again(), ['over'], { resume: 'known', prompt: 'and now?' })
        expect(result).toMatchObject({ is_error: false, session_id: 'known' })
        expect(sent[0]!.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
        expect(sent[0]![1]!.content).toEqual([
          { type: 'text', text: 'I put' },
          { type: 'tool_use', id: 'p1', name: 'put', input: {} }
        ])
        expect(resultsIn(sent[0]!)).toMatchObject([{ id: 'p1', text: expect.stringContaining('was put') }])
        expect(words(sent[0]!.at(-1)!)).toBe('and now?')
        const third = await run(place, again(), ['over'], { resume: 'known', prompt: 'and then?' })
        expect(third.sent[0]!.length).toBe(7)
        expect(unpaired(third.sent[0]!)).toEqual([])
      })

      // F183
      test('do not begin again what had begun', async () => {
        const { store, again } = make()
        const place = project()
        const projectKey = projectKeyOf(place.cwd)
        const key = { projectKey, sessionId: 'known' }
        const line = (seq: number) => ({ uuid: `u${seq}`, seq, sessionId: 'known' })
        const use = { type: 'tool_use', id: 'p2', name: 'put', input: {} }
        await store.append(key, [
          { ...said(1, 'known'), seq: 1 },
          {
            ...line(2),
            type: 'assistant',
            part: [0, 1],
            message: { id: 'm1', role: 'assistant', content: [use] }
          },
          { ...line(3), type: 'tool-intent', toolUseId: 'p2', toolName: 'put', input: {} }
        ])
        const { sent } = await run(place, again(), ['over'], { resume: 'known', prompt: '' })
        expect(starts).not.toContain('p2')
        expect(resultsIn(sent[0]!)).toMatchObject([
          { id: 'p2', text: expect.stringContaining('may have partly or fully completed'), isError: true }
        ])
      })

      // F176 F180
      test('have subagents that go on, too', async () => {
        const { store, again } = make()
        const place = project()
        const calling = (more: object) => ({
          calls: [{ name: 'Agent', input: { description: 'a task', prompt: 'look', ...more } }]
        })
        const first = await run(place, store, [calling({}), 'found', 'done'], { sessionId: 'known' })
        const agentId = /agentId: (\w+)/.exec(resultsIn(first.sent.at(-1)!)[0]!.text)![1]!
        const { sent } = await run(place, again(), [calling({ resume: agentId }), 'found more', 'done'], {
          resume: 'known'
        })
        expect(sent[1]!.map(words)).toEqual(['look', 'found', 'look'])
      })

      test('that no one knows are not begun', async () => {
        const { result, messages } = await run(project(), make().store, ['no'], { resume: 'nobody' })
        expect(result).toMatchObject({ is_error: true, error_code: 'E_SESSION_UNKNOWN' })
        expect(ofType({ messages }, 'assistant')).toEqual([])
      })
    })

    // F178
    describe('conversations', () => {
      test('come back exactly', async () => {
        const { store, again } = make()
        await savedIn(store).save('agent', CONVERSATION)
        expect(await savedIn(again()).load('agent')).toEqual(CONVERSATION)
      })

      test('may be empty, and are nothing where there are none', async () => {
        const { store } = make()
        await savedIn(store).save('agent', [])
        expect(await savedIn(store).load('agent')).toEqual([])
        expect(await savedIn(store).load('another')).toBeUndefined()
      })

      test('of a hundred messages keep their order', async () => {
        const { store, again } = make()
        const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `message ${n}` }) as const)
        await savedIn(store).save('agent', messages)
        expect(await savedIn(again()).load('agent')).toEqual(messages)
      })

      // F179
      test('replace what was saved before, and are copies', async () => {
        const saved = savedIn(make().store)
        const message = { role: 'user', content: [{ type: 'text', text: 'one' }] } as const
        const messages: Message[] = [structuredClone(message)]
        const saving = saved.save('agent', messages)
        spoil(messages)
        messages.push({ role: 'user', content: 'more' })
        await saving
        const loaded = (await saved.load('agent'))!
        expect(loaded).toEqual([message])
        spoil(loaded)
        loaded.pop()
        expect(await saved.load('agent')).toEqual([message])
        await saved.save('agent', [{ role: 'user', content: 'two' }])
        expect(await saved.load('agent')).toEqual([{ role: 'user', content: 'two' }])
      })

      test('grow by what is new', async () => {
        const { store, again } = make()
        for (let length = 0; length <= CONVERSATION.length; length++) {
          await savedIn(store).save('agent', CONVERSATION.slice(0, length))
          expect(await savedIn(again()).load('agent')).toEqual(CONVERSATION.slice(0, length))
        }
        if (!traits.keepsEntries) return
        const { entries } = (await loadWhole(store, { projectKey: 'saved', sessionId: 'agent' }))!
        expect(entries.map(({ subtype }) => subtype)).toEqual(['clear', ...CONVERSATION.map(() => 'saved')])
        expect(JSON.stringify(entries).split('I look.').length).toBe(2)
      })

      // F182
      test('of one id are saved one after the other', async () => {
        const saved = savedIn(make().store)
        const saving = Array.from({ length: 20 }, (_, n) => saved.save('agent', CONVERSATION.slice(0, n % 6)))
        await Promise.all(saving)
        expect(await saved.load('agent')).toEqual(CONVERSATION.slice(0, 19 % 6))
      })

      test('can be gone on with by a session', async () => {
        const { store, again } = make()
        const place = project()
        await savedIn(store, projectKeyOf(place.cwd)).save('told', CONVERSATION)
        const { sent } = await ask(['over'], { in: place, sessionStore: again(), resume: 'told', prompt: 'and now?' })
        expect(sent[0]).toEqual([...CONVERSATION, { role: 'user', content: 'and now?' }])
        const after = await savedIn(again(), projectKeyOf(place.cwd)).load('told')
        expect(after!.slice(0, CONVERSATION.length + 1)).toEqual(sent[0])
        expect(after!.at(-1)!.role).toBe('assistant')
      })

      // F182
      test('are listed and deleted, or it is said that they cannot be', async () => {
        const saved = savedIn(make().store)
        await saved.save('one', CONVERSATION)
        await saved.save('two', [])
        if (traits.lists) expect([...(await saved.list())].toSorted()).toEqual(['one', 'two'])
        else await expect(saved.list()).rejects.toThrow(/cannot list/)
        if (!traits.deletes) return expect(saved.delete('one')).rejects.toThrow(/cannot delete/)
        await saved.delete('one')
        await saved.delete('nobody')
        expect(await saved.load('one')).toBeUndefined()
        await saved.save('one', CONVERSATION.slice(0, 1))
        expect(await saved.load('one')).toEqual(CONVERSATION.slice(0, 1))
      })
    })
  })
}
