import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { writeTool } from '../../../src/lib/tools/files/write.ts'
import { untouched, withWatchedFs } from './faulty-fs.ts'
import { failure, makePlace, use } from '../tool-kit.ts'

test('makes a file, and tells programs as the peer does', async () => {
  const { path, text, session, names, write } = makePlace()
  const file_path = path('b.txt')
  const { output, content } = await use(writeTool, { file_path, content: 'beta\n' }, session)
  expect(text('b.txt')).toBe('beta\n')
  expect(content).toBe(`The file ${file_path} has been created.`)
  expect(Object.entries(output as object)).toEqual([
    ['type', 'create'],
    ['filePath', file_path],
    ['content', 'beta\n'],
    ['structuredPatch', []],
    ['originalFile', null],
    ['userModified', false]
  ])
  expect(names()).toEqual(['b.txt'])
  expect(statSync(file_path).mode & 0o777).toBe(statSync(write('other', '')).mode & 0o777)
})

test('makes the folders around it', async () => {
  const { path, text, session } = makePlace()
  await use(writeTool, { file_path: path('x/y/z/a'), content: 'one' }, session)
  expect(text('x/y/z/a')).toBe('one')
  await use(editTool, { file_path: path('x/y/z/a'), old_string: 'one', new_string: 'two' }, session)
  expect(text('x/y/z/a')).toBe('two')
})

test('replaces a file that was read, and shows the difference', async () => {
  const { write, text, session } = makePlace()
  const file_path = write('a', 'one\ntwo\nthree\n')
  chmodSync(file_path, 0o755)
  await use(readTool, { file_path }, session)
  const { output } = await use(writeTool, { file_path, content: 'one\nzwei\nthree\n' }, session)
  expect(text('a')).toBe('one\nzwei\nthree\n')
  expect(output).toMatchObject({
    type: 'update',
    originalFile: 'one\ntwo\nthree\n',
    structuredPatch: [
      { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' one', '-two', '+zwei', ' three'] }
    ]
  })
  // E12
  expect(statSync(file_path).mode & 0o777).toBe(0o755)
})

// E14, FM44
test('does not replace what was not read, or has changed since', async () => {
  const { write, text, session } = makePlace()
  const file_path = write('a', 'one')
  expect(await failure(writeTool, { file_path, content: 'x' }, session)).toContain('has not been read yet')
  await use(readTool, { file_path }, session)
  writeFileSync(file_path, 'two')
  expect(await failure(writeTool, { file_path, content: 'x' }, session)).toContain('has changed since it was read')
  expect(text('a')).toBe('two')
})

test('does not replace what someone else makes at that moment', async () => {
  const { path, text, session, names } = makePlace()
  const run = withWatchedFs(
    (name, make) => {
      if (name === 'linkSync') untouched.writeFileSync(path('a'), 'foreign')
      return make()
    },
    async () => use(writeTool, { file_path: path('a'), content: 'ours' }, session)
  )
  await expect(run).rejects.toThrow('was just created by another process')
  expect(text('a')).toBe('foreign')
  expect(names()).toEqual(['a'])
})

test('works where there are no hard links', async () => {
  const { path, text, session, names } = makePlace()
  await withWatchedFs(
    (name, make) => {
      if (name === 'linkSync') throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
      return make()
    },
    async () => use(writeTool, { file_path: path('a'), content: 'ours' }, session)
  )
  expect(text('a')).toBe('ours')
  expect(names()).toEqual(['a'])
})

// P18
test('through a link that leads to nothing, the file that it leads to is made, and judged', async () => {
  const { path, text, session } = makePlace()
  symlinkSync('other/target', path('link'))
  const checked = await writeTool.check({ file_path: path('link'), content: 'one' }, session)
  if ('problem' in checked) throw new Error(checked.problem)
  expect(writeTool.subject!(checked.input, session)).toEqual({
    kind: 'file',
    path: path('other/target'),
    access: 'write'
  })
  await use(writeTool, { file_path: path('link'), content: 'one' }, session)
  expect(text('other/target')).toBe('one')
  expect(readlinkSync(path('link'))).toBe('other/target')
})

// P18
test('links that lead round in circles are refused', async () => {
  const { path, session, names } = makePlace()
  symlinkSync('b', path('a'))
  symlinkSync('a', path('b'))
  expect(await failure(writeTool, { file_path: path('a'), content: 'one' }, session)).toMatch(/link/)
  expect(names()).toEqual(['a', 'b'])
})

// P5
test('a file in a folder that is a link is judged by where it will be', async () => {
  const { path, session, text } = makePlace()
  mkdirSync(path('real'))
  symlinkSync('real', path('folder'))
  const checked = await writeTool.check({ file_path: path('folder/new/a'), content: '' }, session)
  if ('problem' in checked) throw new Error(checked.problem)
  expect(writeTool.subject!(checked.input, session)).toMatchObject({ path: path('real/new/a') })
  await use(writeTool, { file_path: path('folder/new/a'), content: 'one' }, session)
  expect(text('real/new/a')).toBe('one')
  expect(lstatSync(path('folder')).isSymbolicLink()).toBe(true)
})

// E13, P15
test('content that is no text, and places that are no file, are refused', async () => {
  const { path, session, write, folder, names } = makePlace()
  expect(await failure(writeTool, { file_path: path('a'), content: 'x\uD83D' }, session)).toContain('lone surrogate')
  expect(await failure(writeTool, { file_path: folder, content: 'x' }, session)).toContain('is a folder')
  expect(await failure(writeTool, { file_path: '/dev/null', content: 'x' }, session)).toContain('is a device')
  write('b', '')
  expect(await failure(writeTool, { file_path: path('b/c'), content: 'x' }, session)).toContain(
    'is a file, not a folder'
  )
  expect(names()).toEqual(['b'])
})

// P8
test.runIf(process.platform === 'linux')('nothing is made in what the kernel makes up', async () => {
  const { session } = makePlace()
  expect(await failure(writeTool, { file_path: '/proc/self/new', content: 'x' }, session)).toBeTypeOf('string')
  expect(existsSync('/proc/self/new')).toBe(false)
})

test('the file holds the content, byte for byte', async () => {
  const { path, session, bytes } = makePlace()
  const content = '\uFEFFone\r\ntwo\n\tthree😀\0'
  await use(writeTool, { file_path: path('a'), content }, session)
  expect(bytes('a').equals(Buffer.from(content))).toBe(true)
})

// P24
test('a temporary file cannot be guessed, and is no one else’s', async () => {
  const { path, session, write } = makePlace()
  const made: { readonly name: string; readonly mode: number }[] = []
  for (let count = 0; count < 2; count++) {
    write('a', 'old')
    session.seen.clear()
    await use(readTool, { file_path: path('a') }, session)
    await withWatchedFs(
      (name, make, args) => {
        if (name === 'writev') {
          const temporary = untouched.readdirSync(path('.')).find(each => each.endsWith('.tmp'))
          made.push({ name: temporary!, mode: untouched.statSync(path(temporary!)).mode & 0o777 })
        }
        expect(name === 'open' && String(args[0]).endsWith('.tmp') ? args[1] : 'wx').toBe('wx')
        return make()
      },
      async () => use(writeTool, { file_path: path('a'), content: 'new' }, session)
    )
  }
  expect(made.map(({ mode }) => mode)).toEqual([0o600, 0o600])
  expect(made[0]!.name).not.toBe(made[1]!.name)
})

test('what others have not finished is left alone', async () => {
  const { path, session, write, names } = makePlace()
  const theirs = ['.carabiner-00000000-99999999-1-0123456789abcdef.tmp', `.carabiner-${hostname()}.tmp`, 'x.tmp']
  for (const name of theirs) write(name, '')
  await use(writeTool, { file_path: path('a'), content: '' }, session)
  expect(names()).toEqual([...theirs, 'a'].toSorted())
})

test('several writers of one file take turns', async () => {
  const { path, session } = makePlace()
  await use(writeTool, { file_path: path('a'), content: '' }, session)
  const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(1000))
  await Promise.all(contents.map(async content => use(writeTool, { file_path: path('a'), content }, session)))
  expect(readFileSync(path('a'), 'utf8')).toBe(contents.at(-1))
})
