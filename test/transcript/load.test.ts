/** The end of a long transcript is read in pages, and says the same as the whole of it. */
import { appendFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from '../support/fast-check.ts'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type TranscriptEntry, JsonlStore } from '../../src/index.ts'
import { loadTail, withoutFrame } from '../../src/lib/transcript/load.ts'
import { Reading } from '../../src/lib/transcript/reading.ts'
import { readTranscript } from './read-transcript.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-load-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const store = new JsonlStore(root)
const key = { projectKey: 'p', sessionId: 's' }
const path = store.pathOf(key)
const COUNT = 600

const entryAt = (index: number): TranscriptEntry => ({
  type: 'user',
  uuid: `u${index}`,
  sessionId: 's',
  isSidechain: false,
  message: { role: 'user', content: `${index} ${'text '.repeat(100)}` }
})

const never = (): boolean => false
const uuids = (loaded: { readonly entries: readonly TranscriptEntry[] } | undefined): readonly unknown[] =>
  loaded!.entries.map(({ uuid }) => uuid)
const lines = (): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n')

beforeEach(async () => {
  await store.delete(key)
  await store.append(
    key,
    Array.from({ length: COUNT }, (_, index) => entryAt(index))
  )
})

/** What pages give, which must be what the whole file gives. */
async function tail(isStart: (entry: TranscriptEntry) => boolean = never) {
  const [paged, whole] = [await loadTail(store, key, isStart), await store.load(key)]
  return { paged: paged!, whole: whole! }
}

describe('in pages', () => {
  test('all of it, where there is no fresh start', async () => {
    const { paged, whole } = await tail()
    expect(paged.entries).toEqual(whole.entries)
    expect(paged.entries).toHaveLength(COUNT)
    expect(paged.gaps).toEqual([])
  })

  test('from the last fresh start on, wherever that is', async () => {
    for (const at of [0, 1, 299, 598, 599]) {
      const { paged, whole } = await tail(({ uuid }) => uuid === `u${at}` || uuid === `u${at >> 1}`)
      expect(uuids(paged)).toEqual(uuids(whole).slice(at))
    }
  })

  test('a line that stands once more at the end counts once, and nothing else is missed', async () => {
    appendFileSync(path, `${lines()[3]}\n`)
    const { paged, whole } = await tail()
    expect(uuids(paged)).toEqual(uuids(whole))
    expect(paged.gaps.map(({ why }) => why)).toEqual(['duplicate'])
  })

  test('a line that stands elsewhere is put in its place', async () => {
    const [first, ...others] = lines()
    writeFileSync(path, `${[...others, first].join('\n')}\n`)
    const { paged, whole } = await tail()
    expect(uuids(paged)).toEqual(uuids(whole))
    expect(paged.gaps).toEqual(whole.gaps)
  })

  test('whatever is missing is told of, in one page or between two', async () => {
    const all = lines()
    for (let from = 1; from < COUNT - 20; from += 97) {
      writeFileSync(path, `${[...all.slice(0, from), ...all.slice(from + 10)].join('\n')}\n`)
      const { paged, whole } = await tail()
      expect(uuids(paged)).toEqual(uuids(whole))
      expect(paged.gaps).toEqual(whole.gaps)
      expect(paged.gaps.map(({ seqs }) => seqs)).toEqual([[from + 1, from + 10]])
    }
  })

  test('a stretch of rubbish, longer than a page, is told of', async () => {
    const all = lines()
    const rubbish = 'x'.repeat(300_000)
    writeFileSync(path, `${[...all.slice(0, 300), rubbish, rubbish, ...all.slice(310)].join('\n')}\n`)
    const { paged, whole } = await tail()
    expect(uuids(paged)).toEqual(uuids(whole))
    expect(paged.gaps).toEqual(whole.gaps)
  })

  test('of each entry, only what someone wants is held', async () => {
    const loaded = await loadTail(store, key, never, withoutFrame)
    expect(Object.keys(loaded!.entries[7]!)).toEqual(['seq', 'type', 'uuid', 'isSidechain', 'message'])
    expect(uuids(loaded)).toEqual(uuids(await store.load(key)))
  })
})

test('bytes that come in any pieces, in a buffer that is used again, say the same', () => {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  const { entries, gaps } = readTranscript(bytes, key)
  expect(gaps.length).toBeGreaterThan(0)
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 20 }), sizes => {
      const reading = new Reading(key)
      const buffer = Buffer.alloc(Math.max(...sizes))
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const length = bytes.copy(buffer, 0, at, at + sizes[turn % sizes.length]!)
        reading.add(buffer.subarray(0, length))
        buffer.fill(0)
        at += length
      }
      const found = reading.end()
      expect(found.gaps).toEqual(gaps)
      expect(found.entries).toEqual(entries)
    }),
    { numRuns: 30 }
  )
})
