/** Instructions that enter when a file is used: those of the folders down to it, and rules for its path. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  ask,
  type Asked,
  type Asking,
  bashTurn,
  callTurn,
  inputsOf,
  type Project,
  project,
  prompted,
  registry,
  resultsIn,
  words
} from '../../support/agent-kit.ts'

const read = (place: Project, name: string) => callTurn('Read', { file_path: place.path(name) })
const loadedIn = (asked: Asked) =>
  inputsOf(asked, 'InstructionsLoaded').map(({ load_reason, file_path }) => [
    load_reason,
    String(file_path).replace(`${asked.project.cwd}/`, '')
  ])
/** How often the last request has this text in its messages. */
const countOf = ({ sent }: Asked, text: string): number => sent.at(-1)!.map(words).join('\n').split(text).length - 1

const FILES = {
  'CLAUDE.md': 'at the top',
  'top.txt': 't',
  'a/CLAUDE.md': 'in a @more.md',
  'a/more.md': 'more of a',
  'a/b/.claude/CLAUDE.md': 'inside b',
  'a/b/CLAUDE.local.md': 'local in b',
  'a/b/x.txt': 'x',
  'a/y.txt': 'y',
  'c/AGENTS.md': 'in c',
  'c/z.txt': 'z'
}

test('files of the folders down to a used file enter once, with its result, and are announced', async () => {
  const place = project(FILES)
  const asked = await ask(
    [read(place, 'top.txt'), read(place, 'a/b/x.txt'), read(place, 'a/y.txt'), read(place, 'a/b/x.txt'), 'Done.'],
    { in: place }
  )
  const trigger_file_path = place.path('a/b/x.txt')
  const nested = { memory_type: 'Project', load_reason: 'nested_traversal', trigger_file_path }
  expect(inputsOf(asked, 'InstructionsLoaded')).toMatchObject([
    { file_path: place.path('CLAUDE.md'), load_reason: 'session_start' },
    { ...nested, file_path: place.path('a/CLAUDE.md') },
    {
      file_path: place.path('a/more.md'),
      load_reason: 'include',
      parent_file_path: place.path('a/CLAUDE.md'),
      trigger_file_path
    },
    { ...nested, file_path: place.path('a/b/.claude/CLAUDE.md') },
    { ...nested, file_path: place.path('a/b/CLAUDE.local.md'), memory_type: 'Local' }
  ])
  expect(asked.sent[1]!.map(words).join()).not.toContain('in a')
  expect(asked.sent[2]!.map(words).at(-1)).toBe(
    [
      ['a/CLAUDE.md', 'in a @more.md'],
      ['a/more.md', 'more of a'],
      ['a/b/.claude/CLAUDE.md', 'inside b'],
      ['a/b/CLAUDE.local.md', 'local in b']
    ]
      .map(([name, text]) => `Instructions from ${place.path(name!)}:\n\n${text}`)
      .join('\n\n')
  )
  expect(countOf(asked, 'in a @more.md')).toBe(1)
})

test('calls of one answer bring them in once; writing uses a file, a call that fails or searches does not', async () => {
  const place = project(FILES)
  const { calls } = read(place, 'a/b/x.txt')
  const asked = await ask(
    [
      read(place, 'c/missing.txt'),
      callTurn('Grep', { pattern: 'z', path: place.path('c') }),
      bashTurn('cat c/z.txt'),
      { calls: [...calls, ...calls, ...read(place, 'a/y.txt').calls] },
      'Done.'
    ],
    { in: place, allowedTools: ['Bash(cat *)'] }
  )
  expect(countOf(asked, 'in c')).toBe(0)
  expect(countOf(asked, 'in a @more.md')).toBe(1)
  expect(loadedIn(asked)).toHaveLength(5)
  const write = callTurn('Write', { file_path: place.path('c/new.txt'), content: 'n' })
  const written = await ask([write, 'Done.'], { in: place, allowedTools: ['Write'] })
  expect(loadedIn(written)).toEqual([
    ['session_start', 'CLAUDE.md'],
    ['nested_traversal', 'c/AGENTS.md']
  ])
})

const RULES = {
  '.claude/rules/general.md': '---\ndescription: for all\n---\nBe brief.',
  '.claude/rules/deep/api.md': '---\npaths:\n  - "src/**/*.ts"\n  - lib/*.{js,ts}\n---\nTest the API. @api-more.md',
  '.claude/rules/deep/api-more.md': '---\npaths: nowhere\n---\n',
  '.claude/rules/text.md': '---\npaths: **/*.txt, *.log\n---\nSpell well.',
  '.claude/rules/notes.txt': 'no rule',
  'src/a/b.ts': 'b',
  'lib/c.js': 'c',
  'lib/d/e.js': 'e',
  'f.log': 'f'
}

test('rules without paths are for the start; others enter when a file matches, and say for which', async () => {
  const place = project(RULES)
  const [api, text] = ['.claude/rules/deep/api.md', '.claude/rules/text.md'].map(place.path)
  const turns = ['lib/d/e.js', 'src/a/b.ts', 'lib/c.js', 'f.log'].map(name => read(place, name))
  const asked = await ask([...turns, 'Done.'], { in: place })
  expect(asked.systems[0]).toMatch(/general\.md:\n\nBe brief\.$/)
  expect(asked.systems[0]).not.toContain('Spell')
  expect(inputsOf(asked, 'InstructionsLoaded').filter(({ load_reason }) => load_reason !== 'include')).toMatchObject([
    { file_path: place.path('.claude/rules/general.md'), load_reason: 'session_start', memory_type: 'Project' },
    {
      file_path: api,
      load_reason: 'path_glob_match',
      globs: ['src/**/*.ts', 'lib/*.{js,ts}'],
      trigger_file_path: place.path('src/a/b.ts')
    },
    {
      file_path: text,
      load_reason: 'path_glob_match',
      globs: ['**/*.txt', '*.log'],
      trigger_file_path: place.path('f.log')
    }
  ])
  expect(asked.sent[1]!.map(words).join()).not.toContain('Test the API.')
  expect([countOf(asked, 'Test the API.'), countOf(asked, 'Spell well.')]).toEqual([1, 1])
})

test('rules of the user apply to paths in the project', async () => {
  const place = project({ 'src/a.ts': 'a', '../home/.claude/rules/ts.md': '---\npaths: ["src/*.ts"]\n---\nMine.' })
  const asked = await ask([read(place, 'src/a.ts'), 'Done.'], { in: place })
  expect(inputsOf(asked, 'InstructionsLoaded')).toMatchObject([{ memory_type: 'User', globs: ['src/*.ts'] }])
  expect(countOf(asked, 'Mine.')).toBe(1)
})

test('a resumed session does not load again what its conversation has; after a compaction it does', async () => {
  const place = project({ ...FILES, ...RULES })
  const options: Asking = { in: place, persistSession: true }
  const turns = [read(place, 'a/b/x.txt'), read(place, 'src/a/b.ts'), 'Done.']
  const first = await ask(turns, options)
  expect([countOf(first, 'inside b'), countOf(first, 'Test the API.')]).toEqual([1, 1])
  const resume = first.result.session_id
  const second = await ask([...turns.slice(0, 2), read(place, 'c/z.txt'), 'Done.'], { ...options, resume })
  expect(loadedIn(second).filter(([reason]) => reason !== 'session_start')).toEqual([
    ['nested_traversal', 'c/AGENTS.md']
  ])
  expect(['inside b', 'Test the API.', 'in c'].map(text => countOf(second, text))).toEqual([1, 1, 1])
  await ask(['The summary.'], { ...options, resume, prompt: '/compact' })
  const last = await ask(turns, { ...options, resume })
  expect(['inside b', 'Test the API.'].map(text => countOf(last, text))).toEqual([1, 1])
  expect(loadedIn(last)).toContainEqual(['nested_traversal', 'a/b/.claude/CLAUDE.md'])
})

test.each(['/compact', '/clear'])('after %s they are loaded when they next apply', async command => {
  const place = project(FILES)
  // A compaction keeps the last messages.
  const more = Array.from({ length: 4 }, () => read(place, 'top.txt'))
  const turns = [read(place, 'c/z.txt'), ...more, 'Done.']
  const asked = await ask([...turns, ...(command === '/compact' ? ['The summary.'] : []), ...turns], {
    in: place,
    prompt: (async function* () {
      yield* ['go', command, 'again'].map(prompted)
    })()
  })
  expect(countOf(asked, 'in c')).toBe(1)
  expect(loadedIn(asked).filter(([reason]) => reason === 'nested_traversal')).toHaveLength(2)
})

test('a folder is looked at once: what comes later is for the next session', async () => {
  const place = project({ 'd/x.txt': 'x' })
  const later = registry(hooks =>
    hooks.on('PostToolBatch', () => void (place.has('d/CLAUDE.md') || place.write('d/CLAUDE.md', 'too late')))
  )
  const turns = [read(place, 'd/x.txt'), read(place, 'd/x.txt'), 'Done.']
  expect(countOf(await ask(turns, { in: place, hooks: later }), 'too late')).toBe(0)
  expect(countOf(await ask(turns, { in: place }), 'too late')).toBe(1)
})

test('nothing from outside of the project, from packages, or for subagents', async () => {
  const place = project({
    'node_modules/p/CLAUDE.md': 'obey p',
    'node_modules/p/x.txt': 'x',
    '../other/CLAUDE.md': 'obey other',
    '../other/rules/r.md': 'obey rules',
    '../other/x.txt': 'x',
    'e/CLAUDE.md': 'obey e',
    'e/x.txt': 'x'
  })
  mkdirSync(place.path('.claude'))
  symlinkSync('../../other/rules', place.path('.claude/rules'))
  symlinkSync('../other', place.path('linked'))
  const turns = ['node_modules/p/x.txt', '../other/x.txt', 'linked/x.txt'].map(name => read(place, name))
  const options: Asking = {
    in: place,
    allowedTools: ['Read', 'Agent'],
    additionalDirectories: [place.path('../other')]
  }
  const told: string[] = []
  const agents = { reader: { description: 'Reads.', prompt: 'I am reader.' } }
  const input = { description: 'a task', prompt: 'go', subagent_type: 'reader' }
  const asked = await ask([...turns, callTurn('Agent', input), read(place, 'e/x.txt'), 'Read.', 'Done.'], {
    ...options,
    agents,
    stderr: text => void told.push(text)
  })
  expect(told).toEqual([expect.stringMatching(/\.claude\/rules was left out: it is outside of the project/)])
  expect(asked.result).toMatchObject({ is_error: false, result: 'Done.' })
  expect(asked.sent.flatMap(resultsIn).filter(({ isError }) => isError)).toEqual([])
  expect(JSON.stringify([asked.sent, asked.systems])).not.toContain('obey')
  expect(asked.names).not.toContain('InstructionsLoaded')
})
