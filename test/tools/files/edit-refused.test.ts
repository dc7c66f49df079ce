import { execFileSync } from 'node:child_process'
import { chmodSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { editTool } from '../../../src/lib/tools/files/edit.ts'
import { refreshSeen } from '../../../src/lib/tools/files/files-read.ts'
import { editScene } from './edit-scene.ts'
import { failure, makePlace, use } from '../tool-kit.ts'

describe('what is refused', () => {
  // E5, E6
  test('files that are no text, or none in UTF-8 where it matters', async () => {
    const { fails } = await editScene(Buffer.from('caf\xe9 one\nplain\n', 'latin1'))
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
    const { fails } = await editScene(Buffer.from([0x95, 0x5c, 0x0a, 0x61]))
    expect(await fails('\\', '/')).toContain('not UTF-8')
  })

  // E14
  test('S6: replace_all and a match that is not exact need an earlier Read', async () => {
    const { write, session, text } = makePlace()
    const file_path = write('a', '  one\n  two\n')
    const all = { file_path, old_string: 'one', new_string: 'x', replace_all: true }
    expect(await failure(editTool, all, session)).toContain('has not been read yet; Read it first')
    for (const old_string of ['one\r\n', 'one\ntwo', 'three']) {
      const words = await failure(editTool, { file_path, old_string, new_string: 'x' }, session)
      expect(words).toContain('String not found. The file has not been read yet')
      // Nothing of a file that was not read is shown.
      expect(words).not.toContain('two')
    }
    expect(text('a')).toBe('  one\n  two\n')
  })

  test('S6: an ambiguous match in a file that was not read is refused with its count', async () => {
    const { write, session, text } = makePlace()
    const input = { file_path: write('a', 'one one'), old_string: 'one', new_string: 'two' }
    expect(await failure(editTool, input, session)).toContain('String appears 2 times')
    expect(text('a')).toBe('one one')
  })

  test('S6: an exact match that occurs once needs no earlier Read, and the file stays unread', async () => {
    const { write, session, text } = makePlace()
    const file_path = write('a', 'one two two')
    await use(editTool, { file_path, old_string: 'one', new_string: 'eins' }, session)
    expect(text('a')).toBe('eins two two')
    expect(session.seen.size).toBe(0)
    const all = { file_path, old_string: 'two', new_string: 'zwei', replace_all: true }
    expect(await failure(editTool, all, session)).toContain('has not been read yet')
  })

  test('S6: a file that changed since it was read is refused though the match is exact', async () => {
    const { fails, path } = await editScene('one')
    writeFileSync(path('a'), 'one more')
    expect(await fails('one', 'two')).toContain('has changed since it was read')
  })

  // FM44, E14
  test('files that have changed, also when size and times are as they were', async () => {
    const { fails, path } = await editScene(`${'line\n'.repeat(500)}one\n${'line\n'.repeat(500)}`)
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
    const { edit, path, text } = await editScene('one')
    utimesSync(path('a'), 0, 0)
    chmodSync(path('a'), 0o600)
    await edit('one', 'two')
    expect(text('a')).toBe('two')
  })

  test('what a formatter makes of the file after the edit is taken as seen', async () => {
    const { edit, fails, path, session, text } = await editScene('one  \ntwo\n')
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
    const { fails, path } = await editScene('one')
    chmodSync(path('a'), 0o444)
    expect(await fails('one', 'two')).toContain('read-only (mode 0444)')
  })

  // E11
  test.runIf(process.getuid?.() === 0 && process.platform === 'linux')('files that are immutable', async ctx => {
    const { fails, path } = await editScene('one')
    try {
      execFileSync('sh', ['-c', 'chattr +i "$1"', 'sh', path('a')], { stdio: 'ignore' })
    } catch {
      return ctx.skip('this file system has no such files')
    }
    try {
      expect(await fails('one', 'two')).toMatch(/protected \(immutable\)|permission/)
    } finally {
      execFileSync('sh', ['-c', 'chattr -i "$1"', 'sh', path('a')])
    }
  })

  test('a call that was given up changes nothing', async () => {
    const { path, session, text } = await editScene('one')
    const input = { file_path: path('a'), old_string: 'one', new_string: 'two' }
    await expect(use(editTool, input, session, { signal: AbortSignal.abort() })).rejects.toThrow('abort')
    expect(text('a')).toBe('one')
  })
})
