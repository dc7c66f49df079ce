/** Where trust is kept: for its owner alone, whole or not at all. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { giveTrust, loadSettings, trustOf, type Where } from '../../src/settings.ts'
import { commandOn, HANG, scene } from './support.ts'
import { project, trusted } from './trust-scene.ts'

vi.setConfig({ testTimeout: HANG })

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8)

test('the store is for its owner alone, and so is its folder', () => {
  const before = process.umask(0o000)
  const { path } = trusted()
  process.umask(before)
  expect([modeOf(path('home/.carabiner')), modeOf(path('home/.carabiner/trust.json'))]).toEqual(['700', '600'])
})

test('nothing is left beside it', () => {
  const { path, give } = trusted()
  give()
  give(true)
  expect(readdirSync(path('home/.carabiner'))).toEqual(['trust.json'])
})

test('it names the real path, the digest and each part', () => {
  const { path, trust } = trusted()
  const store = JSON.parse(readFileSync(path('home/.carabiner/trust.json'), 'utf8')) as Record<string, unknown>
  expect(store).toEqual({
    [path('project')]: {
      digest: trust().digest,
      device: statSync(path('project')).dev,
      inode: statSync(path('project')).ino,
      folder: false,
      parts: {
        'hook PreToolUse Bash .claude/hooks/check.sh': expect.stringMatching(/^[0-9a-f]{64}$/),
        'file .claude/hooks/check.sh': expect.stringMatching(/^[0-9a-f]{64}$/),
        'file .claude/hooks/lib.sh': expect.stringMatching(/^[0-9a-f]{64}$/)
      }
    }
  })
})

test('one project more takes nothing from the others', () => {
  const { write, path, where, trust } = trusted()
  write('second/.claude/settings.json', commandOn('Stop', 'true'))
  const second = { ...where, cwd: path('second') }
  giveTrust(loadSettings(second), second)
  expect([trust().state, trustOf(loadSettings(second), second).state]).toEqual(['trusted', 'trusted'])
})

test.each([
  ['broken', '{ "'],
  ['empty', ''],
  ['of another kind', '[]'],
  ['with other entries', '{ "PROJECT": true }'],
  ['with half an entry', '{ "PROJECT": { "folder": true } }'],
  ['with names of the language', '{ "__proto__": { "folder": true }, "constructor": {} }']
])('a store that is %s trusts nobody, and is written anew', (_, text) => {
  const { trust, give, path, write } = project()
  write('home/.carabiner/trust.json', text.replace('PROJECT', path('project')))
  chmodSync(path('home/.carabiner/trust.json'), 0o600)
  expect(trust().state).toBe('untrusted')
  give()
  expect(trust().state).toBe('trusted')
})

test.skipIf(process.platform === 'win32')('a store that others may write to trusts nobody', () => {
  const { trust, path } = trusted()
  chmodSync(path('home/.carabiner/trust.json'), 0o666)
  expect(trust().state).toBe('untrusted')
  chmodSync(path('home/.carabiner/trust.json'), 0o600)
  expect(trust().state).toBe('trusted')
})

test('where it cannot be written, that is an error, and the old one stays', () => {
  const { give, path, trust } = trusted()
  const text = readFileSync(path('home/.carabiner/trust.json'), 'utf8')
  rmSync(path('home/.carabiner/trust.json'))
  mkdirSync(path('home/.carabiner/trust.json/in-the-way'), { recursive: true })
  expect(() => give()).toThrow()
  expect(trust().state).toBe('untrusted')
  rmSync(path('home/.carabiner/trust.json'), { recursive: true })
  writeFileSync(path('home/.carabiner/trust.json'), text, { mode: 0o600 })
  expect(trust().state).toBe('trusted')
})

const SETTINGS_MODULE = fileURLToPath(new URL('../../src/settings.ts', import.meta.url))

/** A process that trusts these folders, one after the other. */
const writer = (where: Where, folders: readonly string[]): string => `
  import { giveTrust, loadSettings } from ${JSON.stringify(SETTINGS_MODULE)}
  for (const cwd of ${JSON.stringify(folders)}) {
    const where = { ...${JSON.stringify(where)}, cwd }
    giveTrust(loadSettings(where), where)
  }
`

test('several writers at once: the store is always whole, and what they trusted last is there', async () => {
  const { write, path, where } = scene()
  const folders = Array.from({ length: 30 }, (_, number) => path(`many/${number}`))
  for (const folder of folders)
    write(`${folder.slice(path('').length + 1)}/.claude/settings.json`, commandOn('Stop', 'true'))
  const store = path('home/.carabiner/trust.json')
  const writers = [folders.slice(0, 15), folders.slice(15)].map(half =>
    spawn(process.execPath, ['--input-type=module', '-e', writer(where, half)], {
      stdio: ['ignore', 'ignore', 'inherit']
    })
  )
  const ends = Promise.all(writers.map(child => once(child, 'exit')))
  const watch = { running: true, reads: 0 }
  void ends.then(() => (watch.running = false))
  while (watch.running) {
    const text = readIfThere(store)
    if (text !== undefined) {
      expect(() => JSON.parse(text) as unknown).not.toThrow()
      watch.reads++
    }
    await new Promise(resolve => setImmediate(resolve))
  }
  expect((await ends).map(([code]) => code as unknown)).toEqual([0, 0])
  expect(watch.reads).toBeGreaterThan(0)
  const states = folders.map(cwd => trustOf(loadSettings({ ...where, cwd }), { ...where, cwd }).state)
  // Whoever was overtaken is asked again; nobody is trusted who was not.
  expect(states.filter(state => state === 'trusted').length).toBeGreaterThan(0)
  expect(states.every(state => state === 'trusted' || state === 'untrusted')).toBe(true)
  expect(readdirSync(path('home/.carabiner'))).toEqual(['trust.json'])
})

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
