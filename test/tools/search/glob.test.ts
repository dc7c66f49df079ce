import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { globTool } from '../../../src/lib/tools/search/glob.ts'
import { shownName } from '../../../src/lib/tools/files/escape-file-name.ts'
import { shellScene, type ShellScene } from '../bash/shell-scene.ts'
import { gone, POLL } from '../../support/waiting.ts'

/** Files with these names, the last one the newest. */
function withFiles(...names: readonly string[]): ShellScene {
  const stage = shellScene()
  names.forEach((name, at) => utimesSync(stage.write(name, name), 1_000_000 + at, 1_000_000 + at))
  return stage
}

const find = async ({ call }: ShellScene, pattern: string, path?: string) =>
  (await call(globTool, { pattern, ...(path !== undefined && { path }) })).output['filenames']

describe('patterns', () => {
  const NAMES = [
    'a.ts',
    'b.js',
    'src/c.ts',
    'src/deep/d.ts',
    'src/deep/e.TS',
    '.hidden/f.ts',
    '!g.ts',
    'node_modules/h.ts'
  ]

  test.each([
    ['*.ts', ['node_modules/h.ts', '!g.ts', '.hidden/f.ts', 'src/deep/d.ts', 'src/c.ts', 'a.ts']],
    ['src/*.ts', ['src/c.ts']],
    ['./src/*.ts', ['src/c.ts']],
    ['src/**/*.ts', ['src/deep/d.ts', 'src/c.ts']],
    ['**/deep/*', ['src/deep/e.TS', 'src/deep/d.ts']],
    ['*.{js,TS}', ['src/deep/e.TS', 'b.js']],
    ['src/deep/d.ts', ['src/deep/d.ts']],
    ['src/', ['src/deep/e.TS', 'src/deep/d.ts', 'src/c.ts']],
    ['!*.ts', ['!g.ts']],
    ['nothing/**', []],
    ['*.none', []]
  ])('%s', async (pattern, names) => {
    expect(await find(withFiles(...NAMES), pattern)).toEqual(names)
  })

  test('from the root, from a folder, and upwards', async () => {
    const stage = withFiles(...NAMES)
    expect(await find(stage, join(stage.root, 'src/*.ts'))).toEqual(['src/c.ts'])
    expect(await find(stage, '*.ts', 'src/deep')).toEqual(['src/deep/d.ts'])
    stage.session.cwd = join(stage.root, 'src')
    expect(await find(stage, '*.ts')).toEqual(['deep/d.ts', 'c.ts'])
    expect(await find(stage, '../b.*')).toEqual([join(stage.root, 'b.js')])
  })

  test('what is ignored is found, what version control keeps is not', async () => {
    const stage = withFiles('.gitignore', 'built/a.js', '.git/config', '.git/hooks/b.js')
    stage.write('.gitignore', 'built\n')
    expect(await find(stage, '**/*.js')).toEqual(['built/a.js'])
    expect(await find(stage, '.git/*')).toEqual(['.git/config'])
    expect(await find(stage, '**/.git/**/*.js')).toEqual(['.git/hooks/b.js'])
  })

  test.each(['[', '{a', ''])('%j is no pattern', async pattern => {
    const said = await shellScene()
      .call(globTool, { pattern })
      .catch(error => ({ error: String(error) }))
    expect(said.error).toMatch(/pattern|glob/)
  })
})

test('the shape of the answer', async () => {
  const { call } = withFiles('a')
  expect(await call(globTool, { pattern: 'a' })).toEqual({
    content: 'a',
    output: {
      filenames: ['a'],
      durationMs: expect.any(Number),
      numFiles: 1,
      truncated: false,
      totalMatches: 1,
      countIsComplete: true
    }
  })
  expect((await call(globTool, { pattern: 'b' })).content).toBe('No files found')
})

describe('where it cannot search', () => {
  test('nothing is there, a file, the system', async () => {
    const { call, write } = shellScene()
    write('file', '')
    expect((await call(globTool, { pattern: '*', path: 'none' })).error).toContain('none is not there')
    expect((await call(globTool, { pattern: '*', path: 'file' })).error).toContain('must be a folder')
    expect((await call(globTool, { pattern: '*', path: '/proc' })).error).toContain('part of the system')
    expect((await call(globTool, { pattern: '/proc/*/environ' })).error).toContain('part of the system')
  })

  test('permission rules look at the folder that is really searched', async () => {
    const { subject, root, session } = shellScene()
    expect(await subject(globTool, { pattern: '*' })).toEqual({ kind: 'file', path: root, access: 'read' })
    expect(await subject(globTool, { pattern: '/etc/*' })).toMatchObject({ path: '/etc' })
    expect(await subject(globTool, { pattern: '../x/*' })).toMatchObject({ path: join(root, '../x') })
    symlinkSync('/usr', join(root, 'away'))
    expect(await subject(globTool, { pattern: 'away/*' })).toMatchObject({ path: '/usr' })
    expect(globTool.readOnly({ pattern: '*' })).toBe(true)
    expect(session.cwd).toBe(root)
  })
})

describe('names that no line can show', () => {
  const NAMES = [
    Buffer.from('new\nline'),
    Buffer.from("esc\u001B['x"),
    Buffer.from([0x62, 0xff, 0x5c]),
    Buffer.from("$'q'")
  ]

  // P13, P23
  test('are written as the shell reads them', async () => {
    const stage = shellScene()
    for (const name of NAMES) writeFileSync(Buffer.concat([Buffer.from(`${stage.root}/`), name]), '')
    const found = (await find(stage, '*')) as string[]
    expect(found.toSorted()).toEqual([
      String.raw`$'$\'q\''`,
      String.raw`$'b\xff\\'`,
      String.raw`$'esc\x1b[\'x'`,
      String.raw`$'new\nline'`
    ])
    const listed = execFileSync('bash', ['--noprofile', '--norc', '-c', `stat -c ok -- ${found.join(' ')}`], {
      cwd: stage.root
    })
    expect(listed.toString()).toBe('ok\n'.repeat(NAMES.length))
  })

  // P23
  test('are the same when they are read', () => {
    const names = fc.array(fc.uint8Array({ minLength: 1 }).map(bytes => Buffer.from(bytes.map(byte => byte || 1))))
    fc.assert(
      fc.property(names, all => {
        const shown = all.map(name => shownName(name))
        for (const each of shown) expect(each).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
        const words = shown.map(each => (each.startsWith("$'") ? each : `'${each.replaceAll("'", String.raw`'\''`)}'`))
        const script = words.map(word => `printf '%s\\0' ${word}`).join('\n')
        const read = execFileSync('bash', ['--norc', '-c', script], { env: { LC_ALL: 'C' } })
        expect(read).toEqual(Buffer.concat(all.flatMap(name => [name, Buffer.of(0)])))
      }),
      { numRuns: 30 }
    )
  })
})

describe('a search has an end', () => {
  // P20
  test('with as many stars as one likes, and links that go in circles', POLL, async () => {
    const stage = withFiles('a/b/c.txt')
    symlinkSync('..', join(stage.root, 'a/up'))
    symlinkSync('self', join(stage.root, 'self'))
    expect(await find(stage, `${'**/'.repeat(50)}*.txt`)).toEqual(['a/b/c.txt'])
    expect(await find(stage, `${'*'.repeat(200)}b${'*'.repeat(200)}`)).toEqual([])
  })

  // P20
  test('with more files than anyone wants', async () => {
    const { root, call } = shellScene()
    for (let folder = 0; folder < 11; folder++) {
      mkdirSync(join(root, String(folder)))
      for (let file = 0; file < 1_000; file++) writeFileSync(join(root, String(folder), String(file)), '')
    }
    const { content, output } = await call(globTool, { pattern: '**/*' })
    expect(output).toMatchObject({ numFiles: 100, truncated: true, totalMatches: 10_000, countIsComplete: false })
    expect(content).toContain('first 100 of more than 10000 files')
  })

  test('when it is given up', async () => {
    const { call, running } = withFiles('a')
    const stop = new AbortController()
    const came = call(globTool, { pattern: '*' }, { signal: stop.signal })
    stop.abort()
    expect((await came).error).toBe('the search was interrupted')
    await gone(running)
  })
})
