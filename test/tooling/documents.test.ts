/** What the documents say of the repository is what is there. */
import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { EVENTS } from '../../src/hooks.ts'

const read = (path: string): string => readFileSync(path, 'utf8')
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'bench/README.md'],
  ...globSync('docs/*.md').toSorted()
]

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

/** The anchors that code hosts give to the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = read(page).replaceAll(/^```.*?^```$/gms, '')
  const titles = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) => title.replaceAll(/\]\([^)]*\)/g, ']'))
  return new Set(
    titles.map(title =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
    )
  )
}

test.each(PAGES)('G1: files, folders and headings that %s names or links to are there', page => {
  const text = read(page)
  const links = Array.from(text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g), ([, to = '', anchor]) => ({
    to: to === '' ? page : join(dirname(page), to),
    anchor
  }))
  const named = Array.from(
    text.matchAll(/`((?:src|test|docs|scripts|examples|bench)\/[\w./-]+)`/g),
    ([, path = '']) => path
  )
  const isPlaceholder = (path: string): boolean => /\/[A-Z]+\//.test(path)
  const missing = [...links.map(({ to }) => to), ...named].filter(path => !existsSync(path) && !isPlaceholder(path))
  expect(missing).toEqual([])
  const lost = links.filter(({ to, anchor }) => anchor !== undefined && !anchorsOf(to).has(anchor))
  expect(lost).toEqual([])
})

const scriptsOf = (manifest: string): readonly string[] =>
  Object.keys((JSON.parse(read(manifest)) as { scripts?: object }).scripts ?? {})

test('G1: scripts of npm that the pages name are there', () => {
  const [own, ofBenches] = [scriptsOf('package.json'), globSync('bench/*/package.json').flatMap(scriptsOf)]
  const strange = PAGES.flatMap(page => {
    const known = page.startsWith('bench/') ? [...own, ...ofBenches] : own
    const named = Array.from(read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g), ([, name = '']) => name)
    return named.filter(name => !known.includes(name)).map(name => `${page}: ${name}`)
  })
  expect(strange).toEqual([])
})

test('the README links each certainty to a test, or to a page that is printed from tests or measured', () => {
  const [, section = ''] = /^## What you can be certain of\n(.*?)^## /ms.exec(read('README.md')) ?? []
  const rows = section.split('\n').filter(line => line.startsWith('| **'))
  expect(rows.length).toBeGreaterThanOrEqual(10)
  const unproven = rows.filter(row => {
    const links = Array.from(row.matchAll(/\]\(([^)#]+)/g), ([, to = '']) => to)
    return !links.some(
      to => /^test\/.*\.test\.ts$|^bench\//.test(to) || /<!-- Printed by .* from test\//.test(read(to))
    )
  })
  expect(unproven).toEqual([])
})

test('the README has the version of the package and the number of events', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('README.md')).toContain(`carabiner-${version}.tgz`)
  const own = ['AgentStart', 'AgentStop', 'Iteration', 'PreModelRequest', 'PostModelResponse']
  const names = Object.keys(EVENTS)
  expect(names).toEqual(expect.arrayContaining(own))
  expect(read('README.md')).toContain(
    `| events | ${names.length}, of which ${names.length - own.length} are Claude Code's |`
  )
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
