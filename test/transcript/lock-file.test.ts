/** What may be found where a lock file should be. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lockByFile, startByPs } from '../../src/lib/transcript/lock-file.ts'
import { doing, held, holderOf, locker, scene } from './lock-kit.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A claim, as this process has just made it. */
async function ownClaim(): Promise<Record<string, unknown>> {
  const file = scene()('a.jsonl')
  const own = await held(lockByFile(file, doing))
  const [, line] = readFileSync(`${file}.lock`, 'utf8').split('\n')
  await own.release()
  return JSON.parse(line!) as Record<string, unknown>
}

const lineOf = (claim: Record<string, unknown>): string => `#\n${JSON.stringify(claim)}\n`

test.each<[string, (claim: Record<string, unknown>) => string]>([
  ['nothing', () => ''],
  ['half a claim', claim => lineOf(claim).slice(0, 30)],
  ['all of a claim but its end', claim => lineOf(claim).slice(0, -1)],
  ['half a claim behind one of the dead', claim => lineOf({ ...claim, start: 1 }) + lineOf(claim).slice(0, 30)],
  ['rubbish', () => '\0\n\u{FFFD}[]\nnull\n7\n{}\n'],
  ['a claim of a process that had the same number', claim => lineOf({ ...claim, start: 1 })],
  ['a claim of a process that is gone', claim => lineOf({ ...claim, pid: spawnSync('true').pid })],
  ['claims of no process', claim => [0, -1, 1.5, '1', null].map(pid => lineOf({ ...claim, pid })).join('')],
  ['a claim that was taken back', claim => lineOf(claim) + lineOf({ gone: claim['id'] })]
])('%s keeps nobody out', async (_, left) => {
  const path = scene()
  writeFileSync(path('a.jsonl.lock'), left(await ownClaim()))
  const own = await held(lockByFile(path('a.jsonl'), doing))
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toMatchObject({ pid: process.pid })
  await own.release()
  expect(readdirSync(path())).toEqual([])
})

test('a claim of a process that lives does, whatever stands around it', async () => {
  const path = scene()
  const claim = await ownClaim()
  const text = `half a cl${lineOf({ ...claim, id: 'dead', start: 1 })}${lineOf(claim)}#\n{"gone":"an`
  writeFileSync(path('a.jsonl.lock'), text)
  const { pid, since } = claim
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toEqual({ pid, since })
  expect(readFileSync(path('a.jsonl.lock'), 'utf8')).toBe(text)
})

test('so does one that does not know when its process began', async () => {
  const path = scene()
  writeFileSync(path('a.jsonl.lock'), lineOf({ ...(await ownClaim()), start: null }))
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toMatchObject({ pid: process.pid })
})

test('a process may have any name', async () => {
  const path = scene()
  const holder = await locker()
  await holder.ask({ order: 'take', way: 'file', file: path('a.jsonl'), title: 'a) Z 1 (b) 2' })
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toMatchObject({ pid: holder.pid })
  await holder.kill()
  const own = await held(lockByFile(path('a.jsonl'), doing))
  await own.release()
})

test('whoever finds its file removed by hand does not remove that of the next', async () => {
  const path = scene()
  const own = await held(lockByFile(path('a.jsonl'), doing))
  rmSync(path('a.jsonl.lock'))
  const next = await held(lockByFile(path('a.jsonl'), doing))
  await own.release()
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toMatchObject({ pid: process.pid })
  await next.release()
})

test('whoever has claimed in a file that was just removed claims again in the next', async () => {
  const path = scene()
  const taking = lockByFile(path('a.jsonl'), doing)
  // It has opened the file, and not yet written to it: the last holder lets go now, and dies.
  expect(readFileSync(path('a.jsonl.lock'), 'utf8')).toBe('')
  rmSync(path('a.jsonl.lock'))
  const own = await held(taking)
  expect(await holderOf(lockByFile(path('a.jsonl'), doing))).toMatchObject({ pid: process.pid })
  await own.release()
  expect(readdirSync(path())).toEqual([])
})

test('the file is for its owner alone, and so are folders that are made for it', async () => {
  const path = scene()
  const own = await held(lockByFile(path('new/a.jsonl'), doing))
  const modes = ['new', 'new/a.jsonl.lock'].map(name => (statSync(path(name)).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600'])
  await own.release()
})

// FM49
test('where no file can be made, that is said, with its path', async () => {
  const path = scene()
  mkdirSync(path('a.jsonl.lock'))
  await expect(lockByFile(path('a.jsonl'), doing)).rejects.toThrow('a.jsonl.lock')
  writeFileSync(path('b'), '')
  await expect(lockByFile(path('b/a.jsonl'), doing)).rejects.toThrow('a part of the path is a file, not a folder')
})

const hasPs = spawnSync('ps', ['-o', 'lstart=', '-p', String(process.pid)]).status === 0

test.skipIf(!hasPs)('ps tells when a process began, in any time zone', async () => {
  const before = process.env['TZ']
  onTestFinished(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })
  process.env['TZ'] = 'Asia/Tokyo'
  const start = await startByPs(process.pid)
  process.env['TZ'] = 'America/New_York'
  expect(Math.abs(Number(await startByPs(process.pid)) - Number(start))).toBeLessThanOrEqual(2)
  // Clocks may have been set since.
  expect(Math.abs(Number(start) - Date.now() / 1000)).toBeLessThan(3_600)
  expect(await startByPs(spawnSync('true').pid)).toBe(null)
})
