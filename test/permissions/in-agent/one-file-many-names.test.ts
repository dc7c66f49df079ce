/** A rule about a file applies to every path by which a command or a tool names the file. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolvePath } from '../../../src/lib/world/files/paths.ts'
import * as fc from '../../support/fast-check.ts'
import { ask, bashTurn, project, type Project, resultsIn } from '../../support/agent-kit.ts'

const RULES = {
  allowedTools: ['Bash(cat *)', 'Bash(git *)', 'Bash(cd *)'],
  disallowedTools: ['Read(./secrets/**)']
}

/** A project with something that may not be read, in a repository, with links to it and away from it. */
function guarded(): Project {
  const place = project({ 'secrets/k': 'hidden', 'secrets/sub/x': 'hidden', 'open/deep/f': 'open', k: 'open' })
  symlinkSync('secrets/sub', place.path('l'))
  symlinkSync('/proc/self/cwd', place.path('here'))
  symlinkSync('open/deep', place.path('o'))
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: place.cwd, env: place.env })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'all')
  return place
}

/** Runs each command; gives those of which the model saw what is hidden, and those that were refused. */
async function tried(place: Project, commands: readonly string[]) {
  const { sent } = await ask([...commands.map(bashTurn), 'done'], { in: place, ...RULES })
  const results = resultsIn(sent.at(-1)!)
  expect(results).toHaveLength(commands.length)
  return {
    shown: commands.filter((_, index) => results[index]!.text.includes('hidden')),
    refused: commands.filter((_, index) => results[index]!.text.includes('Read(./secrets/**)'))
  }
}

test('B4: links are followed before the .. behind them', async () => {
  const place = guarded()
  const commands = ['cat l/../k', 'cat ./l/.././k', `cat ${place.cwd}/l/../k`, 'cat open/../l/../k', 'cat here/l/../k']
  expect(await tried(place, commands)).toEqual({ shown: [], refused: commands })
})

test('B4: a path through the command itself is where the command runs', async () => {
  const place = guarded()
  // This test does not run in the project, so that /proc/self of this process is elsewhere.
  expect(process.cwd()).not.toBe(place.cwd)
  const commands = [
    'cat /proc/self/cwd/secrets/k',
    'cat /dev/fd/../cwd/secrets/k',
    `cat /proc/self/root${place.cwd}/secrets/k`,
    `cat /proc/self/root/..${place.cwd}/secrets/k`,
    'cat /proc/self/fd/../cwd/l/../k',
    `cat /dev/../proc/self/root/${place.cwd}/secrets/k`,
    'cat here/secrets/k'
  ]
  expect(await tried(place, commands)).toEqual({ shown: [], refused: commands })
})

test('B4: what only another process knows is asked about', async () => {
  const commands = [
    `cat /proc/${process.pid}/cwd/secrets/k`,
    `cat /proc/${process.pid}/root`,
    'cat /proc/thread-self/cwd/secrets/k',
    'cat /proc/self/task/1/cwd/secrets/k',
    'cat /proc/self/fd/9',
    'cat /dev/fd/9/secrets/k'
  ]
  expect(await tried(guarded(), commands)).toEqual({ shown: [], refused: commands })
})

test('B4: the ways in which git names a path are paths from the top of the repository', async () => {
  const place = guarded()
  const commands = [
    'git log -p -- :/secrets/k',
    "git log -p -- ':(top)secrets/k'",
    "git log -p -- ':(top,literal)secrets/k'",
    "git log -p -- ':(glob)sec*/k'",
    "git log -p -- ':(icase)SECRETS/K'",
    'git show HEAD:secrets/k',
    'git show :secrets/k',
    'git show HEAD:./secrets/k',
    'git -C open log -p -- :/secrets/k',
    'git -C open -C deep log -p -- ../../secrets/k'
  ]
  expect(await tried(place, commands)).toEqual({ shown: [], refused: commands })
})

test('B4: the top of the repository may be above the project', async () => {
  const place = project({ 'pkg/secrets/k': 'hidden', 'pkg/f': 'open' })
  execFileSync('git', ['init', '-q'], { cwd: place.cwd, env: place.env })
  const inner: Project = { ...place, cwd: join(place.cwd, 'pkg') }
  mkdirSync(join(inner.cwd, '.claude'))
  writeFileSync(join(inner.cwd, '.claude/settings.json'), '{}')
  const commands = ['git log -p -- :/pkg/secrets/k', 'git show :pkg/secrets/k']
  expect((await tried(inner, commands)).refused).toEqual(commands)
})

test('B4: what leads elsewhere is not asked about', async () => {
  const place = guarded()
  const commands = [
    'cat o/../../k',
    'cat o/f',
    'cat /proc/self/cwd/k',
    'cat here/open/deep/f',
    'cat /proc/self/status',
    'cat /dev/stdin',
    "git log -p -- open ':!secrets'",
    'git log -p -- :/open',
    'git show HEAD:k'
  ]
  expect((await tried(place, commands)).refused).toEqual([])
})

test('B4: file tools go by the same paths', async () => {
  const place = guarded()
  const paths = [
    'l/../k',
    '/proc/self/cwd/secrets/k',
    '/dev/fd/../cwd/secrets/k',
    'here/secrets/k',
    'open/../secrets/k'
  ]
  const calls = paths.flatMap(path => [
    { name: 'Read', input: { file_path: path } },
    { name: 'Grep', input: { pattern: 'hidden', path, output_mode: 'content' } },
    { name: 'Write', input: { file_path: path, content: 'x' } }
  ])
  const glob = { name: 'Glob', input: { pattern: 'l/../**' } }
  const { sent } = await ask([...[...calls, glob].map(call => ({ calls: [call] })), 'done'], { in: place, ...RULES })
  const results = resultsIn(sent.at(-1)!)
  for (const { text, isError } of results) expect(isError || !/hidden|secrets\/k/.test(text)).toBe(true)
  expect(results.filter(({ text }) => text.includes('Read(./secrets/**)'))).toHaveLength(calls.length + 1)
  expect(place.text('secrets/k')).toBe('hidden')
})

test('B4: a file tool reads what the kernel would read', async () => {
  const place = guarded()
  const calls = ['o/../../k', 'o/../deep/f', '/proc/self/cwd/k'].map(file_path => ({
    name: 'Read',
    input: { file_path }
  }))
  const { sent } = await ask([{ calls }, 'done'], { in: place })
  for (const { text } of resultsIn(sent.at(-1)!)) expect(text).toContain('open')
  const other = { name: 'Read', input: { file_path: `/proc/${process.pid}/cwd/k` } }
  const told = await ask([{ calls: [other] }, 'done'], { in: place })
  expect(resultsIn(told.sent.at(-1)!)[0]!.text).toContain('only another process knows')
})

test('B4: a hook with a condition about a file runs however the file is named', async () => {
  const place = guarded()
  const command = `printf '%s\\n' "$CLAUDE_PROJECT_DIR" >> "$HOME/ran"`
  mkdirSync(join(place.home, '.claude'))
  const hooks = { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command, if: 'Read(secrets/**)' }] }] }
  writeFileSync(join(place.home, '.claude/settings.json'), JSON.stringify({ hooks }))
  const calls = ['l/../k', 'secrets/k', 'l/x', 'k'].map(file_path => ({ name: 'Read', input: { file_path } }))
  await ask([...calls.map(call => ({ calls: [call] })), 'done'], { in: place })
  const ran = execFileSync('wc', ['-l', join(place.home, 'ran')], { encoding: 'utf8' })
  expect(Number.parseInt(ran, 10)).toBe(3)
})

const NAMES = ['a', 'b', 'c', 'd'] as const
const name = fc.constantFrom(...NAMES)
const target = fc
  .tuple(
    fc.constantFrom('', '../', '../../', './', '/proc/self/cwd/', '/dev/fd/../cwd/'),
    fc.array(name, { maxLength: 2 })
  )
  .map(([up, names]) => up + names.join('/'))
const tree = fc.array(
  fc.record({
    at: fc.array(name, { minLength: 1, maxLength: 3 }),
    link: fc.option(target.filter(text => text !== ''))
  }),
  { minLength: 3, maxLength: 12 }
)
const spelling = fc
  .tuple(
    fc.constantFrom('', './', '/proc/self/cwd/', '/proc/self/root', '/dev/fd/../cwd/', '/proc/self/fd/.././cwd//'),
    fc.array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 2, arbitrary: fc.constantFrom('..', '.') }), {
      minLength: 1,
      maxLength: 6
    })
  )
  .map(([begin, names]) => ({ begin, names }))

/**
 * Builds what it can of a tree, in a separate process: a link may lead to the folder of the process that follows it.
 * Existing files, and links that lead in circles, are skipped.
 */
function build(
  { cwd }: Project,
  entries: readonly { readonly at: readonly string[]; readonly link: string | null }[]
): void {
  const lines = entries.flatMap(({ at, link }) => [
    ...at.slice(1).map((_, end) => `mkdir ${at.slice(0, end + 1).join('/')}`),
    link === null ? `[ -e ${at.join('/')} ] || echo x > ${at.join('/')}` : `ln -sT ${link} ${at.join('/')}`
  ])
  execFileSync('sh', ['-c', [...lines, 'true'].join('\n')], { cwd, stdio: 'ignore' })
}

test('B4: what a path leads to is what the kernel says, for a process in that folder', () => {
  let compared = 0
  fc.assert(
    fc.property(tree, fc.array(spelling, { minLength: 5, maxLength: 20 }), (entries, spellings) => {
      const place = project()
      build(place, entries)
      const paths = spellings.map(({ begin, names }) =>
        begin === '/proc/self/root' ? `${begin}${place.cwd}/${names.join('/')}` : begin + names.join('/')
      )
      // The kernel opens it, and says what it has opened; what is not there is an empty line.
      const script = 'for path; do { readlink /proc/self/fd/3 3<"$path" || echo; } 2>/dev/null; done'
      const said = execFileSync('sh', ['-c', script, 'sh', ...paths], { cwd: place.cwd, encoding: 'utf8' })
      for (const [index, real] of said.split('\n').slice(0, paths.length).entries()) {
        if (real === '') continue
        compared++
        expect(resolvePath(paths[index]!, place.cwd), paths[index]).toEqual({ path: real, sure: true })
      }
    }),
    { numRuns: 25, endOnFailure: true }
  )
  expect(compared).toBeGreaterThan(20)
})

test('B4: two spellings of one file get the same decision', async () => {
  const place = guarded()
  const ways = ['', './', 'open/../', 'o/../../', 'here/', '/proc/self/cwd/', '/dev/fd/../cwd/', `${place.cwd}/`]
  const spelt = (file: string): readonly string[] =>
    ways.flatMap(one => ways.map(two => one + (two.startsWith('/') ? '' : two) + file))
  const [denied, free] = [spelt('secrets/k'), spelt('open/deep/f')]
  const commands = [...denied, ...free].map(path => `cat ${path}`)
  expect(await tried(place, commands)).toEqual({ shown: [], refused: denied.map(path => `cat ${path}`) })
})
