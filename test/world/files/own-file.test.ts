/** Files of ours that several processes change at once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changeOwnFile } from '../../../src/lib/world/lock/lock.ts'
import { repetitions } from '../../support/seed.ts'

const DRIVER = join(import.meta.dirname, 'drivers', 'changer.ts')

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'carabiner-own-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

// FM45
test('ten processes change it at once: nothing is lost, and no one reads half of it', async () => {
  const place = folder()
  const path = join(place, 'list.json')
  const [processes, times] = [10, repetitions(50)]
  const children = Array.from({ length: processes }, (_, name) =>
    spawn(process.execPath, [DRIVER, path, String(name), String(times)], { stdio: ['pipe', 'pipe', 'inherit'] })
  )
  await Promise.all(children.map(child => new Promise(resolve => child.stdout.once('data', resolve))))
  const ends = children.map(child => new Promise(resolve => child.once('exit', resolve)))
  for (const child of children) child.stdin.write('go')
  let [reads, longest] = [0, 0]
  const isOver = (): boolean => children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
  while (!isOver()) {
    for (let each = 0; each < 200; each++) {
      const text = read(path)
      if (text === undefined) continue
      const { length } = JSON.parse(text) as string[]
      expect(length).toBeGreaterThanOrEqual(longest)
      longest = length
      reads++
    }
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await Promise.all(ends)).toEqual(Array(processes).fill(0))
  const all = JSON.parse(readFileSync(path, 'utf8')) as string[]
  expect(all).toHaveLength(processes * times)
  expect(new Set(all).size).toBe(processes * times)
  expect(reads).toBeGreaterThan(0)
  expect(readdirSync(place)).toEqual(['list.json'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('B3: whoever was killed in the middle of a change keeps no one from the next', async () => {
  const place = folder()
  const path = join(place, 'list.json')
  const child = spawn(process.execPath, [DRIVER, path, 'stays'], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.stdin.write('go')
  await once(child.stdout, 'data')
  expect(readdirSync(place)).toContain('list.json.lock')
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  changeOwnFile(path, text => `${text ?? 'nothing'} and more`)
  expect(readFileSync(path, 'utf8')).toBe('nothing and more')
  expect(readdirSync(place)).toEqual(['list.json'])
})

test('B3: what another machine left unfinished is waited for as long as its lease lasts, and no longer', () => {
  const place = folder()
  const path = join(place, 'list.json')
  writeFileSync(`${path}.lock`, JSON.stringify({ id: '0123456789abcdef', host: 'other', socket: null, pid: 7 }))
  const almost = new Date(Date.now() - 14_000)
  utimesSync(`${path}.lock`, almost, almost)
  changeOwnFile(path, () => 'one')
  expect(Date.now() - almost.getTime()).toBeGreaterThanOrEqual(15_000)
  expect(readdirSync(place)).toEqual(['list.json'])
})

test('a change that throws changes nothing', () => {
  const path = join(folder(), 'list.json')
  changeOwnFile(path, () => 'one')
  expect(() =>
    changeOwnFile(path, () => {
      throw new Error('no')
    })
  ).toThrow('no')
  changeOwnFile(path, text => `${text}, two`)
  expect(readFileSync(path, 'utf8')).toBe('one, two')
})

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
