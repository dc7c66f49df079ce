import { chmodSync, chownSync, linkSync, lstatSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { editScene } from './edit-scene.ts'
import { failure, makePlace, use } from '../tool-kit.ts'

describe('exact matches', () => {
  // F164
  test('the schema is the one that people know', () => {
    expect(editTool.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        file_path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean', default: false }
      },
      required: ['file_path', 'old_string', 'new_string']
    })
    expect(editTool.check({ file_path: '/a', old_string: 'b', new_string: 'c' }, makePlace().session)).toEqual({
      input: { file_path: '/a', old_string: 'b', new_string: 'c', replace_all: false }
    })
  })

  // F165
  test('the only match is replaced, and programs are told as the peer tells them', async () => {
    const { path, text, session } = await editScene('alpha\n')
    const input = { file_path: path('a'), old_string: 'alpha', new_string: 'ALPHA' }
    const { output, content } = await use(editTool, input, session)
    expect(text('a')).toBe('ALPHA\n')
    expect(content).toBe(`The file ${path('a')} has been updated.`)
    expect(Object.entries(output as object)).toEqual([
      ['filePath', path('a')],
      ['oldString', 'alpha'],
      ['newString', 'ALPHA'],
      ['originalFile', 'alpha\n'],
      ['structuredPatch', [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-alpha', '+ALPHA'] }]],
      ['userModified', false],
      ['replaceAll', false]
    ])
  })

  // F166, E7
  test('a text that is not there is not found', async () => {
    const { fails } = await editScene('alpha\nbeta\n')
    expect(await fails('something else entirely', 'x')).toContain('String not found')
    expect(await fails('ALPHA', 'x', true)).toContain('String not found')
  })

  // F167, E7
  test('a text that is there more than once is not chosen from', async () => {
    const { fails } = await editScene('one\ntwo\none\none')
    const words = await fails('one', 'x')
    expect(words).toContain('appears 3 times (lines 1, 3, 4)')
    expect(words).toContain('replace_all')
    expect(words).toContain('more context')
  })

  // F168
  test('replace_all replaces all, and says how many', async () => {
    const { edit, text } = await editScene('one\ntwo\none\none')
    expect(await edit('one', 'eins', true)).toContain('3 occurrences were replaced')
    expect(text('a')).toBe('eins\ntwo\neins\neins')
  })

  test('replace_all takes more matches than one system call takes pieces', async () => {
    const { edit, text } = await editScene('ab'.repeat(5000))
    await edit('a', 'xyz', true)
    expect(text('a')).toBe('xyzb'.repeat(5000))
  })

  // F169
  test('lines and blanks count exactly, and what overlaps counts once', async () => {
    const { edit, text } = await editScene('  a\n\tb\n  c\naaa')
    await edit('  a\n\tb', 'x')
    expect(text('a')).toBe('x\n  c\naaa')
    await edit('aa', 'b')
    expect(text('a')).toBe('x\n  c\nba')
  })

  // F170
  test('a file that is missing is told', async () => {
    const { path, session } = makePlace()
    const input = { file_path: path('none'), old_string: 'a', new_string: 'b' }
    expect(await failure(editTool, input, session)).toBe(`${path('none')} does not exist`)
  })

  // F171, E7, E13
  test('strings that are equal, empty or broken are refused', async () => {
    const { fails } = await editScene('alpha\uFFFD\n')
    expect(await fails('alpha', 'alpha')).toContain('are the same')
    expect(await fails('', 'x')).toContain('"old_string" is empty')
    expect(await fails('alpha\uD800', 'x')).toContain('lone surrogate')
    expect(await fails('alpha', 'x\uDC00')).toContain('lone surrogate')
  })

  // F172, E8
  test('the replacement is literal, and may be empty', async () => {
    const { edit, text } = await editScene('a b c')
    await edit('b', '$& $1 $$ $` \\n \\1')
    expect(text('a')).toBe('a $& $1 $$ $` \\n \\1 c')
    await edit('$& $1 $$ $` \\n \\1', '')
    expect(text('a')).toBe('a  c')
  })

  test('several edits in a row need no further Read', async () => {
    const { edit, text } = await editScene('0')
    for (let number = 0; number < 10; number++) await edit(String(number), String(number + 1))
    expect(text('a')).toBe('10')
  })
})

describe('what stays', () => {
  // E1, E4
  test('line ends: new lines end as those around them', async () => {
    const { edit, bytes } = await editScene('one\r\ntwo\r\nthree\nfour\n')
    await edit('two', '2\n2½')
    await edit('three', '3\n3½')
    expect(bytes('a').toString()).toBe('one\r\n2\r\n2½\r\n3\n3½\nfour\n')
    await edit('four\n', 'four\nfive\n')
    expect(bytes('a').toString()).toBe('one\r\n2\r\n2½\r\n3\n3½\nfour\nfive\n')
  })

  test('line ends that are written out are taken at their word', async () => {
    const { edit, bytes } = await editScene('one\r\ntwo\r\n')
    await edit('one\r\ntwo', 'one\ntwo')
    expect(bytes('a').toString()).toBe('one\ntwo\r\n')
  })

  // E2
  test('the byte order mark', async () => {
    const { edit, bytes } = await editScene('\uFEFFone\ntwo')
    await edit('one', 'eins')
    expect(bytes('a').toString('latin1')).toBe('\xef\xbb\xbfeins\ntwo')
  })

  // E3
  test('a last line without an end', async () => {
    const { edit, text } = await editScene('one\r\n  two')
    await edit('two', '2\n3')
    expect(text('a')).toBe('one\r\n  2\r\n3')
    await edit('  2\n3\n', '  4\n5\n')
    expect(text('a')).toBe('one\r\n  4\r\n5')
  })

  // E6
  test('bytes of another encoding, elsewhere', async () => {
    const { edit, bytes } = await editScene(Buffer.from('caf\xe9\none\none\n\xfc', 'latin1'))
    await edit('one\n', 'eins\n', true)
    expect(bytes('a').toString('latin1')).toBe('caf\xe9\neins\neins\n\xfc')
  })

  // E12
  test('mode and owner', async () => {
    const { edit, path } = await editScene('one')
    chmodSync(path('a'), 0o4751)
    if (process.getuid?.() === 0) chownSync(path('a'), 1234, 4321)
    chmodSync(path('a'), 0o4751)
    const before = statSync(path('a'))
    await edit('one', 'two')
    const after = statSync(path('a'))
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid])
    expect(after.mode & 0o7777).toBe(0o4751)
  })

  // P4
  test('a link stays a link', async () => {
    const { path, write, text, session } = makePlace()
    write('real', 'one')
    symlinkSync('real', path('link'))
    await use(readTool, { file_path: path('link') }, session)
    await use(editTool, { file_path: path('link'), old_string: 'one', new_string: 'two' }, session)
    expect(readlinkSync(path('link'))).toBe('real')
    expect(lstatSync(path('real')).isFile()).toBe(true)
    expect(text('real')).toBe('two')
  })

  test('other names of the file keep the old content, and that is said', async () => {
    const { edit, path, text } = await editScene('one')
    linkSync(path('a'), path('b'))
    expect(await edit('one', 'two')).toContain('2 names (hard links)')
    expect([text('a'), text('b')]).toEqual(['two', 'one'])
  })
})

test('edits of one file take turns', async () => {
  const { edit, text, names } = await editScene(Array.from({ length: 30 }, (_, index) => `<${index}>`).join('\n'))
  await Promise.all(Array.from({ length: 30 }, async (_, index) => edit(`<${index}>`, `[${index}]`)))
  expect(text('a')).toBe(Array.from({ length: 30 }, (_, index) => `[${index}]`).join('\n'))
  expect(names()).toEqual(['a'])
})

test('large files are edited without their text in the answer', async () => {
  const { edit, path, session, bytes } = await editScene(
    Buffer.concat([Buffer.alloc(3_000_000, 'line\n'), Buffer.from('end')])
  )
  const input = { file_path: path('a'), old_string: 'end', new_string: 'END' }
  expect((await use(editTool, input, session)).output).toMatchObject({ originalFile: null, structuredPatch: [] })
  await edit('END', 'The End')
  expect(bytes('a').subarray(-12).toString()).toBe('line\nThe End')
})
