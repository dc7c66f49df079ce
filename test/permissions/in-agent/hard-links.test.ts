/** A file that may not be read has as many names as there are hard links to it. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, project, resultsIn, type Project } from '../../support/agent-kit.ts'

const RULES = { disallowedTools: ['Read(./secrets/**)', 'Read(.env)'], allowedTools: ['Bash', 'Write', 'Edit'] }

/** A project with second names for what may not be read, and for what may. */
function linked(): Project {
  const place = project({ 'secrets/deep/k': 'hidden\n', 'pkg/.env': 'hidden=1\n', open: 'plain\n', 'src/a': 'a\n' })
  linkSync(place.path('secrets/deep/k'), place.path('src/innocent'))
  linkSync(place.path('pkg/.env'), place.path('notes.txt'))
  linkSync(place.path('open'), place.path('src/second'))
  return place
}

const resultsOf = async (place: Project, calls: readonly object[], rules: object = RULES) => {
  const { sent } = await ask([...calls.map(call => ({ calls: [call as never] })), 'done'], { in: place, ...rules })
  return resultsIn(sent.at(-1)!)
}

test('B5: Read refuses a file by every name of it', async () => {
  const files = ['src/innocent', 'notes.txt', './src/../src/innocent']
  const results = await resultsOf(
    linked(),
    [...files, 'src/second'].map(file_path => ({ name: 'Read', input: { file_path } }))
  )
  for (const { text, isError } of results.slice(0, -1)) {
    expect(text).not.toContain('hidden')
    expect({ text, isError }).toMatchObject({
      isError: true,
      text: expect.stringMatching(/Read\((?:\.env|\.\/secrets)/)
    })
  }
  expect(results.at(-1)).toMatchObject({ isError: false, text: expect.stringContaining('plain') })
})

test('B5: Read also refuses a link that was created after the first look, to a file that had one name until then', async () => {
  const place = linked()
  place.write('secrets/late', 'hidden\n')
  const read = (file_path: string) => ({ calls: [{ name: 'Read', input: { file_path } }] })
  const { sent } = await ask(
    [
      read('src/second'),
      () => {
        linkSync(place.path('secrets/late'), place.path('src/late'))
        return read('src/late')
      },
      'done'
    ],
    { in: place, ...RULES }
  )
  expect(resultsIn(sent.at(-1)!)).toMatchObject([
    { isError: false, text: expect.stringContaining('plain') },
    { isError: true, text: expect.stringContaining('Read(./secrets/**)') }
  ])
})

test.each(['content', 'files_with_matches', 'count'])('B5: Grep leaves it out: %s', async output_mode => {
  const [all, one] = await resultsOf(linked(), [
    { name: 'Grep', input: { pattern: 'hidden|plain', output_mode } },
    { name: 'Grep', input: { pattern: 'hidden', path: 'notes.txt', output_mode } }
  ])
  expect(all!.text).not.toMatch(/hidden|innocent|notes\.txt/)
  expect(all!.text).toContain('second')
  expect(one!.text).not.toMatch(/hidden(?!\|)|notes\.txt:/)
})

test('B5: Glob leaves it out', async () => {
  const [found] = await resultsOf(linked(), [{ name: 'Glob', input: { pattern: '**/*' } }])
  expect(found!.text).not.toMatch(/innocent|notes\.txt/)
  expect(found!.text).toContain('second')
})

test('B5: it is neither written nor edited', async () => {
  const place = linked()
  const results = await resultsOf(place, [
    { name: 'Write', input: { file_path: 'notes.txt', content: 'x' } },
    { name: 'Edit', input: { file_path: 'src/innocent', old_string: 'hidden', new_string: 'x' } }
  ])
  for (const { text } of results) expect(text).toContain('Permission to use')
  expect([place.text('notes.txt'), place.text('src/innocent')]).toEqual(['hidden=1\n', 'hidden\n'])
})

test('B5: a command that names it is asked about', async () => {
  const commands = [
    'cat src/innocent',
    'sort < notes.txt',
    'cd src && cat innocent',
    'cp notes.txt x',
    'cat src/second'
  ]
  const results = await resultsOf(
    linked(),
    commands.map(command => ({ name: 'Bash', input: { command } }))
  )
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true, false])
  for (const { text } of results) expect(text).not.toContain('hidden')
})

test('B5: where there are too many files to look through, a file with several names is asked about', async () => {
  const place = linked()
  mkdirSync(place.path('many'))
  execFileSync('sh', ['-c', 'seq 50010 | xargs touch'], { cwd: place.path('many') })
  const calls = ['src/second', 'src/a'].map(file_path => ({ name: 'Read', input: { file_path } }))
  const some = await resultsOf(place, calls, { disallowedTools: ['Read(nowhere.pem)'] })
  expect(some).toMatchObject([
    { isError: true, text: expect.stringContaining('Read(nowhere.pem)') },
    { isError: false }
  ])
  // Where a rule says in which folder, only that one is looked through; without rules, none is.
  const one = await resultsOf(place, calls, { disallowedTools: ['Read(./secrets/**)'] })
  expect(one).toMatchObject([{ isError: false }, { isError: false }])
  expect(await resultsOf(place, calls, {})).toMatchObject([{ isError: false }, { isError: false }])
})
