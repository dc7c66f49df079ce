import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { homonymsIn, phrasesIn, problemsIn, syntaxIn } from '../../scripts/check-names.ts'
import { REPOSITORY } from '../support/built-package.ts'

const problems = (files: Record<string, string>): readonly string[] => problemsIn(new Map(Object.entries(files)))

test.each([
  ['export const answer = 1', 'export function answer() {}'],
  ['export interface Answer {}', 'export type Answer = string'],
  ['export class Answer {}', 'export async function* Answer() {}'],
  ['const answer = 1\nexport { answer }', 'export const { answer, rest } = value'],
  ['const a = 1\nexport { a as answer }', 'export const [answer = 2] = value'],
  ['export { type Answer }\ntype Answer = 1', 'export declare const Answer: string']
])('a name that two files declare and export is found: %j, %j', (one, other) => {
  expect(problems({ 'src/lib/hooks/a.ts': one, 'src/lib/tools/b.ts': other, 'src/lib/tools/c.ts': '' })).toEqual([
    expect.stringMatching(/^[aA]nswer is exported by 2 files: src\/lib\/hooks\/a\.ts, src\/lib\/tools\/b\.ts$/)
  ])
})

test('what is passed on, is local, or is declared twice in one file is no second declaration', () => {
  expect(
    problems({
      'src/lib/hooks/a.ts':
        'export function read(x: string): void\nexport function read(x: number): void\nexport function read(): void {}\n' +
        'export type Reply = string\nexport const Reply = 1',
      'src/lib/hooks/b.ts': `export { read } from './a.ts'\nexport * from './a.ts'`,
      'src/lib/hooks/c.ts': `import { read } from './a.ts'\nexport { read }`,
      'src/lib/hooks/d.ts': 'const read = 1\nfunction inner() { const Reply = 2 }',
      'src/lib/hooks/e.ts': 'const read = 1\nexport { read as readNumber }'
    })
  ).toEqual([])
})

test('a file is named after its subject', () => {
  expect(
    problems({
      'src/lib/agent/deep/told.ts': '',
      'src/lib/tools/mcp/names.ts': '',
      'src/lib/model/names.ts': '',
      'src/lib/model/draft.ts': '',
      'src/lib/hooks/draft.ts': '',
      'src/lib/agent/retold.ts': ''
    })
  ).toEqual([
    'src/lib/agent/deep/told.ts: name the file after its subject',
    'src/lib/model/draft.ts: name the file after its subject',
    'src/lib/tools/mcp/names.ts: name the file after its subject'
  ])
})

test('a declaration is named after what it is or does, unless it is kept for one more version', () => {
  expect(
    problems({
      'src/lib/hooks/a.ts':
        'export class Outside {}\ninterface Tool {\n  readonly isWork?: boolean\n}\n' +
        '/** @deprecated use HookStatus */\nexport type Standing = HookStatus\n' +
        '/** A comment of something else; @deprecated. */\nconst other = 1\ntype Rare = 1'
    })
  ).toEqual([
    'src/lib/hooks/a.ts:1 declares Outside: name it after what it is or does',
    'src/lib/hooks/a.ts:9 declares Rare: name it after what it is or does',
    'src/lib/hooks/a.ts:3 declares isWork: name it after what it is or does'
  ])
})

test('a session has no functions for what its ports do; values and other modules may have such names', () => {
  const text = [
    'class Session {\n  heed() {}\n  say = () => 1\n  record: string\n}',
    'interface Port {\n  tell(): void\n  inform: (x: string) => void\n  readonly note: string\n}',
    'const note = (text: string) => text\nfunction deep() { const record = 1 }'
  ].join('\n')
  const names = problems({ 'src/lib/agent/a.ts': text }).map(problem => /declares (\w+)/.exec(problem)?.[1])
  expect(names).toEqual(['note', 'heed', 'say', 'tell', 'inform'])
  expect(problems({ 'src/lib/hooks/a.ts': text })).toEqual([])
})

test('a participle alone names no type and no function; a value may be called so', () => {
  expect(
    problems({
      'src/a.ts':
        'interface Told {}\nconst shown = () => 1\nconst given = 1, TOLD = 2\nclass A {\n  named() {}\n  readonly said: string\n}\n' +
        'function toldBy() {}\n/** @deprecated use HookReply */\nexport type Said = HookReply'
    })
  ).toEqual([
    'src/a.ts:1 declares Told: say of what, or what it does',
    'src/a.ts:2 declares shown: say of what, or what it does',
    'src/a.ts:5 declares named: say of what, or what it does'
  ])
})

test('phrases of private language are found in sources and documents; plain ones pass', () => {
  const texts = new Map([
    ['src/a.ts', '// Whoever waits\nconst text = "nobody asked"\n// It stands for a path; the model is asked.'],
    ['docs/a.md', 'The run goes on, and what is let pass is reported to someone.']
  ])
  expect(phrasesIn(texts)).toEqual([
    'src/a.ts:1 says "Whoever": use plain English',
    'src/a.ts:2 says "nobody": use plain English',
    'docs/a.md:1 says "goes on": use plain English',
    'docs/a.md:1 says "let pass": use plain English'
  ])
})

test('a file that cannot be parsed is an error', () => {
  expect(() => problems({ 'src/a.ts': 'const = 1' })).toThrow('src/a.ts cannot be parsed')
})

const TEST_FILES = globSync('test/**/*.ts', { cwd: REPOSITORY }).filter(file => !file.includes('node_modules'))

test('a helper of the tests has one name, and the name belongs to one file', () => {
  const helpers = TEST_FILES.filter(file => !file.endsWith('.test.ts'))
  expect(helpers.length).toBeGreaterThan(50)
  expect(
    homonymsIn(syntaxIn(new Map(helpers.map(file => [file, readFileSync(join(REPOSITORY, file), 'utf8')]))))
  ).toEqual([])
})

test('no folder of tests has more than 20 files', () => {
  const folders = [...new Set(TEST_FILES.map(file => dirname(file)))]
  const filesIn = (folder: string): number =>
    readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).filter(entry => entry.isFile()).length
  expect(folders.filter(folder => filesIn(folder) > 20)).toEqual([])
})
