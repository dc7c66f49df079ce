import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { walkOf } from '../../scripts/measure-walk.ts'
import { sectionOf, sizeOf, withSection } from '../../scripts/print-walk.ts'

const check = (page: string): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, ['scripts/print-walk.ts', '--check', '--page', page], { encoding: 'utf8' })

test('ARCHITECTURE shows what a call runs through: run `npm run docs`', () => {
  expect(check('ARCHITECTURE.md')).toMatchObject({ status: 0, stderr: '' })
})

test('a page that names one function less is not fresh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-page-'))
  const page = join(folder, 'page.md')
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  writeFileSync(page, text.replace(/(?<=\nhooks\/registry\.ts +)fire, /, ''))
  expect(readFileSync(page, 'utf8')).not.toBe(text)
  expect(check(page)).toMatchObject({ status: 1, stderr: expect.stringContaining('run `node scripts/print-walk.ts`') })
  rmSync(folder, { recursive: true })
})

const ran = (functionName: string, startOffset: number, count = 1) => ({
  functionName,
  ranges: [{ startOffset, endOffset: startOffset + 5, count }],
  isBlockCoverage: false
})

test('functions count that have a name, ran, and are in the folder', () => {
  const report = [
    {
      scriptId: '1',
      url: 'file:///here/src/lib/b.ts',
      functions: [
        ran('', 0),
        ran('late', 90),
        ran('early', 10),
        ran('never', 50, 0),
        ran('', 95),
        ran('<instance_members_initializer>', 60)
      ]
    },
    { scriptId: '2', url: 'file:///here/src/lib/a.ts', functions: [ran('get size', 1)] },
    { scriptId: '3', url: 'file:///here/src/lib/c.ts', functions: [ran('', 0)] },
    { scriptId: '4', url: 'file:///elsewhere/src/lib/a.ts', functions: [ran('other', 1)] }
  ]
  const walk = walkOf(report, 'file:///here/src/')
  expect(Object.entries(walk)).toEqual([
    ['lib/a.ts', ['get size']],
    ['lib/b.ts', ['early', 'late']]
  ])
  expect(sizeOf(walk)).toBe('3 functions in 2 files')
})

test('the section shows what a hook adds and leaves out', () => {
  const call = { 'lib/agent/a.ts': ['one', 'two', 'two'] }
  const callWithHook = { 'lib/agent/a.ts': ['two'], 'lib/hooks/b.ts': ['three'] }
  const section = sectionOf({ call, callWithHook, fire: { 'lib/hooks/b.ts': ['three'] } })
  const blocks = Array.from(section.matchAll(/^([^\n]*):\n\n```\n(.*?)```/gms), ([, head, block]) => [head, block])
  expect(blocks).toEqual([
    ['The call without a hook', 'agent/a.ts  one, two, two\n'],
    ['What a hook that allows adds to it', 'hooks/b.ts  three\n'],
    ['What it leaves out', 'agent/a.ts  one, two\n'],
    ['One `fire`', 'hooks/b.ts  three\n']
  ])
})

test('a section is put between its marks, and a page without them is an error', () => {
  const section = sectionOf({ call: { 'a.ts': ['a'] }, callWithHook: { 'a.ts': ['a'] }, fire: { 'a.ts': ['a'] } })
  const [begin, end] = [section.split('\n')[0], section.split('\n').at(-1)]
  expect(withSection(`before\n${begin}\nold\n${end}\nbehind`, section)).toBe(`before\n${section}\nbehind`)
  expect(() => withSection('nothing', section)).toThrow('there is no place for the walk')
})
