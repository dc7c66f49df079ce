/**
 * The sources in figures: how large folders, files and functions are, how they hang together, and how they are named.
 *
 *     npm run house                      the figures, and what is over a limit
 *     npm run house -- --against main~1   beside those of another commit
 *     npm run house -- --check           only what is over a limit; fails if anything is
 *     npm run house -- --json            all of it, for programs
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname } from 'node:path/posix'
import { parseArgs } from 'node:util'
import { moduleOf, sourceFiles } from './check-imports.ts'
import { homonymsIn, oldFilesIn, oldNamesIn, participlesIn, phrasesIn, syntaxIn } from './check-names.ts'
import { groupsIn, type Group } from './import-cycles.ts'
import { withSourceAt } from './source-at.ts'
import type { Syntax } from './syntax.ts'

/** What may not be exceeded. */
const MOST = { filesOfFolder: 20, parameters: 4, cycle: 4, assertions: 2 }
/** Functions whose parameters are those of the Claude Agent SDK. */
const EXCEPT = new Set(['tool'])
/** Of assertions, the files with the most of them are listed. */
const MOST_PLACES = 25
/** What is counted beyond. */
const LONG = { file: 300, function: 50 }

interface Figure {
  readonly name: string
  readonly value: string
  /** What the value counts, one line each. */
  readonly places: readonly string[]
  /** Whether this is over a limit. */
  readonly isOver: boolean
}

/** The figures of these sources, and of the documents about them (path → text). */
export function figuresOf(
  files: ReadonlyMap<string, string>,
  documents: ReadonlyMap<string, string> = new Map()
): readonly Figure[] {
  const syntax = syntaxIn(files)
  const oldFiles = oldFilesIn([...files.keys()])
  return [
    ...sizesOf(syntax),
    ...foldersOf([...files.keys()]),
    limited('exported names that are declared in several files', homonymsIn(syntax)),
    ...cyclesOf(files),
    limited(
      `functions with more than ${MOST.parameters} parameters`,
      functionsIn(syntax, ({ name, parameters }) =>
        parameters > MOST.parameters && !EXCEPT.has(name) ? `${parameters} parameters` : ''
      )
    ),
    assertionsOf(syntax),
    limited('file names that do not say what is inside', oldFiles),
    limited('identifiers that do not say what they are', oldNamesIn(syntax)),
    limited('types and functions named by a participle alone', participlesIn(syntax)),
    limited('phrases that are not plain English', phrasesIn(new Map([...files, ...documents])))
  ]
}

async function documentsIn(root: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for await (const path of glob(['*.md', 'docs/*.md'], { cwd: root }))
    if (path !== 'CHANGELOG.md') texts.set(path, readFileSync(`${root}/${path}`, 'utf8'))
  return texts
}

const limited = (name: string, places: readonly string[]): Figure => ({
  name,
  value: String(places.length),
  places,
  isOver: places.length > 0
})

const counted = (name: string, value: string | number, places: readonly string[] = []): Figure => ({
  name,
  value: typeof value === 'number' ? value.toLocaleString('en') : value,
  places,
  isOver: false
})

function sizesOf(syntax: ReadonlyMap<string, Syntax>): readonly Figure[] {
  const all = [...syntax.values()]
  const functions = all.flatMap(each => each.functions)
  const named = functions.filter(({ name }) => name !== '')
  const lengths = named.map(({ lines }) => lines).toSorted((a, b) => a - b)
  const longFiles = Array.from(syntax)
    .filter(([, { lines }]) => lines > LONG.file)
    .map(([path, { lines }]) => `${path}: ${lines} lines`)
  const longFunctions = functionsIn(syntax, ({ lines }) => (lines > LONG.function ? `${lines} lines` : ''))
  return [
    counted('lines', linesOf(all)),
    counted('files', all.length),
    counted(`files over ${LONG.file} lines`, longFiles.length, longFiles),
    counted('functions', functions.length),
    counted('functions that have a name', named.length),
    counted('lines of a named function: median', lengths[Math.floor(lengths.length / 2)] ?? 0),
    counted(`functions over ${LONG.function} lines`, longFunctions.length, longFunctions)
  ]
}

const linesOf = (all: readonly Syntax[]): number => all.reduce((sum, { lines }) => sum + lines, 0)

function functionsIn(
  syntax: ReadonlyMap<string, Syntax>,
  describe: (figures: Syntax['functions'][number]) => string
): readonly string[] {
  return Array.from(syntax).flatMap(([path, { functions }]) =>
    functions.flatMap(figures => {
      const words = describe(figures)
      return words === '' ? [] : [`${path}:${figures.line} ${figures.name || 'a function'}: ${words}`]
    })
  )
}

function foldersOf(paths: readonly string[]): readonly Figure[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const folders = [...counts].toSorted(([, a], [, b]) => b - a)
  const over = folders.filter(([, count]) => count > MOST.filesOfFolder)
  const words = ([folder, count]: readonly [string, number]): string => `${folder}: ${count} files`
  return [
    counted('folders', folders.length, folders.map(words)),
    counted('files in the largest folder', folders[0]?.[1] ?? 0),
    limited(`folders of more than ${MOST.filesOfFolder} files`, over.map(words))
  ]
}

function cyclesOf(files: ReadonlyMap<string, string>): readonly Figure[] {
  const groups = groupsIn(files)
  const longestIn = (isMember: (module: string) => boolean): string => {
    const group = groups.find(({ files: [path = ''] }) => isMember(moduleOf(path) ?? ''))
    return group === undefined ? 'none' : lengthOf(group)
  }
  const long = groups.filter(({ cycle }) => cycle.length > MOST.cycle)
  return [
    counted(
      'longest import cycle in agent, types included',
      longestIn(module => module === 'agent')
    ),
    counted(
      'longest import cycle in hooks',
      longestIn(module => module === 'hooks')
    ),
    counted(
      'longest import cycle elsewhere',
      longestIn(module => module !== 'agent' && module !== 'hooks')
    ),
    counted('files that import each other: largest group', Math.max(0, ...groups.map(group => group.files.length))),
    counted('files that import each other: groups', groups.length),
    limited(
      `groups with an import cycle of more than ${MOST.cycle} files`,
      long.map(group => `${lengthOf(group)} files: ${[...group.cycle, group.cycle[0]].map(shortName).join(' → ')}`)
    )
  ]
}

/** How long the longest cycle is, or at least is. */
const lengthOf = ({ cycle, isLongest }: Group): string => `${isLongest ? '' : '≥ '}${cycle.length}`

const shortName = (path = ''): string => path.replace('src/lib/', '').replace('.ts', '')

function assertionsOf(syntax: ReadonlyMap<string, Syntax>): Figure {
  const all = [...syntax.values()]
  const perThousand = (all.reduce((sum, { assertions }) => sum + assertions, 0) * 1000) / linesOf(all)
  const places = Array.from(syntax)
    .filter(([, { assertions }]) => assertions > 0)
    .toSorted(([, a], [, b]) => b.assertions - a.assertions)
    .map(([path, { assertions }]) => `${path}: ${assertions}`)
    .slice(0, MOST_PLACES)
  const isOver = perThousand > MOST.assertions
  return { name: 'non-null assertions per 1,000 lines', value: perThousand.toFixed(2), places, isOver }
}

/** Figures side by side, and below them the places of those that are over a limit. */
export function print(now: readonly Figure[], before?: readonly Figure[]): string {
  const wide = Math.max(...now.map(({ name }) => name.length))
  const left = Math.max(6, ...(before ?? []).map(({ value }) => value.length))
  const rows = now.map(({ name, value, isOver }) => {
    const old = before === undefined ? '' : `${(before.find(one => one.name === name)?.value ?? '').padEnd(left)}  `
    return `${isOver ? '✗' : ' '} ${name.padEnd(wide)}  ${old}${value}`
  })
  const head = before === undefined ? [] : [`  ${''.padEnd(wide)}  ${'before'.padEnd(left)}  now`]
  return [...head, ...rows, ...placesOver(now)].join('\n')
}

/** What is over a limit, one line each. */
export const placesOver = (figures: readonly Figure[]): readonly string[] =>
  figures
    .filter(({ isOver }) => isOver)
    .flatMap(({ name, value, places }) => ['', `${name}: ${value}`, ...places.map(place => `  ${place}`)])

if (import.meta.main) {
  const { values } = parseArgs({
    options: { against: { type: 'string' }, json: { type: 'boolean' }, check: { type: 'boolean' } }
  })
  const measure = async (root: string): Promise<readonly Figure[]> =>
    figuresOf(await sourceFiles(root), await documentsIn(root))
  const now = await measure('.')
  const before = values.against === undefined ? undefined : await withSourceAt(values.against, measure)
  const over = placesOver(now)
  if (values.json === true) console.log(JSON.stringify({ before, now }, undefined, 2))
  else if (values.check !== true) console.log(print(now, before))
  else if (over.length > 0) console.error(over.join('\n').trim())
  if (values.check === true && over.length > 0) process.exitCode = 1
}
