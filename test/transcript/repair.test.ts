/** If a repair of a transcript fails at any step, the old file or the new one is there, and no byte is lost. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { realDisk, type ReplacingDisk } from '../../src/lib/transcript/disk.ts'
import { repairFile } from '../../src/lib/transcript/repair.ts'
import { seal } from '../../src/lib/transcript/seal.ts'
import { verifyFile } from '../../src/lib/transcript/verify.ts'

const line = (seq: number, text = `text ${seq}`): Buffer =>
  seal(
    { type: 'user', uuid: `u${seq}`, sessionId: 's', isSidechain: false, message: { role: 'user', content: text } },
    seq
  )

/** Entry 2 is damaged, 5 occurs twice, and the last is torn. */
const DAMAGED = Buffer.concat([
  line(1),
  Buffer.from(line(2).toString().replace('text 2', 'text x')),
  line(3, 'ünïcode \u{1F600} \u2028'),
  line(4, 'x'.repeat(1_500_000)),
  ...[line(5), line(5), line(6).subarray(0, 40)]
])

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'carabiner-repair-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

class Crash extends Error {}

type Operation = 'openAnew' | 'write' | 'sync' | 'syncFolder' | 'link' | 'rename'
const OPERATIONS: readonly Operation[] = ['openAnew', 'write', 'sync', 'syncFolder', 'link', 'rename']

/** A real disk on which the Nth change fails, before it is made or after; from then on nothing works any more. */
function faulty(
  number: number,
  isAfter: boolean,
  { isShort = false, hasLinks = true } = {}
): ReplacingDisk & { readonly count: () => number } {
  let count = 0
  let isCrashed = false
  const wrap = <T extends unknown[], R>(act: (...args: T) => R): ((...args: T) => R) => {
    return (...args) => {
      if (isCrashed) throw new Crash()
      count++
      if (count !== number) return act(...args)
      isCrashed = true
      const done = isAfter ? act(...args) : undefined
      if (!(done instanceof Promise)) throw new Crash()
      return done.then(() => Promise.reject(new Crash())) as R
    }
  }
  const base: ReplacingDisk = {
    ...realDisk,
    ...(isShort && { write: (file, bytes, from) => realDisk.write(file, bytes.subarray(0, from + 700_001), from) }),
    ...(!hasLinks && { link: () => false })
  }
  const wrapped = Object.fromEntries(
    OPERATIONS.map(name => [name, wrap(base[name] as (...args: unknown[]) => unknown)])
  )
  const remove = (path: string): void => {
    if (isCrashed) throw new Crash()
    base.remove(path)
  }
  return { ...base, ...wrapped, remove, count: () => count }
}

// FM46
describe.each([
  ['with hard links', true],
  ['without them', false]
])('%s', (_, hasLinks) => {
  test('ended at any point: the file is as it was, or whole; and the next repair finishes it', async () => {
    const whole = faulty(0, false, { hasLinks, isShort: true })
    const path = join(folder(), 's.jsonl')
    writeFileSync(path, DAMAGED)
    await repairFile(path, { disk: whole })
    expect(whole.count()).toBeGreaterThan(6)
    for (let number = 1; number <= whole.count(); number++)
      for (const isAfter of [false, true]) {
        const place = folder()
        const file = join(place, 's.jsonl')
        writeFileSync(file, DAMAGED)
        const disk = faulty(number, isAfter, { hasLinks, isShort: true })
        await expect(repairFile(file, { disk })).rejects.toThrow('cannot be repaired')
        const left = readFileSync(file)
        const isOld = left.equals(DAMAGED)
        if (!isOld) expect(verifyFile(file)).toMatchObject({ entries: 5, gaps: [] })
        const originals = readdirSync(place).map(name => readFileSync(join(place, name)))
        expect(originals.some(bytes => bytes.equals(DAMAGED))).toBe(true)
        await repairFile(file)
        expect(verifyFile(file)).toMatchObject({ entries: 5, gaps: [] })
        expect(readdirSync(place).filter(name => !/^s\.jsonl(\.\w+\.bak)?$/.test(name))).toEqual([])
      }
  })

  test('a disk that takes less than it is given', async () => {
    const path = join(folder(), 's.jsonl')
    writeFileSync(path, DAMAGED)
    const repaired = await repairFile(path, { disk: faulty(0, false, { hasLinks, isShort: true }) })
    expect(repaired).toMatchObject({ entries: 4 })
    expect(readFileSync(repaired!.original)).toEqual(DAMAGED)
  })
})

test('nothing in an entry changes but its number', async () => {
  const path = join(folder(), 's.jsonl')
  writeFileSync(path, DAMAGED)
  await repairFile(path, { now: new Date('2026-01-02T03:04:05.678Z') })
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  expect(lines.slice(0, 4)).toEqual([
    ...[line(1), line(2, 'ünïcode \u{1F600} \u2028'), line(3, 'x'.repeat(1_500_000)), line(4, 'text 5')].map(
      (each, place) =>
        each
          .toString()
          .trimEnd()
          .replace(/"uuid":"u\d"/, `"uuid":"u${[1, 3, 4, 5][place]}"`)
          .replace(/"crc":"\w+"/, `"crc":"${/"crc":"(\w+)"/.exec(lines[place]!)![1]}"`)
    )
  ])
  expect(readdirSync(join(path, '..')).toSorted()).toEqual(['s.jsonl', 's.jsonl.20260102T030405678Z.bak'])
  expect(JSON.parse(lines[4]!)).toMatchObject({ seq: 5, subtype: 'repaired', parentUuid: 'u5', sessionId: 's' })
})

test('a disk on which nothing can be written leaves all as it was', async () => {
  const place = folder()
  const path = join(place, 's.jsonl')
  writeFileSync(path, DAMAGED)
  const full: ReplacingDisk = {
    ...realDisk,
    write() {
      throw new Error('ENOSPC: no space left on device')
    }
  }
  await expect(repairFile(path, { disk: full })).rejects.toThrow(/no space left/)
  expect(readdirSync(place)).toEqual(['s.jsonl'])
  expect(readFileSync(path)).toEqual(DAMAGED)
})
