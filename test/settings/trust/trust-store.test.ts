/** Where trust is kept: for its owner alone, whole or not at all. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { giveTrust, loadSettings, trustOf, type Where } from '../../../src/settings.ts'
import { settingsScene } from '../settings-kit.ts'
import { trustScene, trusted } from './trust-scene.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn } from '../../support/command-settings.ts'

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
  const parts = [
    'hook PreToolUse Bash .claude/hooks/check.sh',
    'file .claude/hooks/check.sh',
    'file .claude/hooks/lib.sh'
  ]
  const { dev: device, ino: inode } = statSync(path('project'))
  const hashes = Object.fromEntries(parts.map(part => [part, expect.stringMatching(/^[0-9a-f]{64}$/) as unknown]))
  const entry = { digest: trust().digest, device, inode, folder: false, parts: hashes }
  expect(store).toEqual({ version: 2, projects: { [path('project')]: entry } })
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
])('a store that is %s trusts no one, and is written anew', (_, text) => {
  const { trust, give, path, write } = trustScene()
  write('home/.carabiner/trust.json', text.replace('PROJECT', path('project')))
  chmodSync(path('home/.carabiner/trust.json'), 0o600)
  expect(trust().state).toBe('untrusted')
  give()
  expect(trust().state).toBe('trusted')
})

test.skipIf(process.platform === 'win32')('a store that others may write to trusts no one', () => {
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

const SETTINGS_MODULE = fileURLToPath(new URL('../../../src/settings.ts', import.meta.url))

/** A process that trusts these folders, one after the other. */
const writer = (where: Where, folders: readonly string[]): string => `
  import { giveTrust, loadSettings } from ${JSON.stringify(SETTINGS_MODULE)}
  for (const cwd of ${JSON.stringify(folders)}) {
    const where = { ...${JSON.stringify(where)}, cwd }
    giveTrust(loadSettings(where), where)
  }
`

test('several writers at once: the store is always whole, and what they trusted last is there', async () => {
  const { write, path, where } = settingsScene()
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
  // A process that lost the race must ask again; no project is trusted that was not.
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

/** Makes the store what 0.1.0 wrote for this project: entries at the top, without a version, covering less. */
function asBefore({ path, write }: Pick<ReturnType<typeof trustScene>, 'path' | 'write'>, folder = false): void {
  const store = JSON.parse(readFileSync(path('home/.carabiner/trust.json'), 'utf8')) as {
    projects: Record<string, { parts: Record<string, string> }>
  }
  const entries = Object.entries(store.projects).map(([root, entry]) => {
    const parts = Object.entries(entry.parts).filter(([name]) => !/agent|skill|command/.test(name))
    return [root, { ...entry, folder, parts: { ...Object.fromEntries(parts), 'file .claude/hooks/old.log': 'x' } }]
  })
  write('home/.carabiner/trust.json', Object.fromEntries(entries) as object)
  chmodSync(path('home/.carabiner/trust.json'), 0o600)
}

test.each([false, true])(
  'B1: what 0.1.0 trusted is asked about once more, naming what is newly covered (by folder: %s)',
  folder => {
    const here = trustScene()
    here.write('project/.claude/agents/reader.md', '---\ndescription: x\n---\n')
    here.give()
    asBefore(here, folder)
    expect(here.trust()).toMatchObject({
      state: 'changed',
      changes: [
        'trusted by an older version, which covered less',
        'newly covered: agent reader',
        'newly covered: file .claude/agents/reader.md'
      ]
    })
    here.give()
    expect(here.trust()).toMatchObject({ state: 'trusted', by: 'store', changes: [] })
  }
)

test('B1: notes beside the agents of a project are no agents, and need no trust', () => {
  const here = trustScene()
  here.write('project/.claude/agents/reader.md', '---\ndescription: x\n---\n')
  here.write('project/.claude/agents/team/README.md', '# Our agents\n')
  here.give()
  here.write('project/.claude/agents/team/README.md', '# Our agents, and what they do\n')
  expect(here.trust()).toMatchObject({ state: 'trusted' })
  here.write('project/.claude/agents/team/README.md', '---\ndescription: now one\n---\n')
  expect(here.trust()).toMatchObject({ state: 'changed', changes: expect.arrayContaining(['added: agent README']) })
})

test('B1: what an older version trusted elsewhere is kept until it is asked about', () => {
  const here = trustScene()
  here.write('second/.claude/settings.json', commandOn('Stop', 'true'))
  const second = { ...here.where, cwd: here.path('second') }
  giveTrust(loadSettings(second), second)
  here.give()
  asBefore(here)
  here.give()
  expect(here.trust().state).toBe('trusted')
  expect(trustOf(loadSettings(second), second)).toMatchObject({
    state: 'changed',
    changes: ['trusted by an older version, which covered less']
  })
})

test('B1: a store of a later version trusts no one', () => {
  const here = trusted()
  const file = here.path('home/.carabiner/trust.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"version": 2', '"version": 3'))
  expect(here.trust().state).toBe('untrusted')
})
