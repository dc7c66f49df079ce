import { execFileSync } from 'node:child_process'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { grepTool } from '../../../src/lib/tools/search/grep.ts'
import { ripgrep } from '../../../src/lib/tools/search/ripgrep.ts'
import { makeCall } from '../tool-session.ts'
import { shellScene, type ShellScene } from '../bash/shell-scene.ts'
import { gone, POLL } from '../../support/waiting.ts'

/** Files with these texts, the last one the newest. */
function withFiles(files: Readonly<Record<string, string | Buffer>>): ShellScene {
  const stage = shellScene()
  Object.entries(files).forEach(([name, text], at) =>
    utimesSync(stage.write(name, text), 1_000_000 + at, 1_000_000 + at)
  )
  return stage
}

const FILES = { 'a.ts': 'one foo\ntwo\nfoo foo\n', 'b/c.js': 'Foo\r\nbar\r\n', 'b/d.ts': 'x\nfoo' }

describe('what is found', () => {
  test('files, the newest first', async () => {
    expect(await withFiles(FILES).call(grepTool, { pattern: 'foo' })).toEqual({
      content: 'Found 2 files\nb/d.ts\na.ts',
      output: { mode: 'files_with_matches', filenames: ['b/d.ts', 'a.ts'], numFiles: 2, totalFiles: 2 }
    })
  })

  test('lines', async () => {
    const content = 'a.ts:1:one foo\na.ts:3:foo foo\nb/d.ts:2:foo'
    expect(await withFiles(FILES).call(grepTool, { pattern: 'foo', output_mode: 'content' })).toEqual({
      content,
      output: { mode: 'content', numFiles: 0, filenames: [], content, numLines: 3 }
    })
  })

  test('numbers', async () => {
    expect(await withFiles(FILES).call(grepTool, { pattern: 'foo', output_mode: 'count' })).toEqual({
      content: 'a.ts:2\nb/d.ts:1\n3 lines match in 2 files',
      output: { mode: 'count', numFiles: 2, filenames: [], content: 'a.ts:2\nb/d.ts:1', numMatches: 3 }
    })
  })

  test.each([
    ['files_with_matches', 'No files found'],
    ['content', 'No matches found'],
    ['count', 'No matches found']
  ])('nothing (%s)', async (output_mode, content) => {
    const came = await withFiles(FILES).call(grepTool, { pattern: 'none', output_mode })
    expect(came).toMatchObject({ content, output: { mode: output_mode } })
    expect(came.error).toBeUndefined()
  })
})

describe('what can be asked for', () => {
  test.each([
    [{ '-i': true }, 'a.ts:1:one foo\na.ts:3:foo foo\nb/c.js:1:Foo\nb/d.ts:2:foo'],
    [{ '-n': false }, 'a.ts:one foo\na.ts:foo foo\nb/d.ts:foo'],
    [{ '-o': true }, 'a.ts:1:foo\na.ts:3:foo\na.ts:3:foo\nb/d.ts:2:foo'],
    [{ glob: '*.js' }, 'No matches found'],
    [{ glob: '*.{js,ts}' }, 'a.ts:1:one foo\na.ts:3:foo foo\nb/d.ts:2:foo'],
    [{ glob: '!b/**, *.ts' }, 'a.ts:1:one foo\na.ts:3:foo foo\nb/d.ts:2:foo'],
    [{ glob: '*.ts !b/**' }, 'a.ts:1:one foo\na.ts:3:foo foo'],
    [{ type: 'js', '-i': true }, 'b/c.js:1:Foo'],
    [{ path: 'b' }, 'b/d.ts:2:foo'],
    [{ path: 'a.ts' }, 'a.ts:1:one foo\na.ts:3:foo foo'],
    [{ '-A': 1 }, 'a.ts:1:one foo\na.ts-2-two\na.ts:3:foo foo\n--\nb/d.ts:2:foo'],
    [{ '-B': 1 }, 'a.ts:1:one foo\na.ts-2-two\na.ts:3:foo foo\n--\nb/d.ts-1-x\nb/d.ts:2:foo'],
    [{ '-C': 1, path: 'b' }, 'b/d.ts-1-x\nb/d.ts:2:foo'],
    [{ context: 1, path: 'b' }, 'b/d.ts-1-x\nb/d.ts:2:foo'],
    [{ pattern: 'foo\ntwo.foo', multiline: true }, 'a.ts:1:one foo\na.ts:2:two\na.ts:3:foo foo'],
    [{ pattern: '-foo|two' }, 'a.ts:2:two'],
    [{ pattern: String.raw`^foo\b.*$`, path: 'a.ts' }, 'a.ts:3:foo foo']
  ])('%j', async (more, content) => {
    const said = await withFiles(FILES).call(grepTool, { pattern: 'foo', output_mode: 'content', ...more })
    expect(said.content).toBe(content)
  })

  test('a part at a time', async () => {
    const { call, write } = shellScene()
    write('lines', Array.from({ length: 600 }, (_, at) => `line ${at + 1}`).join('\n'))
    const ask = async (more: object) => call(grepTool, { pattern: 'line', output_mode: 'content', ...more })
    const first = await ask({})
    expect(first.content).toMatch(
      /\nlines:250:line 250\n\(1 to 250 are shown. There is more: ask with "offset": 250.\)$/
    )
    expect(first.output).toMatchObject({ numLines: 250, appliedLimit: 250 })
    const last = await ask({ offset: 500 })
    expect(last.output).toMatchObject({ numLines: 100, appliedOffset: 500 })
    expect(last.output).not.toHaveProperty('appliedLimit')
    expect((await ask({ head_limit: 0 })).output).toMatchObject({ numLines: 600 })
    expect((await ask({ offset: 599, head_limit: 1 })).content).toBe('lines:600:line 600')
    const files = await call(grepTool, { pattern: 'line', head_limit: 1, offset: 1 })
    expect(files.output).toMatchObject({ filenames: [], totalFiles: 1, appliedOffset: 1 })
  })

  test('no more than can be shown, whatever is asked for', async () => {
    const { call, write } = shellScene()
    write('long', `${'x'.repeat(400)}\n`.repeat(1_000))
    write('wide', `${'é'.repeat(100_000)}needle${'y'.repeat(100_000)}\n`)
    const lines = await call(grepTool, { pattern: 'xxx', output_mode: 'content', head_limit: 0 })
    expect(lines.content.length).toBeLessThan(31_000)
    expect(lines.content).toContain('There is more')
    const wide = await call(grepTool, { pattern: 'needle', output_mode: 'content' })
    expect(wide.content).toMatch(/^wide:1:\[…\] é+needley+ \[… the line has 300,006 bytes\]$/)
    expect(wide.content.length).toBeLessThan(700)
  })

  // P22
  test.each([{ offset: -1 }, { head_limit: 1.5 }, { '-A': 1e308 }, { offset: Number.POSITIVE_INFINITY }, { '-C': -1 }])(
    '%j is refused',
    async more => {
      await expect(shellScene().call(grepTool, { pattern: 'x', ...more })).rejects.toThrow(Object.keys(more)[0])
    }
  )

  test.each([
    [{ pattern: '(' }, /regex parse error[^]*unclosed group/],
    [{ pattern: '((a{1000}){1000}){1000}' }, /size limit|took too long/],
    [{ pattern: String.raw`(a)\1` }, /backreferences are not supported/],
    [{ pattern: 'a', type: 'nonsense' }, /unrecognized file type: nonsense/],
    [{ pattern: 'a', glob: '{' }, /glob/],
    [{ pattern: 'a', path: 'none' }, /none is not there/]
  ])('%j is explained', async (input, words) => {
    expect((await shellScene().call(grepTool, input)).error).toMatch(words)
  })
})

describe('what is left out', () => {
  test('what git ignores, and what it keeps; binary files; links; but not hidden files', async () => {
    const stage = withFiles({
      '.git/HEAD': 'foo',
      '.gitignore': 'built\n',
      'built/a': 'foo',
      '.hidden': 'foo',
      binary: Buffer.from('\0foo\n')
    })
    symlinkSync('/etc', join(stage.root, 'etc'))
    symlinkSync('.', join(stage.root, 'loop'))
    expect((await stage.call(grepTool, { pattern: 'foo|root' })).output).toMatchObject({ filenames: ['.hidden'] })
    expect((await stage.call(grepTool, { pattern: 'foo', path: '.git' })).output).toMatchObject({
      filenames: ['.git/HEAD']
    })
  })

  // FM50
  test('pipes, sockets, devices and what the system makes up', POLL, async () => {
    const stage = withFiles({ 'a.txt': 'foo\n' })
    const { root, call } = stage
    execFileSync('mkfifo', [join(root, 'pipe')])
    const server = createServer().listen(join(root, 'socket'))
    onTestFinished(() => void server.close())
    for (const path of ['pipe', 'socket']) {
      expect((await call(grepTool, { pattern: 'foo', path })).error).toContain('a pipe, a socket or a device')
    }
    for (const path of ['/dev/zero', '/proc/self/environ', '/sys', '/proc']) {
      expect((await call(grepTool, { pattern: 'foo', path })).error).toContain('part of the system')
    }
    symlinkSync('/proc/self/environ', join(root, 'link'))
    expect((await call(grepTool, { pattern: 'foo', path: 'link' })).error).toContain('part of the system')
    expect((await call(grepTool, { pattern: 'foo' })).output).toMatchObject({ filenames: ['a.txt'] })
  })

  test('permission rules look at what is really searched', async () => {
    const { subject, root } = shellScene()
    symlinkSync('/usr', join(root, 'away'))
    expect(await subject(grepTool, { pattern: 'x' })).toEqual({ kind: 'file', path: root, access: 'read' })
    expect(await subject(grepTool, { pattern: 'x', path: 'away/lib' })).toMatchObject({
      path: expect.stringMatching(/^\/usr/)
    })
    expect(grepTool.readOnly({ pattern: 'x' })).toBe(true)
  })
})

// P13, P23
test.each(['content', 'files_with_matches', 'count'])('strange names (%s)', async output_mode => {
  const { root, call } = shellScene()
  for (const name of [Buffer.from('a\nb:1'), Buffer.from([0x63, 0xff])]) {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), Buffer.from([0x66, 0x6f, 0x6f, 0xfe, 10]))
  }
  const { content } = await call(grepTool, { pattern: 'foo', output_mode })
  expect(content).toContain(String.raw`$'a\nb:1'`)
  expect(content).toContain(String.raw`$'c\xff'`)
  if (output_mode === 'content')
    expect(content).toBe(`${String.raw`$'a\nb:1'`}:1:foo\uFFFD\n${String.raw`$'c\xff'`}:1:foo\uFFFD`)
})

describe('a search has an end', () => {
  // P21
  test.each(['(a+)+$', '(a|aa)+$', '(x+x+)+y', 'a*a*a*a*a*a*a*a*c'])('%s is no trap', POLL, async pattern => {
    const { call, write } = shellScene()
    write('trap', `${'a'.repeat(100_000)}b\n${'x'.repeat(100_000)}\n`)
    const { error, output } = await call(grepTool, { pattern, output_mode: 'count' })
    expect(error).toBeUndefined()
    expect(output).not.toHaveProperty('timedOut')
  })

  // P21
  test('after a while', async () => {
    const { session, running, write, root } = shellScene()
    write('a', 'x')
    const search = { args: ['--files', '--null'], folder: root, at: root, separator: 0, each: () => true, longest: 1 }
    expect(await ripgrep(makeCall(session), search)).toEqual({ why: 'timeout' })
    await gone(running)
  })

  test('when it is given up', async () => {
    const { call, running } = withFiles(FILES)
    const stop = new AbortController()
    const came = call(grepTool, { pattern: 'foo', output_mode: 'content' }, { signal: stop.signal })
    stop.abort()
    expect((await came).error).toBe('the search was interrupted')
    await gone(running)
  })

  test('when the session is over', async () => {
    const { call, close } = withFiles(FILES)
    await call(grepTool, { pattern: 'foo' })
    await close()
    expect((await call(grepTool, { pattern: 'foo' })).error).toContain('is not there')
  })
})
