import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { failure, makePlace, use } from '../tool-kit.ts'

describe('text', () => {
  test('lines are numbered, and counted as the peer counts them', async () => {
    const { write, session } = makePlace()
    const file_path = write('a.txt', 'alpha\n')
    const result = await use(readTool, { file_path }, session)
    expect(result.content).toBe('1\talpha\n2\t')
    expect(result.output).toEqual({
      type: 'text',
      file: { filePath: file_path, content: 'alpha\n', numLines: 2, startLine: 1, totalLines: 2 }
    })
  })

  test('all lines of any text come back, in any pieces', async () => {
    const { write, session } = makePlace()
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '☃', '😀', '\t', ' ') })
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.nat(5), fc.integer({ min: 1, max: 5 }), async (lines, skip, limit) => {
        const file_path = write('a.txt', lines.join('\n'))
        const result = await use(readTool, { file_path, offset: skip + 1, limit }, session)
        const wanted = lines
          .join('\n')
          .split('\n')
          .slice(skip, skip + limit)
        expect((result.output as { file: unknown }).file).toMatchObject({
          content: wanted.join('\n'),
          numLines: wanted.length,
          totalLines: Math.max(1, lines.length)
        })
      }),
      { numRuns: 100 }
    )
  })

  test('2,000 lines at once; the rest by offset', async () => {
    const { write, session } = makePlace()
    const file_path = write('a.txt', Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n'))
    const first = await use(readTool, { file_path }, session)
    expect(first.content).toMatch(/\n2000\tline 2000\n\n\[Lines 1 to 2000 of 5000; read on with offset 2001\.\]$/)
    expect(session.seen.get(file_path)?.partial).toBe(true)
    const last = await use(readTool, { file_path, offset: 4999, limit: 10 }, session)
    expect(last.content).toBe('4999\tline 4999\n5000\tline 5000')
    const beyond = await use(readTool, { file_path, offset: 6000 }, session)
    expect(beyond.content).toContain('no line 6000: the file has 5000 lines')
  })

  test('an empty file is told', async () => {
    const { write, session } = makePlace()
    expect((await use(readTool, { file_path: write('a', '') }, session)).content).toContain('is empty')
  })

  test('CRLF and the byte order mark are not shown', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', '\uFEFFone\r\ntwo\r\n')
    expect((await use(readTool, { file_path }, session)).content).toBe('1\tone\n2\ttwo\n3\t')
  })

  test('bytes that are no UTF-8 are told', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', Buffer.from('caf\xe9\nplain', 'latin1'))
    const { content } = await use(readTool, { file_path }, session)
    expect(content).toContain('1\tcaf\uFFFD\n2\tplain')
    expect(content).toContain('not UTF-8 (in 1 lines)')
  })

  // E10
  test('a line of 10,000,000 bytes is cut, and that is said', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', `short\n${'é'.repeat(5_000_000)}\nend`)
    const { content } = await use(readTool, { file_path }, session)
    expect(content).toContain(`2\t${'é'.repeat(2000)}… [cut here: 9996000 more bytes in this line]\n3\tend`)
    expect(content).toContain('1 long line is cut')
  })

  test('a cut never halves a character', async () => {
    const { write, session } = makePlace()
    const { content } = await use(readTool, { file_path: write('a', `x${'😀'.repeat(3000)}`) }, session)
    expect((content as string).isWellFormed()).toBe(true)
    expect(content).not.toContain('not UTF-8')
  })

  test('much text is shown in parts', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', `${'x'.repeat(999)}\n`.repeat(1500))
    const { output, content } = await use(readTool, { file_path }, session)
    const { numLines, totalLines, truncatedByTokenCap } = (output as { file: Record<string, unknown> }).file
    expect([numLines, totalLines, truncatedByTokenCap]).toEqual([262, 1501, true])
    expect(content).toMatch(/read on with offset 263\.\]$/)
    const more = await use(readTool, { file_path, allow_large: true }, session)
    expect((more.output as { file: { numLines: number } }).file.numLines).toBe(1048)
  })

  // E9
  test('of a file of 2 GB only a part is read', async () => {
    const { path, session } = makePlace()
    const descriptor = openSync(path('a'), 'w')
    writeSync(descriptor, 'text\n'.repeat(3000))
    ftruncateSync(descriptor, 2 * 1024 ** 3 + 5)
    closeSync(descriptor)
    const before = process.memoryUsage().rss
    const { content } = await use(readTool, { file_path: path('a'), offset: 2, limit: 2 }, session)
    expect(content).toBe('2\ttext\n3\ttext\n\n[Lines 2 to 3 of a very large file; read on with offset 4.]')
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    expect(session.seen.size).toBe(0)
  })
})

describe('what is no text', () => {
  // E5
  test('binary files are refused', async () => {
    const { write, session } = makePlace()
    const file_path = write('a.bin', Buffer.concat([Buffer.from('text'), Buffer.alloc(3), Buffer.from('text')]))
    expect(await failure(readTool, { file_path }, session)).toContain('binary')
    const wide = write('wide.txt', Buffer.from('\uFEFFtext', 'utf16le'))
    expect(await failure(readTool, { file_path: wide }, session)).toContain('UTF-16')
    const pdf = write('a.pdf', '%PDF-1.7\n\0')
    expect(await failure(readTool, { file_path: pdf }, session)).toContain('PDF')
  })

  test('pictures are shown as pictures', async () => {
    const { write, session } = makePlace()
    const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    const { content, output } = await use(readTool, { file_path: write('a.txt', bytes) }, session)
    const data = bytes.toString('base64')
    expect(content).toEqual([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }])
    expect(output).toEqual({ type: 'image', file: { base64: data, type: 'image/png', originalSize: 16 } })
  })

  // FM50, P15
  test('pipes, sockets, devices and folders are refused at once, and nothing else waits', async () => {
    const { path, write, session, folder } = makePlace()
    const pipes = Array.from({ length: 8 }, (_, index) => path(`pipe${index}`))
    execFileSync('mkfifo', pipes)
    const server = createServer().listen(path('socket'))
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const failures = await Promise.all(
      [...pipes, path('socket'), '/dev/null', '/dev/zero', folder].map(file_path =>
        failure(readTool, { file_path }, session)
      )
    )
    const kinds = [...pipes.map(() => 'is a pipe'), 'is a socket', 'is a device', 'is a device', 'is a folder']
    expect(failures).toEqual(kinds.map(kind => expect.stringContaining(`${kind}, not an ordinary file`)))
    expect(await readFile(write('other', 'text'), 'utf8')).toBe('text')
  })

  // P8
  test.runIf(process.platform === 'linux')('what the kernel makes up is refused', async () => {
    const { session } = makePlace()
    for (const file_path of ['/proc/self/environ', '/proc/cpuinfo', '/sys/kernel/mm/transparent_hugepage/enabled']) {
      expect(await failure(readTool, { file_path }, session)).toMatch(/generated by the kernel|does not exist/)
    }
    expect(await failure(readTool, { file_path: '/dev/fd/0' }, session)).toMatch(/not an ordinary file|not exist/)
  })
})
