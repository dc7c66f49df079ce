import { chmodSync, linkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTool } from '../../../src/lib/tools/files/read.ts'
import { failure, makeCall, makePlace, use } from '../tool-kit.ts'

describe('paths', () => {
  test('what is missing is told, with what may be meant', async () => {
    const { write, path, folder, session } = makePlace()
    write('config.json', '{}')
    expect(await failure(readTool, { file_path: path('confg.json') }, session)).toBe(
      `File does not exist. Note: your current working directory is ${folder}. Did you mean ${path('config.json')}?`
    )
  })

  // P1, P2, P3, P12
  test('rules judge the path itself, whatever way it is written', async () => {
    const { path, folder, session } = makePlace()
    const judged = async (file_path: string): Promise<unknown> => {
      const checked = await readTool.check({ file_path }, session)
      return 'problem' in checked ? checked : (readTool.subject!(checked.input, session) as { path: string }).path
    }
    expect(await judged('a/../b')).toBe(path('b'))
    expect(await judged(`${folder}/./a//b`)).toBe(path('a/b'))
    expect(await judged(`${folder}/../../../../../../../etc/hostname`)).toBe('/etc/hostname')
    expect(await judged('/etc/hostname')).toBe('/etc/hostname')
    expect(await judged(`${folder}-evil/x`)).toBe(`${folder}-evil/x`)
    expect(await judged(path('a '))).toBe(path('a '))
    expect(await judged(path('a.'))).toBe(path('a.'))
    expect(await judged(`${folder}/a/`)).toEqual({ problem: expect.stringContaining('names a folder') })
    expect(await judged(`${folder}/a/.`)).toEqual({ problem: expect.stringContaining('names a folder') })
  })

  // P9, P13, P14, P16
  test('what only a shell, a browser or another system understands is refused with a hint', async () => {
    const { path, session } = makePlace()
    const said = async (file_path: string): Promise<string> => failure(readTool, { file_path }, session)
    for (const each of ['~', '~/x', '~root/x']) expect(await said(each)).toContain('only a shell expands')
    for (const each of ['$HOME/x', '${HOME}/x']) expect(await said(each)).toContain('variable')
    expect(await said('file:///etc/passwd')).toContain('is a URL')
    for (const each of ['C:\\x', '\\\\server\\share\\x']) expect(await said(each)).toContain('Windows')
    expect(await said('a\0b')).toContain('NUL')
    expect(await said('a\uD800b')).toContain('surrogate')
    expect(await said('')).toContain('is empty')
    expect(await said(`/${'a/'.repeat(2046)}ab`)).toContain('does not exist')
    expect(await said(`/${'a/'.repeat(2047)}ab`)).toContain('4097 bytes')
    expect(await said(path('é'.repeat(128)))).toContain('a name of 256 bytes')
    expect(await said(path('a\n\u001b[31m'))).toContain('does not exist')
    expect(await said(path('a\n\u001b[31m/'))).toContain('a\\u000a\\u001b[31m/')
  })

  // P22
  test('numbers that are no line numbers are refused', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', 'text')
    const odd = [
      { offset: -1 },
      { offset: 1.5 },
      { offset: 1e308 },
      { offset: Number.NaN },
      { limit: 0 },
      { limit: '5' }
    ]
    for (const each of odd) {
      expect(await failure(readTool, { file_path, ...each }, session)).toMatch(/"(offset|limit)" must be/)
    }
    expect((await use(readTool, { file_path, offset: 0 }, session)).content).toBe('1\ttext')
  })

  // P4, P5, P8
  test('links are judged by where they lead', async () => {
    const { write, path, session } = makePlace()
    write('real/a', 'text')
    symlinkSync(path('real/a'), path('link'))
    symlinkSync('real', path('folder'))
    for (const name of [
      'link',
      'folder/a',
      ...(process.platform === 'linux' ? [`/proc/self/root${path('link')}`] : [])
    ]) {
      const checked = await readTool.check({ file_path: name }, session)
      if ('problem' in checked) throw new Error(checked.problem)
      expect(readTool.subject!(checked.input, session)).toEqual({ kind: 'file', path: path('real/a'), access: 'read' })
    }
    expect((await use(readTool, { file_path: path('link') }, session)).content).toBe('1\ttext')
    expect([...session.seen.keys()]).toEqual([path('real/a')])
  })

  // P6
  test('a link that is put there after it was judged leads nowhere', async () => {
    const { write, path, session } = makePlace()
    write('secret/a', 'secret')
    write('open/a', 'open')
    const swaps: [swap: () => void, says: RegExp][] = [
      [
        () => {
          rmSync(path('open/a'))
          symlinkSync(path('secret/a'), path('open/a'))
        },
        /a link, which it was not/
      ],
      // Whether the folder behind the link has a file of that name is not told either.
      [
        () => {
          renameSync(path('open'), path('away'))
          symlinkSync(path('secret'), path('open'))
        },
        /does not exist/
      ]
    ]
    for (const [swap, says] of swaps) {
      const checked = await readTool.check({ file_path: path('open/a') }, session)
      if ('problem' in checked) throw new Error(checked.problem)
      expect(readTool.subject!(checked.input, session)).toMatchObject({ path: path('open/a') })
      swap()
      await expect(readTool.run(checked.input, makeCall(session))).rejects.toThrow(says)
      rmSync(path('open'), { recursive: true })
      rmSync(path('away'), { recursive: true, force: true })
      write('open/a', 'open')
    }
  })

  test.skipIf(process.getuid?.() === 0)('what may not be read is told', async () => {
    const { write, session } = makePlace()
    const file_path = write('a', 'text')
    chmodSync(file_path, 0)
    expect(await failure(readTool, { file_path }, session)).toContain('permission denied')
  })

  // P23
  test.runIf(process.platform === 'linux')('a name that is no UTF-8 is not mistaken for another', async () => {
    const { folder, path, write, session } = makePlace()
    linkSync(write('other', 'other'), Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]))
    expect(await failure(readTool, { file_path: path('caf\uFFFD') }, session)).toContain('does not exist')
  })

  test('unknown keys and wrong types are named', async () => {
    const { session } = makePlace()
    expect(await failure(readTool, { filepath: '/x' }, session)).toBe(
      'there is no key "filepath" (did you mean file_path?); "file_path" is missing: add a string'
    )
    expect(await failure(readTool, 'x', session)).toContain('must be a plain object')
    expect(await failure(readTool, { file_path: 5 }, session)).toBe('"file_path" must be a string, not 5')
    expect(await failure(readTool, JSON.parse('{"file_path":"/x","__proto__":1}'), session)).toContain('__proto__')
  })
})
