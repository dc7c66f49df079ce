/** Files that cannot be used as a whole: nothing of them counts, one error names them, and everything else continues. */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Finding, Loaded } from '../../../src/settings.ts'
import { fireArmed, settingsScene, type SettingsScene } from '../settings-kit.ts'
import { HANG } from '../../support/waiting.ts'
import { commandOn, decides } from '../../support/command-settings.ts'

vi.setConfig({ testTimeout: HANG })

const IS_ROOT = process.getuid?.() === 0
const GATE = commandOn('PreToolUse', decides('deny', 'no'))
const TEXT = JSON.stringify(GATE, null, 2)

/** A scene whose user's settings hold these bytes, and a project's gate beside them. */
const holding = (bytes: string | Uint8Array): SettingsScene & { file: string; loaded: Loaded } => {
  const it = settingsScene()
  it.ofProject(GATE)
  const file = it.user('')
  writeFileSync(file, bytes)
  return { ...it, file, loaded: it.load() }
}

/** Nothing of the file counts, one error names it, the project's gate is there still. */
const expectUseless = (
  { file, loaded }: { file: string; loaded: Loaded },
  code: string,
  others: readonly string[] = ['project']
): Finding => {
  expect(loaded.hooks.map(({ scope }) => scope)).toEqual(others)
  expect(loaded.findings).toMatchObject([{ level: 'error', gate: true, code, place: { file } }])
  const [finding] = loaded.findings
  expect(finding!.fix).not.toBe('')
  return finding!
}

// S17
test.each([
  ['nothing', '', 'not-json'],
  ['blanks', ' \n\t ', 'not-json'],
  ['a comment', '// later', 'not-json'],
  ['null', 'null', 'not-an-object'],
  ['a list', '[]', 'not-an-object'],
  ['text', '"x"', 'not-an-object'],
  ['a number', '7', 'not-an-object'],
  ['two objects', '{} {}', 'not-json'],
  ['an object and more', '{}x', 'not-json'],
  ['YAML', 'hooks:\n  Stop: []\n', 'not-json'],
  ['single quotes', "{'hooks': {}}", 'not-json'],
  ['a bare key', '{hooks: {}}', 'not-json'],
  ['a number that is none', '{"a": NaN}', 'not-json']
])('%s', (_, text, code) => {
  expectUseless(holding(text), code)
})

// S18
test('every beginning of a file that is not all of it', () => {
  const { user, load } = settingsScene()
  for (let length = 0; length < TEXT.length; length++) {
    const file = user(TEXT.slice(0, length))
    expectUseless({ file, loaded: load() }, 'not-json', [])
  }
  user(TEXT)
  expect(load()).toMatchObject({ hooks: [{ scope: 'user' }], findings: [] })
})

// S18
test('a file that breaks off says where', () => {
  const { file, loaded } = holding('{\n  "hooks": {\n    "Stop": [')
  expect(loaded.findings).toMatchObject([
    { place: { file, line: 3 }, message: expect.stringContaining('not valid JSON') }
  ])
})

// S19
test.each([
  ['a byte order mark', `\uFEFF${TEXT}`],
  ['lines that end in CR LF', TEXT.replaceAll('\n', '\r\n')],
  ['both', `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`],
  ['lines that end in CR', TEXT.replaceAll('\n', '\r')]
])('%s is accepted', (_, text) => {
  expect(holding(text).loaded).toMatchObject({ findings: [], hooks: [{ scope: 'user' }, { scope: 'project' }] })
})

// S20
test.each([
  ['UTF-16, little end first', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ['UTF-16, big end first', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', Buffer.from(TEXT, 'utf16le')],
  ['Latin-1', Buffer.from('{"x": "grün"}', 'latin1')],
  ['half a character at the end', Buffer.concat([Buffer.from('{"x": "'), Buffer.from([0xe2, 0x82])])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a NUL in a text', Buffer.from('{"x": "a\0b"}')],
  ['a NUL at the end', Buffer.from(`${TEXT}\0`)],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')]
])('%s is an error', (_, bytes) => {
  expectUseless(holding(bytes), 'unreadable')
})

// S21
test.each([
  ['at the top', '{"hooks": {}, "hooks": {}}', 'hooks'],
  ['in a hook', `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "command": "b"}]}]}}`, 'command'],
  ['written differently', '{"hooks": {}, "ho\\u006fks": {}}', 'hooks'],
  ['an event', '{"hooks": {"Stop": [], "Stop": []}}', 'Stop']
])('a key twice, %s', (_, text, key) => {
  expect(expectUseless(holding(text), 'duplicate-key').message).toContain(`"${key}"`)
})

// S27
describe('comments and trailing commas', () => {
  test('are accepted, all of them', () => {
    const text = `// first\n{ /* then */ "hooks": { "Stop": [ { "hooks": [\n  { "type": "command", "command": "a", },\n], }, ], }, }\n// last`
    expect(holding(text).loaded).toMatchObject({ findings: [], hooks: [{ scope: 'user' }, { scope: 'project' }] })
  })

  test.each([
    ['a comment that does not end', '{} /* and then'],
    ['two commas', '{"a": 1,, "b": 2}'],
    ['a comma in front', '{, "a": 1}'],
    ['a comma in front of a list', '{"a": [, 1]}'],
    ['a comment of another language', '{} # here']
  ])('%s is an error', (_, text) => {
    expectUseless(holding(text), 'not-json')
  })
})

// S23
describe('files that are too large', () => {
  const DEEP = 1_000_000
  test.each([
    ['lists in lists', `{"hooks": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`, 'too-deep'],
    ['objects in objects', `{"hooks": ${'{"a":'.repeat(DEEP / 2)}1${'}'.repeat(DEEP / 2)}}`, 'too-deep'],
    ['lists that never end', `{"hooks": ${'['.repeat(DEEP)}`, 'too-deep'],
    ['a hundred megabytes', Buffer.alloc(100 * 1024 * 1024, ' '), 'unreadable'],
    ['a million commands', `{"hooks": {"Stop": [${'"a",'.repeat(1_000_000)}]}}`, 'too-many'],
    ['a million rules', `{"hooks": {"Stop": [${'{},'.repeat(1_000_000)}]}}`, 'too-many'],
    ['a million events', `{"hooks": {${Array.from({ length: 300_000 }, (_, n) => `"${n}":0`).join()}}}`, 'too-many']
  ])('%s', (_, bytes, code) => {
    const memory = process.memoryUsage().rss
    expectUseless(holding(bytes), code)
    expect(process.memoryUsage().rss - memory).toBeLessThan(512 * 1024 * 1024)
  })

  test('ten thousand hooks are many, and load', () => {
    const { user, load } = settingsScene()
    user({ hooks: { Stop: Array.from({ length: 10_000 }, (_, n) => `echo ${n}`) } })
    expect(load().hooks).toHaveLength(10_000)
  })
})

// S29
describe('settings that someone else could have written', () => {
  const refused = (it: SettingsScene, words: string): void => {
    expect(it.load()).toMatchObject({
      hooks: [],
      findings: [{ level: 'error', code: 'not-read', gate: true, message: expect.stringContaining(words) }]
    })
  }

  test.each(['user', 'managed'] as const)('any user may write to it: %s', level => {
    const it = settingsScene()
    chmodSync(it[level](GATE), 0o666)
    refused(it, 'any user')
  })

  test.skipIf(!IS_ROOT)('another ordinary user owns it (needs root to set up)', () => {
    const it = settingsScene()
    chownSync(it.user(GATE), 12_345, 12_345)
    refused(it, 'another user')
  })

  test('a group that may write is ordinary', () => {
    const it = settingsScene()
    chmodSync(it.user(GATE), 0o664)
    expect(it.load()).toMatchObject({ hooks: [{}], findings: [] })
  })

  test('root may own it', () => {
    const it = settingsScene()
    const file = it.user(GATE)
    if (IS_ROOT) chownSync(file, 0, 0)
    expect(it.load()).toMatchObject({ hooks: [{}], findings: [] })
  })

  test('in a project anyone may have written anything: that is what trust is for', () => {
    const it = settingsScene()
    chmodSync(it.ofProject(GATE), 0o666)
    expect(it.load()).toMatchObject({ hooks: [{ ofProject: true }], findings: [] })
  })
})

// S30
describe('what is no file', () => {
  const at = (put: (path: string) => unknown): { file: string; it: SettingsScene } => {
    const it = settingsScene()
    const file = it.path('home/.claude/settings.json')
    mkdirSync(dirname(file), { recursive: true })
    put(file)
    return { file, it }
  }
  test.each([
    ['a pipe that nobody writes to', 'unreadable', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', 'unreadable', (path: string) => mkdirSync(path)],
    ['a device', 'not-read', (path: string) => symlinkSync('/dev/zero', path)],
    ['a link that leads to itself', 'unreadable', (path: string) => symlinkSync(path, path)]
  ])('%s is an error, at once', (_, code, put) => {
    const { file, it } = at(put)
    it.ofProject(GATE)
    expectUseless({ file, loaded: it.load() }, code)
  })

  test('a socket is an error, at once', async () => {
    const { file, it } = at(() => undefined)
    it.ofProject(GATE)
    const server = createServer()
    await new Promise<void>(resolve => void server.listen(file, resolve))
    onTestFinished(() => new Promise<void>(resolve => void server.close(() => resolve())))
    expectUseless({ file, loaded: it.load() }, 'unreadable')
  })

  test('A1: a link that leads nowhere is an error: what it led to may have restricted', () => {
    const { it } = at(path => symlinkSync('/nowhere/at/all', path))
    expect(it.load()).toMatchObject({
      hooks: [],
      findings: [{ gate: true, level: 'error', message: expect.stringContaining('is a link that leads nowhere') }]
    })
  })

  test('so is a pipe in a project', () => {
    const it = settingsScene()
    mkdirSync(it.path('project/.claude'))
    execFileSync('mkfifo', [it.path('project/.claude/settings.json')])
    expect(it.load().findings).toMatchObject([{ code: 'unreadable' }])
  })

  test.skipIf(IS_ROOT)('a file that may not be read is an error (root may read everything)', () => {
    const it = settingsScene()
    chmodSync(it.user(GATE), 0o000)
    expect(it.load().findings).toMatchObject([{ code: 'unreadable' }])
  })
})

// S17, F126
test('what is in order in other files stays in force', async () => {
  const it = holding('{ "hooks": [')
  expect(await fireArmed(await it.arm())).toMatchObject({ blocked: true, reason: 'no' })
})
