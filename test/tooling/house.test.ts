import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sourceFiles } from '../../scripts/check-imports.ts'
import { figuresOf, placesOver, print } from '../../scripts/house.ts'
import { groupsIn } from '../../scripts/import-cycles.ts'

const filesOf = (files: Record<string, string>): ReadonlyMap<string, string> => new Map(Object.entries(files))
const over = (files: Record<string, string>): readonly string[] =>
  placesOver(figuresOf(filesOf(files))).filter(line => line !== '')
const ring = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name, index) => [
      `src/lib/hooks/${name}.ts`,
      `import type { A } from './${names[(index + 1) % names.length]}.ts'\n`
    ])
  )

test('figures are counted', async () => {
  const text = [
    'export function first(a: string, b: number) {',
    '  return [a!, b].map(each => each!.length)',
    '}',
    'const second = () => {}',
    `const third = () => {${'\n'.repeat(60)}}`,
    '\n'.repeat(300)
  ].join('\n')
  const figures = figuresOf(filesOf({ 'src/lib/hooks/a.ts': text, 'src/b.ts': '\n' }))
  const values = Object.fromEntries(figures.map(({ name, value }) => [name, value]))
  expect(values).toMatchObject({
    lines: '366',
    files: '2',
    'files over 300 lines': '1',
    functions: '4',
    'functions that have a name': '3',
    'lines of a named function: median': '3',
    'functions over 50 lines': '1',
    folders: '2',
    'files in the largest folder': '1',
    'non-null assertions per 1,000 lines': '5.46'
  })
  const all = figuresOf(await sourceFiles('.'))
  expect(Number(all.find(({ name }) => name === 'files')?.value)).toBeGreaterThan(100)
})

test('a folder may have 20 files', () => {
  const files = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/lib/hooks/f${index}.ts`, '']))
  expect(over({ ...files(20), 'src/lib/hooks/kinds/a.ts': '' })).toEqual([])
  expect(over(files(21))).toEqual(['folders of more than 20 files: 1', '  src/lib/hooks: 21 files'])
})

test('a function may have four parameters', () => {
  expect(
    over({ 'src/a.ts': 'function f(this: Window, a, b, c, d) {}\ntype F = (a: 1, b: 1, c: 1, d: 1, e: 1) => 1' })
  ).toEqual([])
  expect(
    over({ 'src/a.ts': 'const f = (a, b, c, d, ...e) => 1\nclass A {\n  constructor(a, b, c, d, e, f) {}\n}' })
  ).toEqual([
    'functions with more than 4 parameters: 2',
    '  src/a.ts:1 f: 5 parameters',
    '  src/a.ts:3 constructor: 6 parameters'
  ])
})

test('there may be two non-null assertions per 1,000 lines', () => {
  const blank = '\n'.repeat(999)
  expect(over({ 'src/a.ts': `a!\nb!${blank}` })).toEqual([])
  expect(over({ 'src/a.ts': `a!.b![0]!\nc != d${blank}` })).toEqual([
    'non-null assertions per 1,000 lines: 3.00',
    '  src/a.ts: 3'
  ])
})

test('a cycle of imports, types included, may have four files', () => {
  expect(over(ring(['a', 'b', 'c', 'd']))).toEqual([])
  expect(over(ring(['a', 'b', 'c', 'd', 'e']))).toEqual([
    'groups with an import cycle of more than 4 files: 1',
    '  5 files: hooks/a → hooks/b → hooks/c → hooks/d → hooks/e → hooks/a'
  ])
})

test('the longest cycle is not as long as its group is large, and not the shortest either', () => {
  const star = {
    'src/a.ts': `import './b.ts'\nimport './c.ts'\nimport './d.ts'`,
    'src/b.ts': `import './a.ts'`,
    'src/c.ts': `import './a.ts'\nimport './d.ts'`,
    'src/d.ts': `import { type A } from './a.ts'`,
    'src/e.ts': `import './a.ts'`
  }
  expect(groupsIn(filesOf(star))).toEqual([
    {
      files: ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts'],
      cycle: ['src/a.ts', 'src/c.ts', 'src/d.ts'],
      isLongest: true
    }
  ])
})

test('names count', () => {
  const found = over({ 'src/lib/hooks/hub.ts': 'export class Hub {}', 'src/lib/hooks/a.ts': 'export type Hub = 1' })
  expect(found.filter(line => !line.startsWith(' '))).toEqual([
    'exported names that are declared in several files: 1',
    'file names that do not say what is inside: 1',
    'identifiers that do not say what they are: 2'
  ])
})

test('before and after stand side by side', () => {
  const page = print(figuresOf(filesOf({ 'src/a.ts': '\n' })), figuresOf(filesOf({ 'src/a.ts': '\n\n\n' })))
  expect(page).toMatch(/^ +before +now$/m)
  expect(page).toMatch(/^ +lines +3 +1$/m)
})

test('the command compares with a commit, and its check fails for what is over a limit', () => {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-house-'))
  const house = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [resolve('scripts/house.ts'), ...args], { cwd: root, encoding: 'utf8' })
  const git = (...args: string[]): unknown =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root })
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(root, 'src/a.ts'), 'export const a = 1\n')
  for (const args of [['init'], ['add', '.'], ['commit', '-m', 'first']]) git(...args)
  expect(house('--check')).toMatchObject({ status: 0, stdout: '', stderr: '' })
  writeFileSync(join(root, 'src/b.ts'), 'export const a = 1\n')
  expect(house('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('a is exported by 2 files') })
  expect(house('--against', 'HEAD').stdout).toMatch(/^ +lines +1 +2$/m)
  expect(JSON.parse(house('--against', 'HEAD', '--json').stdout)).toEqual({
    before: expect.arrayContaining([expect.objectContaining({ name: 'lines', value: '1' })]),
    now: expect.arrayContaining([expect.objectContaining({ name: 'lines', value: '2' })])
  })
  rmSync(root, { recursive: true })
})
