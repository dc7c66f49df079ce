/** Transcripts of Claude Code, in the layouts that it has had: their contents, and sessions resumed from a copy. */
import { cpSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { replay } from '../../../src/lib/agent/session/replay.ts'
import { asOurs, isForeign, readClaude } from '../../../src/lib/transcript/claude/claude.ts'
import { asTheirs } from '../../../src/lib/transcript/claude/claude-lines.ts'
import { readTranscript } from '../read-transcript.ts'
import { verifyFile } from '../../../src/lib/transcript/verify.ts'
import { JsonlStore, type Query, type TranscriptEntry } from '../../../src/index.ts'
import {
  ask,
  gate,
  ofType,
  ownTool,
  project,
  prompted,
  registry,
  resultsIn,
  unpaired,
  words,
  type Project
} from '../../support/agent-kit.ts'
import { repetitions } from '../../support/seed.ts'

const FIXTURES = fileURLToPath(new URL('../../fixtures/claude-transcripts', import.meta.url))
const SHOP = '11111111-aaaa-4aaa-8aaa-000000000001'
const COMPACTED = '22222222-bbbb-4bbb-8bbb-000000000002'
const ORCHARD = '33333333-cccc-4ccc-8ccc-000000000003'

const pathOf = (name: string): string => `${FIXTURES}/projects/${name}.jsonl`
const linesOf = (name: string): readonly TranscriptEntry[] => readTranscript(readFileSync(pathOf(name))).entries
const idsOf = (lines: readonly TranscriptEntry[]): readonly unknown[] => lines.map(({ uuid }) => uuid)

/** What a model would receive, in short form. */
const told = (entries: readonly TranscriptEntry[]): readonly string[] =>
  replay(entries)!.conversation.messages.map(message => `${message.role}: ${words(message)}`)

describe('the line of conversation', () => {
  test('leads to the last line; branches that were given up are left out', () => {
    const { main, agents } = readClaude(linesOf(`-home-you-shop/${SHOP}`))
    expect(idsOf(main)).toEqual([
      ...['m0', 'u1', 'h1', 'a1', 'a2', 'a3', 'a4', 'r1', 'h2', 'r2', 'a5', 's1', 'u3', 'a7', 'r3', 'a8']
    ])
    expect(agents.size).toBe(0)
  })

  test('results of calls side by side are all there, and so are the blocks of one answer', () => {
    const { conversation, open } = replay(asOurs(readClaude(linesOf(`-home-you-shop/${SHOP}`)).main))!
    expect(unpaired(conversation.messages.slice(0, -1))).toEqual([])
    expect(resultsIn(conversation.messages).map(({ text }) => text)).toEqual([
      ...['12 apples', '7 pears', 'Miller sells pears.']
    ])
    // It was ended in the middle of its last call.
    expect(open?.map(({ use }) => use.id)).toEqual(['toolu_4'])
  })

  test('what hooks added is told before the answer that it was added for', () => {
    expect(told(asOurs(readClaude(linesOf(`-home-you-shop/${SHOP}`)).main)).slice(1, 4)).toEqual([
      'user: What is in stock?',
      'system: UserPromptSubmit hook additional context: It is Monday.',
      'assistant: I look at both lists.'
    ])
  })

  test('goes through a compaction; a model is told what that kept, and no words of a failure', () => {
    const { main } = readClaude(linesOf(`-home-you-shop/${COMPACTED}`))
    expect(idsOf(main)).toEqual(['c1', 'c2', 'c5', 'c6', 'c3', 'c4', 'c8', 'c9', 'c7'])
    expect(told(asOurs(main))).toEqual([
      'user: This session is being continued. The user counts fruit.',
      'user: And the pears?',
      'assistant: There are 7.',
      'user: And the plums?',
      'assistant: There are none.'
    ])
  })

  test('side chains among the lines are subagents, with an id or without', () => {
    const { main, agents } = readClaude(linesOf(`-home-you-orchard/${ORCHARD}`))
    expect(idsOf(main)).toEqual(['o1', 'o2', 'o3', 'o4', 'o5', 'o6'])
    expect([...agents].map(([id, lines]) => [id, idsOf(lines)])).toEqual([
      ['x1', ['x1', 'x2']],
      ['f19', ['y1', 'y2']]
    ])
  })

  test('a subagent in a file of its own is a conversation', () => {
    const name = `-home-you-shop/${SHOP}/subagents/agent-a1b2c3d`
    expect(idsOf(readClaude(linesOf(name)).main)).toEqual(['g1', 'g2', 'g3', 'g4'])
  })

  test('whatever the parents are, it ends, and no line occurs twice', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string() }),
      fc.record({ type: fc.constant('tool_use'), id, name: fc.string(), input: fc.object() }),
      fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.string() }),
      fc.anything()
    )
    const line = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'system', 'attachment', 'progress', 'summary'),
        uuid: fc.oneof(id, id, fc.anything()),
        parentUuid: fc.option(id),
        logicalParentUuid: fc.option(id),
        isSidechain: fc.boolean(),
        agentId: fc.option(id),
        subtype: fc.constantFrom('compact_boundary', 'other'),
        compactMetadata: fc.option(
          fc.record({ preservedSegment: fc.record({ headUuid: id, tailUuid: id, anchorUuid: id }) })
        ),
        message: fc.oneof(fc.record({ id, content: fc.oneof(fc.string(), fc.array(block)) }), fc.anything()),
        attachment: fc.anything()
      },
      { requiredKeys: ['type'] }
    ) as unknown as fc.Arbitrary<TranscriptEntry>
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), lines => {
        const { main, agents } = readClaude(lines)
        for (const way of [main, ...agents.values()]) expect(new Set(way).size).toBe(way.length)
        replay(asOurs(main))
      }),
      { numRuns: repetitions(2_000) }
    )
  })
})

/** A project whose user has these sessions of Claude Code. */
function shop(): Project & { readonly claude: string } {
  const place = project()
  const claude = `${place.home}/claude`
  cpSync(FIXTURES, claude, { recursive: true })
  return { ...place, env: { ...place.env, CLAUDE_CONFIG_DIR: claude }, claude }
}

const storeIn = ({ home }: Project): JsonlStore => new JsonlStore(`${home}/.carabiner/projects`)

/** The only session that was written down. */
function written(place: Project): { readonly path: string; readonly entries: readonly TranscriptEntry[] } {
  const store = storeIn(place)
  const keys = store
    .projects()
    .flatMap(projectKey => store.idsIn(projectKey).map(sessionId => ({ projectKey, sessionId })))
  expect(keys).toHaveLength(1)
  const path = store.pathOf(keys[0]!)
  return { path, entries: readTranscript(readFileSync(path), keys[0]).entries }
}

describe('going on from a transcript of Claude Code', () => {
  test('by its path: in a copy that is whole, and it stays as it was', async () => {
    const place = shop()
    const path = `${place.claude}/projects/-home-you-shop/${COMPACTED}.jsonl`
    const before = readFileSync(path)
    const { sent, result, events } = await ask(['No figs either.'], {
      in: place,
      resume: path,
      prompt: 'And figs?',
      persistSession: true
    })
    expect(result.result).toBe('No figs either.')
    expect(sent[0]!.map(words)).toEqual([
      'This session is being continued. The user counts fruit.',
      ...['And the pears?', 'There are 7.', 'And the plums?', 'There are none.', 'And figs?']
    ])
    expect(events.find(({ event }) => event === 'SessionStart')?.input['source']).toBe('fork')
    expect(readFileSync(path)).toEqual(before)
    const copy = written(place)
    expect(copy.path).not.toContain(COMPACTED)
    expect(verifyFile(copy.path)).toMatchObject({ isForeign: false, gaps: [], unknownTypes: {} })
    expect(copy.entries[0]).toMatchObject({ forkedFrom: { sessionId: COMPACTED, messageUuid: 'c5' } })
    expect(told(copy.entries).slice(-2)).toEqual(['user: And figs?', 'assistant: No figs either.'])
  })

  test('by its id, with forkSession; and the copy continues as any session', async () => {
    const place = shop()
    const options = { in: place, persistSession: true } as const
    const one = await ask(['Noted.'], { ...options, resume: SHOP, forkSession: true, prompt: 'Never mind.' })
    expect(unpaired(one.sent[0]!)).toEqual([])
    const [, , , lost] = resultsIn(one.sent[0]!)
    expect(lost).toMatchObject({ id: 'toolu_4', isError: true })
    const two = await ask(['Bye.'], { ...options, resume: one.result.session_id, prompt: 'Bye' })
    expect(two.result.session_id).toBe(one.result.session_id)
    expect(two.sent[0]!.map(words)).toEqual([...one.sent[0]!.map(words), 'Noted.', 'Bye'])
  })

  test('only up to a message', async () => {
    const place = shop()
    const path = `${place.claude}/projects/-home-you-shop/${SHOP}.jsonl`
    const asked = { in: place, persistSession: true, resume: path, resumeSessionAt: 'a5', prompt: 'Thanks' } as const
    const { sent } = await ask(['You are welcome.'], asked)
    expect(sent[0]!.map(words).slice(-2)).toEqual(['12 apples and 7 pears.', 'Thanks'])
    expect(told(written(place).entries).slice(-3)).toEqual([
      'assistant: 12 apples and 7 pears.',
      'user: Thanks',
      'assistant: You are welcome.'
    ])
  })

  test('by its id without forkSession it is refused, and told how', async () => {
    const { result } = await ask(['No.'], { in: shop(), persistSession: true, resume: SHOP, prompt: 'x' })
    expect(result.is_error).toBe(true)
    expect(JSON.stringify(result)).toMatch(/written by another program.*forkSession: true/)
  })

  test('one that someone put among ours is not written to', async () => {
    const place = shop()
    const path = `${place.home}/.carabiner/projects/x/${SHOP}.jsonl`
    cpSync(pathOf(`-home-you-shop/${SHOP}`), path)
    const before = readFileSync(path)
    const { result } = await ask(['No.'], { in: place, persistSession: true, resume: SHOP, prompt: 'x' })
    expect(JSON.stringify(result)).toContain('written by another program')
    expect(readFileSync(path)).toEqual(before)
  })

  test('a file that is not there', async () => {
    const { result } = await ask(['No.'], { in: shop(), persistSession: true, resume: 'gone.jsonl', prompt: 'x' })
    expect(JSON.stringify(result)).toMatch(/resume cannot be .*gone\.jsonl/)
  })
})

describe('our entries as lines of Claude Code', () => {
  test('tell the same messages, also after a compaction and with what hooks added', async () => {
    const place = project()
    const hooks = registry(all =>
      all.on('PreToolUse', () => ({ additionalContext: 'be careful' }), { name: 'careful' })
    )
    const both = [
      { name: 'try', input: {} },
      { name: 'try', input: { twice: true } }
    ]
    let running: Query | undefined
    const answered = gate()
    const { result } = await ask(
      [{ text: 'I try.', calls: both }, 'Tried.', 'A summary.', { calls: both }, 'The end.'],
      {
        in: place,
        hooks,
        persistSession: true,
        tools: [ownTool('try', () => 'tried')],
        allowedTools: ['try'],
        steer: each => (running = each),
        each: message => message.type === 'result' && answered.open(),
        prompt: (async function* () {
          yield prompted('Begin')
          await answered.opened
          await running!.compact()
          yield prompted('Go on')
        })()
      }
    )
    expect(result).toMatchObject({ subtype: 'success', result: 'The end.' })
    const { entries } = written(place)
    expect(entries.some(({ subtype }) => subtype === 'compact_boundary')).toBe(true)
    const lines = [...asTheirs(entries)]
    expect(isForeign(lines)).toBe(true)
    expect(lines.every(line => !('crc' in line) && !line.type.startsWith('tool-'))).toBe(true)
    const ours = replay(entries)!.conversation.messages
    expect(ours.map(words)).toContain('The end.')
    expect(replay(asOurs(readClaude(lines).main))!.conversation.messages).toEqual(ours)
  })

  test('whoever went back begins a branch', async () => {
    const place = project()
    const options = { in: place, persistSession: true, sessionId: 'known' } as const
    const one = await ask(['One.'], { ...options, prompt: 'first' })
    const at = ofType(one, 'assistant')[0]!.uuid
    await ask(['Two.'], { in: place, persistSession: true, resume: 'known', prompt: 'second' })
    await ask(['Three.'], { in: place, persistSession: true, resume: 'known', resumeSessionAt: at, prompt: 'third' })
    const { main } = readClaude([...asTheirs(written(place).entries)])
    expect(told(asOurs(main))).toEqual(['user: first', 'assistant: One.', 'user: third', 'assistant: Three.'])
  })
})
