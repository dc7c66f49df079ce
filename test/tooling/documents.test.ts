/** What the documents say of the repository is what is there. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS } from '../../src/hooks.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const PAGES = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', ...readdirSync('docs').map(name => `docs/${name}`)]

test('G1: the README names every gate, and nothing else as one', () => {
  const [, names = ''] = /hook on a gate \(([^)]*)\)/.exec(read('README.md')) ?? []
  const gates = Object.entries(EVENTS).flatMap(([name, { failure }]) => (failure === 'closed' ? [name] : []))
  expect(names.split(/,\s+/).toSorted()).toEqual(gates.toSorted())
})

test('G1: the layers of ARCHITECTURE are those that check-imports keeps, and each is there', () => {
  const [, layers = ''] = /Imports go one way:(.*?)`src\/\*\.ts`/s.exec(read('ARCHITECTURE.md')) ?? []
  const named = Array.from(layers.matchAll(/[a-z]+/g), ([name]) => name)
  const there = readdirSync('src/lib', { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? entry.name : []
  )
  const checked = /LAYERS = \[(.*?)\n\]/s.exec(read('scripts/check-imports.ts'))?.[1] ?? ''
  for (const room of there) {
    expect(named, 'ARCHITECTURE.md').toContain(room)
    expect(checked).toContain(`'${room}'`)
  }
  for (const [, room = ''] of checked.matchAll(/'([a-z]+)'/g))
    expect(there.includes(room) || existsSync(`src/lib/${room}.ts`), `${room} of check-imports`).toBe(true)
})

test.each(PAGES)('G1: files and folders that %s names or links to are there', page => {
  const text = read(page)
  const links = Array.from(text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g), ([, to = '']) =>
    join(dirname(page), to)
  )
  const named = Array.from(
    text.matchAll(/`((?:src|test|docs|scripts|examples|bench)\/[\w./-]+)`/g),
    ([, path = '']) => path
  )
  const missing = [...links, ...named].filter(path => !existsSync(path))
  expect(missing).toEqual([])
})

test('G1: ARCHITECTURE names only files that are there, room by room', () => {
  const text = read('ARCHITECTURE.md').replace(/<!-- begin: .*<!-- end: /s, '')
  const blocks = Array.from(text.matchAll(/^```(?:mermaid)?\n(.*?)^```$/gms), ([, block = '']) => block)
  const named = blocks.flatMap(block =>
    Array.from(
      block.matchAll(
        /\b(hooks|agent|settings|query|cli|tools|transcript|world|permissions|model|shell|schema|util|testing)\/([a-z][a-z/-]*[a-z])\b/g
      )
    )
  )
  const missing = named
    .map(([path]) => `src/lib/${path}`)
    .filter(path => !existsSync(`${path}.ts`) && !existsSync(path))
  expect(named.length).toBeGreaterThan(100)
  expect(missing).toEqual([])
})

test('CONTRIBUTING names every script of the package, and no other', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const own = Object.keys(scripts).filter(name => name !== 'test' && !/^pre(?:test|pack)$/.test(name))
  const named = Array.from(read('CONTRIBUTING.md').matchAll(/npm run ([\w:-]+)/g), ([, name = '']) => name)
  expect([...new Set(named)].toSorted()).toEqual(own.toSorted())
})

test('each answer to "Where does X happen?" is a function that its file declares', () => {
  const [, table = ''] = read('CONTRIBUTING.md').split('<!-- where: ')
  const rows = Array.from(table.matchAll(/^\| [^|]+\? \| `([^`]+)` \| `(\w+)` \|$/gm))
  expect(rows.length).toBeGreaterThanOrEqual(20)
  const wrong = rows.filter(([, file = '', name = '']) => {
    const declared = new RegExp(
      String.raw`^export (?:async )?(?:function\*?|const|class|type|interface) ${name}\b`,
      'm'
    )
    return !existsSync(file) || !declared.test(read(file))
  })
  expect(wrong.map(([row]) => row)).toEqual([])
})

test('CHANGELOG lists every public name that was changed, with its new name', () => {
  const renamed = Array.from(
    read('test/types/renamed.ts').matchAll(/Same<(?:typeof )?\w+\.(.+?), (?:typeof )?\w+\.(.+?)>,?$/gm),
    ([, now = '', old = '']) => `${old} → ${now}`.replaceAll(/\['(\w+)'\]/g, '.$1')
  )
  const listed = Array.from(
    read('CHANGELOG.md').matchAll(/^\| `carabiner[^|]*\| `([^`(]+)\S* \| `([^`(]+)\S* \|$/gm),
    ([, old = '', now = '']) => `${old} → ${now}`
  )
  expect(renamed.length).toBeGreaterThan(5)
  expect(listed.toSorted()).toEqual(renamed.toSorted())
})
