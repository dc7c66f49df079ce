import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { describe, expect, test } from 'vitest'
import { editTool } from '../../src/lib/tools/edit.ts'
import { readTool } from '../../src/lib/tools/read.ts'
import { refreshSeen } from '../../src/lib/tools/seen.ts'
import { failure, makePlace, use, type Place } from './kit.ts'

interface Scene extends Place {
  /** Edits the file, which was read before. Gives what the model is told. */
  edit(old: string, now: string, all?: boolean): Promise<unknown>
  /** The words with which that fails, while the file stays as it is. */
  fails(old: string, now: string, all?: boolean): Promise<string>
}

/** A file `a` that was read. */
async function scene(content: string | Buffer): Promise<Scene> {
  const place = makePlace()
  const { session, path } = place
  place.write('a', content)
  await use(readTool, { file_path: path('a') }, session)
  const input = (old: string, now: string, all?: boolean): object => {
    const more = all === undefined ? {} : { replace_all: all }
    return { file_path: path('a'), old_string: old, new_string: now, ...more }
  }
  return {
    ...place,
    edit: async (...args) => (await use(editTool, input(...args), session)).content,
    async fails(...args) {
      const before = place.bytes('a')
      const words = await failure(editTool, input(...args), session)
      expect(place.bytes('a').equals(before)).toBe(true)
      expect(place.names().filter(name => name.endsWith('.tmp'))).toEqual([])
      return words
    }
  }
}

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
    const { path, text, session } = await scene('alpha\n')
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
    const { fails } = await scene('alpha\nbeta\n')
    expect(await fails('something else entirely', 'x')).toContain('String not found')
    expect(await fails('ALPHA', 'x', true)).toContain('String not found')
  })

  // F167, E7
  test('a text that is there more than once is not chosen from', async () => {
    const { fails } = await scene('one\ntwo\none\none')
    const words = await fails('one', 'x')
    expect(words).toContain('appears 3 times (lines 1, 3, 4)')
    expect(words).toContain('replace_all')
    expect(words).toContain('more context')
  })

  // F168
  test('replace_all replaces all, and says how many', async () => {
    const { edit, text } = await scene('one\ntwo\none\none')
    expect(await edit('one', 'eins', true)).toContain('3 occurrences were replaced')
    expect(text('a')).toBe('eins\ntwo\neins\neins')
  })

  test('replace_all takes more matches than one system call takes pieces', async () => {
    const { edit, text } = await scene('ab'.repeat(5000))
    await edit('a', 'xyz', true)
    expect(text('a')).toBe('xyzb'.repeat(5000))
  })

  // F169
  test('lines and blanks count exactly, and what overlaps counts once', async () => {
    const { edit, text } = await scene('  a\n\tb\n  c\naaa')
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
    const { fails } = await scene('alpha\uFFFD\n')
    expect(await fails('alpha', 'alpha')).toContain('are the same')
    expect(await fails('', 'x')).toContain('"old_string" is empty')
    expect(await fails('alpha\uD800', 'x')).toContain('lone surrogate')
    expect(await fails('alpha', 'x\uDC00')).toContain('lone surrogate')
  })

  // F172, E8
  test('the replacement is literal, and may be empty', async () => {
    const { edit, text } = await scene('a b c')
    await edit('b', '$& $1 $$ $` \\n \\1')
    expect(text('a')).toBe('a $& $1 $$ $` \\n \\1 c')
    await edit('$& $1 $$ $` \\n \\1', '')
    expect(text('a')).toBe('a  c')
  })

  test('several edits in a row need no further Read', async () => {
    const { edit, text } = await scene('0')
    for (let number = 0; number < 10; number++) await edit(String(number), String(number + 1))
    expect(text('a')).toBe('10')
  })
})

describe('what stays', () => {
  // E1, E4
  test('line ends: new lines end as those around them', async () => {
    const { edit, bytes } = await scene('one\r\ntwo\r\nthree\nfour\n')
    await edit('two', '2\n2½')
    await edit('three', '3\n3½')
    expect(bytes('a').toString()).toBe('one\r\n2\r\n2½\r\n3\n3½\nfour\n')
    await edit('four\n', 'four\nfive\n')
    expect(bytes('a').toString()).toBe('one\r\n2\r\n2½\r\n3\n3½\nfour\nfive\n')
  })

  test('line ends that are written out are taken at their word', async () => {
    const { edit, bytes } = await scene('one\r\ntwo\r\n')
    await edit('one\r\ntwo', 'one\ntwo')
    expect(bytes('a').toString()).toBe('one\ntwo\r\n')
  })

  // E2
  test('the byte order mark', async () => {
    const { edit, bytes } = await scene('\uFEFFone\ntwo')
    await edit('one', 'eins')
    expect(bytes('a').toString('latin1')).toBe('\xef\xbb\xbfeins\ntwo')
  })

  // E3
  test('a last line without an end', async () => {
    const { edit, text } = await scene('one\r\n  two')
    await edit('two', '2\n3')
    expect(text('a')).toBe('one\r\n  2\r\n3')
    await edit('  2\n3\n', '  4\n5\n')
    expect(text('a')).toBe('one\r\n  4\r\n5')
  })

  // E6
  test('bytes of another encoding, elsewhere', async () => {
    const { edit, bytes } = await scene(Buffer.from('caf\xe9\none\none\n\xfc', 'latin1'))
    await edit('one\n', 'eins\n', true)
    expect(bytes('a').toString('latin1')).toBe('caf\xe9\neins\neins\n\xfc')
  })

  // E12
  test('mode and owner', async () => {
    const { edit, path } = await scene('one')
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
    const { edit, path, text } = await scene('one')
    linkSync(path('a'), path('b'))
    expect(await edit('one', 'two')).toContain('2 names (hard links)')
    expect([text('a'), text('b')]).toEqual(['two', 'one'])
  })
})

describe('matches that are not exact', () => {
  test('line ends', async () => {
    const { edit, bytes } = await scene('one\r\ntwo\nthree\r\n')
    expect(await edit('one\ntwo\nthree', '1\n2\n3')).toContain('differs in nothing but line endings')
    expect(bytes('a').toString()).toBe('1\r\n2\r\n3\r\n')
  })

  test('line ends, the other way', async () => {
    const { edit, bytes } = await scene('zero\none\ntwo\n')
    await edit('one\r\ntwo', '1\r\n2')
    expect(bytes('a').toString()).toBe('zero\n1\n2\n')
  })

  test('indentation: tabs in the file, blanks in the text', async () => {
    const { edit, bytes } = await scene('class A {\r\n\tf() {\r\n\t\treturn 1\r\n\t}\r\n}\r\n')
    const told = await edit(
      '    f() {\n        return 1\n    }',
      '    f() {\n        if (x) {\n            y()\n        }\n        return 2\n    }'
    )
    expect(told).toContain('differs in nothing but indentation')
    expect(bytes('a').toString()).toBe(
      'class A {\r\n\tf() {\r\n\t\tif (x) {\r\n\t\t\ty()\r\n\t\t}\r\n\t\treturn 2\r\n\t}\r\n}\r\n'
    )
  })

  test('indentation: a block that stands further in', async () => {
    const { edit, text } = await scene('  if (a) {\n    b()\n  }\n')
    await edit('if (a) {\n  b()\n}\n', 'if (a) {\n  c()\n\n  d()\n}\nelse e()\n')
    expect(text('a')).toBe('  if (a) {\n    c()\n\n    d()\n  }\n  else e()\n')
  })

  test('blanks at the end of lines', async () => {
    const { edit, text } = await scene('one  \ntwo\t\n')
    await edit('one\ntwo\n', 'one\nzwei\n')
    expect(text('a')).toBe('one  \nzwei\n')
  })

  test('only when there is one place', async () => {
    const { fails } = await scene('\tone()\n\ttwo()\n--\n\t\tone()\n\t\ttwo()\n')
    expect(await fails('one()\ntwo()', 'x')).toMatch(/appears 2 times \(lines 1, 4\).*no exact match; indentation/)
    expect(await fails('  --\n  one()', 'x', true)).toContain('replace_all takes exact matches only')
  })

  test('not when the same indentation stands for two', async () => {
    const { fails } = await scene('  a()\n    b()\n')
    expect(await fails('\ta()\n\tb()', '\tc()\n\td()')).toContain('String not found')
  })

  test('an exact match is preferred to one that is not', async () => {
    const { edit, text } = await scene('\tone\none\n')
    await edit('\tone', 'x')
    expect(text('a')).toBe('x\none\n')
  })
})

describe('misses', () => {
  test('show the nearest place, with blanks that can be seen', async () => {
    const { fails } = await scene('function add(a, b) {\r\n\treturn a + b\r\n}\r\n\r\nfunction sub(a, b) {\r\n}\r\n')
    expect(await fails('function add(a,  b) {\n  return a - b\n}', 'x')).toBe(
      [
        'String not found in the file. The nearest place (· is a blank, → a tab, ␍ a carriage return):',
        '  1 function·add(a,·b)·{␍',
        '  not: function·add(a,··b)·{',
        '  2 →return·a·+·b␍',
        '  not: ··return·a·-·b',
        '  3 }␍',
        '  not: }'
      ].join('\n')
    )
  })

  test('point out line numbers that were copied', async () => {
    const { fails } = await scene('alpha\nbeta\n')
    expect(await fails('1\talpha\n2\tbeta', 'x')).toContain('Leave out the line numbers')
  })

  test('cost no more in long lines', async () => {
    const { fails } = await scene(`${'ab '.repeat(300_000)}\nab\n`)
    expect(await fails('ab \n cd', 'x')).toContain('String not found')
    expect(await fails('ab ', 'x\ny')).toContain('appears 300000 times')
  })
})

describe('what is refused', () => {
  // E5, E6
  test('files that are no text, or none in UTF-8 where it matters', async () => {
    const { fails } = await scene(Buffer.from('caf\xe9 one\nplain\n', 'latin1'))
    expect(await fails('one', 'x')).toContain('line 1 holds bytes that are not UTF-8')
    expect(await fails('plain', 'plän')).toContain('only ASCII text')
    const { session, write } = makePlace()
    for (const content of [Buffer.from('\uFEFFone', 'utf16le'), Buffer.from('one\0')]) {
      const input = { file_path: write('b', content), old_string: 'one', new_string: 'two' }
      expect(await failure(editTool, input, session)).toMatch(/UTF-16|binary/)
    }
  })

  test('the second byte of a character of Shift_JIS is not taken for a letter', async () => {
    // 表 is 95 5C, and 5C is a backslash.
    const { fails } = await scene(Buffer.from([0x95, 0x5c, 0x0a, 0x61]))
    expect(await fails('\\', '/')).toContain('not UTF-8')
  })

  // E14
  test('files that were not read', async () => {
    const { write, session, text } = makePlace()
    const input = { file_path: write('a', 'one'), old_string: 'one', new_string: 'two' }
    expect(await failure(editTool, input, session)).toContain('has not been read yet')
    expect(text('a')).toBe('one')
  })

  // FM44, E14
  test('files that have changed, also when size and times are as they were', async () => {
    const { fails, path } = await scene(`${'line\n'.repeat(500)}one\n${'line\n'.repeat(500)}`)
    const { atime, mtime } = statSync(path('a'))
    writeFileSync(path('a'), `${'line\n'.repeat(500)}eno\n${'line\n'.repeat(500)}`)
    utimesSync(path('a'), atime, mtime)
    const words = await fails('eno', 'two')
    expect(words).toContain('has changed since it was read')
    const [, from, to] = /lines (\d+) to (\d+) or near there \(still 5004 bytes\)/.exec(words)!
    expect([Number(from) <= 501, Number(to) >= 501, Number(to) - Number(from) < 210]).toEqual([true, true, true])
  })

  // FM44
  test('a touch is no change', async () => {
    const { edit, path, text } = await scene('one')
    utimesSync(path('a'), 0, 0)
    chmodSync(path('a'), 0o600)
    await edit('one', 'two')
    expect(text('a')).toBe('two')
  })

  test('what a formatter makes of the file after the edit is taken as seen', async () => {
    const { edit, fails, path, session, text } = await scene('one  \ntwo\n')
    await edit('two', 'zwei')
    writeFileSync(path('a'), 'one\nzwei\n')
    expect(await refreshSeen(session, path('a'))).toBe(true)
    expect(await refreshSeen(session, path('a'))).toBe(false)
    await edit('one\nzwei', 'eins\nzwei')
    expect(text('a')).toBe('eins\nzwei\n')
    writeFileSync(path('a'), 'foreign')
    expect(await fails('foreign', 'x')).toContain('has changed')
  })

  test('what was never read is not taken as seen', async () => {
    const { session, write, path } = makePlace()
    write('b', 'one')
    expect(await refreshSeen(session, path('b'))).toBe(false)
    expect(session.seen.size).toBe(0)
  })

  // E11
  test('files that are read-only', async () => {
    const { fails, path } = await scene('one')
    chmodSync(path('a'), 0o444)
    expect(await fails('one', 'two')).toContain('read-only (mode 0444)')
  })

  // E11
  test.runIf(process.getuid?.() === 0 && process.platform === 'linux')('files that are immutable', async ctx => {
    const { fails, path } = await scene('one')
    try {
      execFileSync('chattr', ['+i', path('a')], { stdio: 'ignore' })
    } catch {
      return ctx.skip('this file system has no such files')
    }
    try {
      expect(await fails('one', 'two')).toMatch(/protected \(immutable\)|permission/)
    } finally {
      execFileSync('chattr', ['-i', path('a')])
    }
  })

  test('a call that was given up changes nothing', async () => {
    const { path, session, text } = await scene('one')
    const input = { file_path: path('a'), old_string: 'one', new_string: 'two' }
    await expect(use(editTool, input, session, { signal: AbortSignal.abort() })).rejects.toThrow('abort')
    expect(text('a')).toBe('one')
  })
})

test('edits of one file take turns', async () => {
  const { edit, text, names } = await scene(Array.from({ length: 30 }, (_, index) => `<${index}>`).join('\n'))
  await Promise.all(Array.from({ length: 30 }, async (_, index) => edit(`<${index}>`, `[${index}]`)))
  expect(text('a')).toBe(Array.from({ length: 30 }, (_, index) => `[${index}]`).join('\n'))
  expect(names()).toEqual(['a'])
})

test('large files are edited without their text in the answer', async () => {
  const { edit, path, session, bytes } = await scene(
    Buffer.concat([Buffer.alloc(3_000_000, 'line\n'), Buffer.from('end')])
  )
  const input = { file_path: path('a'), old_string: 'end', new_string: 'END' }
  expect((await use(editTool, input, session)).output).toMatchObject({ originalFile: null, structuredPatch: [] })
  await edit('END', 'The End')
  expect(bytes('a').subarray(-12).toString()).toBe('line\nThe End')
})
