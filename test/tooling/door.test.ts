/** There is one door: nothing but agent/call-tool.ts runs a tool. Read from the sources. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/built-package.ts'

const DOOR = 'src/lib/agent/call-tool.ts'

/** Whoever could get hold of a tool. Hooks and commands have a `run` as well, but no tools. */
const ROOMS = ['agent', 'query', 'tools', 'model', 'permissions', 'transcript']

/** `x.run(…)`, `x?.run`, `x['run']`, `const { run } = x`, `const { run: go } = x`; not the method of a tool itself. */
const USES = /\.run\b|\[['"`]run['"`]\]|\{[^{}\n]*\brun\b[^{}\n]*\}\s*(?:=(?!>)|:\s*Tool\b)/g

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const usesIn = (text: string): readonly string[] => Array.from(withoutComments(text).matchAll(USES), ([use]) => use)

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test('nothing but the door runs a tool', () => {
  const files = globSync(`src/lib/{${ROOMS.join(',')}}/**/*.ts`, { cwd: ROOT })
  expect(files.length).toBeGreaterThan(80)
  const uses = files.filter(file => file !== DOOR).flatMap(file => usesIn(read(file)).map(use => `${file}: ${use}`))
  expect(uses).toEqual([])
})

test('the door itself does so in one place', () => {
  expect(usesIn(read(DOOR))).toEqual(['.run'])
})

test('no other room knows tools', () => {
  const others = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    file => !ROOMS.some(room => file.startsWith(`src/lib/${room}/`))
  )
  const knows = others.filter(file => /from '\.[^']*\/tools\/(?!custom\.ts)/.test(read(file)))
  expect(knows).toEqual([])
})

test.each([
  ['await tool.run(input, call)', true],
  ["tool['run'](input)", true],
  ['const { run } = tool', true],
  ['const { name, run: go } = tool', true],
  ['async run(input, call) {', false],
  ['run: () => undefined', false],
  ['runCalls(uses, session)', false]
])('%s', (text, found) => {
  expect(usesIn(text).length > 0).toBe(found)
})
