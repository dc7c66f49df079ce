/** Any bytes can be read: what was written is there, or is reported as missing. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from '../support/fast-check.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TranscriptEntry, JsonlStore, type Gap, type SessionKey } from '../../src/index.ts'
import { loadTail } from '../../src/lib/transcript/load.ts'
import { readTranscript } from './read-transcript.ts'
import { seal } from '../../src/lib/transcript/seal.ts'
import { projectIn } from '../support/agent-scene.ts'
import { originalOf, silentIn, strangersIn, unpairedIn, type Original } from './checks.ts'
import { FaultyDisk } from './faulty-disk.ts'
import { SEED, seeded } from '../support/seed.ts'
import { mutated, mutations } from './mutations.ts'
import { CRASH_SCENARIOS } from './scenarios.ts'
import { GROUND, keyOfPath, perform, PROJECTS, World } from './staged.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-mutations-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

interface Written {
  readonly key: SessionKey
  readonly path: string
  readonly original: Original
}

/** Transcripts of all kinds of sessions, and of their subagents; with lines that belong to others. */
const kept: (Written & { readonly strangers: readonly Buffer[] })[] = []

beforeAll(async () => {
  const place = projectIn(base)
  const all: Written[] = []
  for (const [number, scenario] of CRASH_SCENARIOS.entries()) {
    const disk = new FaultyDisk({ ground: GROUND })
    const world = new World()
    // Each has an id of its own, so that lines of the one are strangers in the other.
    const own = (id: string | undefined): string | undefined => (id === undefined ? undefined : `${id}-${number}`)
    const acts = scenario.acts.map(({ options, ...act }) => ({
      ...act,
      options: { ...options, sessionId: own(options?.sessionId), resume: own(options?.resume) }
    }))
    for (let act = 0; act < acts.length; act++) await perform({ ...scenario, acts }, act, world, disk, place)
    for (const [path, bytes] of disk.image('cache', seeded(SEED)))
      all.push({ key: keyOfPath(path), path, original: originalOf(bytes) })
  }
  for (const [number, each] of all.entries()) {
    const others = all.filter((other, at) => other !== each && (at % 3 === number % 3 || isAgent(other)))
    const strangers = others.flatMap(({ original }) => original.lines.map(withEnd))
    kept.push({ ...each, strangers: [...strangers, ...ofSibling(each)] })
  }
})

const withEnd = (line: Buffer): Buffer => Buffer.concat([line, Buffer.from('\n')])
const isAgent = ({ key }: Written): boolean => key.subpath !== undefined

/** The lines of another subagent of the same session. */
function ofSibling({ key, original }: Written): readonly Buffer[] {
  if (key.subpath === undefined) return []
  const entries = original.lines.map(line => JSON.parse(line.toString('utf8')) as TranscriptEntry)
  return entries.map((entry, at) => seal({ ...entry, agentId: 'another' }, at + 1))
}

/** One of the transcripts, and what happens to it. */
const damaged = fc.record({ which: fc.nat({ max: 1 << 16 }), changes: mutations })

const RUNS = 100_000

// FM32
test(
  '100,000 damaged files: all that is missing is told, and nothing is there that was not written',
  {
    timeout: 600_000
  },
  () => {
    expect(kept.length).toBeGreaterThan(CRASH_SCENARIOS.length)
    let whole = 0
    fc.assert(
      fc.property(damaged, ({ which, changes }) => {
        const { key, original, strangers } = kept[which % kept.length]!
        const bytes = mutated(original.bytes, strangers, changes)
        const loaded = readTranscript(bytes, key)
        if (loaded.gaps.length === 0) whole++
        // Where no line of ours is left, the file may belong to another program.
        const problems = loaded.isForeign
          ? []
          : [...strangersIn(loaded, original), ...silentIn(loaded, bytes, original)]
        problems.push(...unpairedIn(loaded.entries))
        if (problems.length > 0) throw new Error(problems.join('; '))
      }),
      { numRuns: RUNS }
    )
    // Most changes leave a trace.
    expect(whole).toBeLessThan(RUNS / 4)
  }
)

/** A store that has these bytes as this transcript. */
const storeWith = (path: string, bytes: Buffer): JsonlStore =>
  new JsonlStore(PROJECTS, new FaultyDisk({ ground: GROUND, image: new Map([[path, bytes]]) }))

// FM32
test('a single bit: no line is taken for another', () => {
  const { key, original } = kept[0]!
  const line = withEnd(original.lines[0]!)
  for (let bit = 0; bit < 8 * line.length; bit++) {
    const bytes = Buffer.from(line)
    bytes[bit >> 3]! ^= 1 << (bit & 7)
    const { entries, gaps } = readTranscript(bytes, key)
    // With something else in the place of its end, it is whole all the same.
    const isEnd = bit >> 3 === line.length - 1
    expect({ bit, entries: entries.length }).toEqual({ bit, entries: isEnd ? 1 : 0 })
    expect(gaps.length).toBeGreaterThan(0)
  }
})

// FM32
test('who writes on has numbers that no one had', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async ({ which, changes }) => {
      const { key, path, original, strangers } = kept[which % kept.length]!
      const store = storeWith(path, mutated(original.bytes, strangers, changes))
      const before = (await store.load(key))!
      await store.append(key, [{ type: 'user', uuid: 'new', sessionId: key.sessionId }])
      const after = (await store.load(key))!
      // Lines of another program have no numbers, and do not count if there is a line of ours.
      const ours = before.entries.filter(({ crc }) => crc !== undefined)
      expect(after.entries.slice(0, -1)).toEqual(ours)
      expect(after.entries.at(-1)).toMatchObject({ uuid: 'new' })
    }),
    { numRuns: 2_000 }
  )
})

/** Long lines, so that a file has more than one page. */
function longFile(sessionId: string, lines: number): Buffer {
  const entry = (n: number): TranscriptEntry => ({ type: 'user', uuid: `u${n}`, sessionId, text: 'x'.repeat(9_000) })
  return Buffer.concat(Array.from({ length: lines }, (_, at) => seal(entry(at + 1), at + 1)))
}

const missingIn = (gaps: readonly Gap[]): readonly unknown[] => gaps.flatMap(({ seqs }) => (seqs ? [seqs] : []))

// FM32
test('from the end, a page at a time, it is the same', async () => {
  const key = { projectKey: 'project', sessionId: 'long' }
  const whole = longFile(key.sessionId, 120)
  const others = originalOf(longFile('another', 5)).lines.map(withEnd)
  const path = new JsonlStore(PROJECTS).pathOf(key)
  await fc.assert(
    fc.asyncProperty(mutations, async changes => {
      const store = storeWith(path, mutated(whole, others, changes))
      const loaded = (await store.load(key))!
      const tail = (await loadTail(store, key, () => false))!
      expect(tail.entries.map(({ uuid }) => uuid)).toEqual(loaded.entries.map(({ uuid }) => uuid))
      expect(tail.gaps.length === 0).toBe(loaded.gaps.length === 0)
      expect(missingIn(tail.gaps)).toEqual(missingIn(loaded.gaps))
    }),
    { numRuns: 1_000 }
  )
})
