/** Instruction files: which, in which order, and what they may bring in. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import * as fc from '../../support/fast-check.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { importsIn } from '../../../src/lib/agent/instructions/imports.ts'
import { ProjectInstructions, type Instructions } from '../../../src/lib/agent/instructions/instructions.ts'

const stages: string[] = []

afterEach(() => {
  for (const folder of stages.splice(0)) rmSync(folder, { recursive: true })
})

/** A folder with these files in it, a home and a project. */
function stage(files: Readonly<Record<string, string | Buffer>>) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  stages.push(base)
  mkdirSync(join(base, 'home'))
  mkdirSync(join(base, 'project'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), text)
  }
  const notes: string[] = []
  const load = (cwd = 'project', managed: readonly string[] = []): readonly Instructions[] =>
    new ProjectInstructions({
      cwd: join(base, cwd),
      root: join(base, 'project'),
      home: join(base, 'home'),
      managed: managed.map(folder => join(base, folder)),
      warn: text => notes.push(text.replaceAll(`${base}/`, ''))
    }).atStart
  const names = (cwd?: string): readonly string[] => load(cwd).map(({ path }) => relative(base, path))
  return { base, load, names, notes }
}

describe('which files, in which order', () => {
  test('managed, the user, and from the top of the repository down', () => {
    const { base, load } = stage({
      'etc/CLAUDE.md': 'managed',
      'home/.claude/CLAUDE.md': 'user',
      'home/.carabiner/CLAUDE.md': 'ours',
      'repo/.git/HEAD': '',
      'repo/CLAUDE.md': 'top',
      'repo/CLAUDE.local.md': 'top local',
      'repo/project/.claude/CLAUDE.md': 'project',
      'repo/project/deep/AGENTS.md': 'agents',
      'repo/project/deep/er/CLAUDE.md': 'deep',
      'repo/project/deep/er/further/CLAUDE.md': 'not yet',
      'CLAUDE.md': 'outside'
    })
    expect(load('repo/project/deep/er', ['etc']).map(({ path, ...rest }) => [relative(base, path), rest])).toEqual([
      ['etc/CLAUDE.md', { type: 'Managed', reason: 'session_start', text: 'managed' }],
      ['home/.claude/CLAUDE.md', { type: 'User', reason: 'session_start', text: 'user' }],
      ['home/.carabiner/CLAUDE.md', { type: 'User', reason: 'session_start', text: 'ours' }],
      ['repo/CLAUDE.md', { type: 'Project', reason: 'session_start', text: 'top' }],
      ['repo/CLAUDE.local.md', { type: 'Local', reason: 'session_start', text: 'top local' }],
      ['repo/project/.claude/CLAUDE.md', { type: 'Project', reason: 'session_start', text: 'project' }],
      ['repo/project/deep/AGENTS.md', { type: 'Project', reason: 'session_start', text: 'agents' }],
      ['repo/project/deep/er/CLAUDE.md', { type: 'Project', reason: 'session_start', text: 'deep' }]
    ])
  })

  test('without a repository from the root of the project; nothing above is read', () => {
    const { names } = stage({ 'CLAUDE.md': 'above', 'project/CLAUDE.md': 'a', 'project/x/CLAUDE.md': 'b' })
    expect(names('project/x')).toEqual(['project/CLAUDE.md', 'project/x/CLAUDE.md'])
  })

  test('AGENTS.md where there is no CLAUDE.md beside it', () => {
    const { names } = stage({
      'project/CLAUDE.md': 'a',
      'project/AGENTS.md': 'not read',
      'project/x/.claude/CLAUDE.md': 'b',
      'project/x/AGENTS.md': 'not read',
      'project/x/y/AGENTS.md': 'c',
      'project/x/y/CLAUDE.local.md': 'd'
    })
    expect(names('project/x/y')).toEqual([
      'project/CLAUDE.md',
      'project/x/.claude/CLAUDE.md',
      'project/x/y/AGENTS.md',
      'project/x/y/CLAUDE.local.md'
    ])
  })

  test('nothing there: nothing said', () => {
    const { load, notes } = stage({})
    expect(load()).toEqual([])
    expect(load('project/that/is/not/there')).toEqual([])
    expect(notes).toEqual([])
  })

  test('each file once, by whatever name', () => {
    const { base, names } = stage({ 'project/CLAUDE.md': '@AGENTS.md\n@./x/../AGENTS.md\n', 'project/AGENTS.md': 'a' })
    symlinkSync('../AGENTS.md', join(base, 'project/.claude-link'))
    mkdirSync(join(base, 'project/sub'))
    symlinkSync('../AGENTS.md', join(base, 'project/sub/CLAUDE.md'))
    expect(names('project/sub')).toEqual(['project/CLAUDE.md', 'project/AGENTS.md'])
  })

  test('the text is as it stands there', () => {
    const text = '\uFEFF# A\r\n<!-- keep -->\r\n'
    expect(stage({ 'project/CLAUDE.md': text }).load()).toMatchObject([{ text }])
  })
})

describe('imports', () => {
  test('follow the file that names them, relative to it', () => {
    const { base, load } = stage({
      'project/CLAUDE.md': 'See @docs/a.md and (@docs/b.md), @nowhere.md, mail@docs/c.md.',
      'project/docs/a.md': '@c.md',
      'project/docs/b.md': 'b',
      'project/docs/c.md': 'c'
    })
    expect(load().map(({ path, reason, parent, type }) => [relative(base, path), reason, type, parent])).toEqual([
      ['project/CLAUDE.md', 'session_start', 'Project', undefined],
      ['project/docs/a.md', 'include', 'Project', join(base, 'project/CLAUDE.md')],
      ['project/docs/c.md', 'include', 'Project', join(base, 'project/docs/a.md')],
      ['project/docs/b.md', 'include', 'Project', join(base, 'project/CLAUDE.md')]
    ])
  })

  test('cycles end', () => {
    const { names } = stage({
      'project/CLAUDE.md': '@a.md',
      'project/a.md': '@b.md',
      'project/b.md': '@a.md @CLAUDE.md'
    })
    expect(names()).toEqual(['project/CLAUDE.md', 'project/a.md', 'project/b.md'])
  })

  test('five files deep, and the next is named', () => {
    const deep = Array.from({ length: 8 }, (_, index) => [`project/${index}.md`, `@${index + 1}.md`] as const)
    const { names, notes } = stage({ 'project/CLAUDE.md': '@0.md', ...Object.fromEntries(deep) })
    expect(names()).toEqual(['CLAUDE', 0, 1, 2, 3, 4].map(name => `project/${name}.md`))
    expect(notes).toEqual([
      'project/5.md, which project/4.md imports, was left out: it is imported more than 5 files deep'
    ])
  })

  // P1, P2, P4, P5
  test('a project brings in nothing from outside: not by .., not by an absolute path, not by a link', () => {
    const { base, names, notes } = stage({
      'secret/id_rsa': 'KEY',
      'home/.claude/.credentials.json': '{}',
      'home/.claude/mine.md': 'mine',
      'home/.ssh/config.md': 'x',
      'project/CLAUDE.md':
        '@../secret/id_rsa @link @linked/id_rsa @~/.ssh/config.md @~/.claude/.credentials.json @~/.claude/mine.md'
    })
    symlinkSync(join(base, 'secret/id_rsa'), join(base, 'project/link'))
    symlinkSync(join(base, 'secret'), join(base, 'project/linked'))
    symlinkSync(join(base, 'secret/id_rsa'), join(base, 'project/CLAUDE.local.md'))
    writeFileSync(join(base, 'project/AGENTS.md'), '')
    // What users keep for it is theirs to name.
    expect(names()).toEqual(['project/CLAUDE.md', 'home/.claude/mine.md'])
    expect(notes).toHaveLength(3)
    for (const note of notes) expect(note).toMatch(/was left out: it is outside of the project/)
  })

  test('an absolute path out of the project', () => {
    const { base, names, notes } = stage({ 'secret.md': 'KEY' })
    writeFileSync(join(base, 'project/CLAUDE.md'), `@${base}/secret.md`)
    expect(names()).toEqual(['project/CLAUDE.md'])
    expect(notes).toHaveLength(1)
  })

  test('a link in the place of CLAUDE.md that leads out of the project', () => {
    const { base, names, notes } = stage({ 'secret.md': 'KEY' })
    symlinkSync('../secret.md', join(base, 'project/CLAUDE.md'))
    expect(names()).toEqual([])
    expect(notes).toEqual([expect.stringMatching(/^project\/CLAUDE\.md was left out: it is outside/)])
  })

  test('the files of the user may name whatever they like', () => {
    const { names } = stage({
      'home/.claude/CLAUDE.md': '@~/notes.md @../../other/a.md',
      'home/notes.md': '',
      'other/a.md': ''
    })
    expect(names()).toEqual(['home/.claude/CLAUDE.md', 'home/notes.md', 'other/a.md'])
  })

  // P15, E5, E6
  test('what is no text, what is too large and what is no file is left out, and said', () => {
    const { base, names, notes } = stage({
      'project/CLAUDE.md': '@nul @latin @big @pipe @folder',
      'project/nul': 'a\0b',
      'project/latin': Buffer.from([0x63, 0xe9]),
      'project/big': 'x'.repeat(300_000),
      'project/folder/x': ''
    })
    execFileSync('mkfifo', [join(base, 'project/pipe')])
    expect(names()).toEqual(['project/CLAUDE.md'])
    expect(notes.map(note => note.replace(/^.*: /, ''))).toEqual([
      'it is not a text',
      'it is not a text in UTF-8',
      'it is larger than 262144 bytes',
      'it is not an ordinary file'
    ])
  })

  test('all together no more than a megabyte, and no more than 200 files', () => {
    const many = (count: number, size: number) => {
      const names = Array.from({ length: count }, (_, index) => `f${index}.md`)
      const files = Object.fromEntries(names.map(name => [`project/${name}`, 'x'.repeat(size)]))
      return stage({ 'project/CLAUDE.md': names.map(name => `@${name}`).join('\n'), ...files })
    }
    const large = many(10, 200_000)
    expect(large.names()).toHaveLength(7)
    expect(large.notes).toHaveLength(4)
    const few = many(250, 1)
    expect(few.names()).toHaveLength(200)
    expect(few.notes[0]).toContain('more than 200 files')
  })
})

describe('what is an import', () => {
  test.each([
    ['@a', ['a']],
    ['see @./a.md, @~/b.md and @/c', ['./a.md,', '~/b.md', '/c']],
    ['@with\\ blank.md x', ['with blank.md']],
    ['me@example.com @', []],
    ['`@a` and ``x ` @b`` @c', ['c']],
    ['`open @a', ['a']],
    ['`open\n\n@a` x', ['a`'.slice(0, 1)]],
    ['```\n@a\n```\n@b', ['b']],
    ['````\n```\n@a\n````\n@b', ['b']],
    ['~~~ts\n@a\n~~~\n@b', ['b']],
    ['```\n@a', []],
    ['text\n\n    @a\n\n@b', ['b']],
    ['- item\n\n    @a', ['a']],
    ['<!-- @a\n@b --> @c', ['c']],
    ['```\n<!--\n```\n@a', ['a']],
    ['- @a\r\n- @b\r\n', ['a', 'b']]
  ])('%j: %j', (text, paths) => {
    expect(importsIn(text)).toEqual(paths)
  })

  test('any text is read, and no text takes long', () => {
    const pieces = fc.constantFrom(
      '@',
      'a',
      '`',
      '``',
      '\n',
      '\n\n',
      '```',
      '~~~',
      '<!--',
      '-->',
      '    ',
      '- ',
      '\\ ',
      '\r',
      '\uD800'
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
        const text = parts.join('')
        for (const path of importsIn(text)) expect(text).toContain(`@${path.replaceAll(' ', '\\ ')}`)
      })
    )
    const ticks = Array.from({ length: 500 }, (_, index) => '`'.repeat(index + 1)).join(' ')
    for (const text of [
      ticks,
      '<!--'.repeat(50_000),
      '@\\ '.repeat(50_000),
      ' '.repeat(200_000),
      '~~~\n'.repeat(50_000)
    ])
      expect(importsIn(text).length).toBeLessThan(100_000)
  })
})
