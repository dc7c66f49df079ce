/**
 * Refreshes docs/features.md: which tests name which feature. Tests do so in a comment that begins with the
 * numbers (F64, several joined by commas, or a range). `--check` only says whether the page is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'

const ROW = /^\| (F\d+[a-z]?) \| (.*?) \| .*\|$/gm
const SUMMARY = /^Shown by a test: .*$/m
const NUMBER = String.raw`F\d+[a-z]?(?:\s*[-–]\s*F\d+)?`
const COMMENT = new RegExp(String.raw`//\s*(?:FM\d+,\s*)*(${NUMBER}(?:\s*,\s*FM?\d+[a-z]?(?:\s*[-–]\s*F\d+)?)*)`, 'g')

/** The features that the comments of a test name. */
export function featuresNamedIn(text: string): ReadonlySet<string> {
  const lists = Array.from(text.matchAll(COMMENT), ({ 1: list = '' }) => list)
  return new Set(lists.flatMap(list => list.split(',').flatMap(part => expand(part.trim()))))
}

/** A range names each of its features; anything that is not a feature, none. */
function expand(part: string): readonly string[] {
  const range = /^F(\d+)\s*[-–]\s*F(\d+)$/.exec(part)
  if (range === null) return /^F\d+[a-z]?$/.test(part) ? [part] : []
  const [from, to] = [Number(range[1]), Number(range[2])]
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `F${from + index}`)
}

/** The page with its last column, and its count, made anew. */
export function refreshed(page: string, shownBy: ReadonlyMap<string, readonly string[]>): string {
  const known = Array.from(page.matchAll(ROW), ({ 1: feature = '' }) => feature)
  const unknown = [...shownBy.keys()].filter(feature => !known.includes(feature))
  if (unknown.length > 0) {
    const places = unknown.map(feature => `${feature} (${shownBy.get(feature)!.join(', ')})`)
    throw new Error(`docs/features.md does not list ${places.join(', ')}; add a row, or correct the test`)
  }
  const shown = known.filter(feature => shownBy.has(feature)).length
  return page
    .replace(SUMMARY, `Shown by a test: ${shown} of ${known.length}.`)
    .replaceAll(ROW, (_, feature: string, words: string) => {
      const tests = shownBy.get(feature) ?? []
      return `| ${feature} | ${words} | ${tests.length === 0 ? 'not yet' : tests.map(shortName).join(', ')} |`
    })
}

const shortName = (path: string): string => path.replace(/^test\//, '').replace(/(\.test)?\.ts$/, '')

/** From each feature to the tests that name it. */
async function scan(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files: string[] = []
  for await (const path of glob(['test/**/*.ts', 'src/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules/**'] })) {
    if (!path.includes('node_modules')) files.push(path.replaceAll('\\', '/'))
  }
  const shownBy = new Map<string, string[]>()
  for (const file of files.toSorted()) {
    for (const feature of featuresNamedIn(readFileSync(`${root}/${file}`, 'utf8'))) {
      shownBy.set(feature, [...(shownBy.get(feature) ?? []), file])
    }
  }
  return shownBy
}

if (import.meta.main) {
  const page = readFileSync('docs/features.md', 'utf8')
  const fresh = refreshed(page, await scan('.'))
  if (!process.argv.includes('--check')) {
    writeFileSync('docs/features.md', fresh)
    console.log(`docs/features.md: ${SUMMARY.exec(fresh)![0]}`)
  } else if (fresh === page) {
    console.log('docs/features.md is fresh')
  } else {
    console.error('docs/features.md is not what the tests say: run `node scripts/print-features.ts`')
    process.exitCode = 1
  }
}
