/**
 * Each promise of docs/edges.md is shown by at least three tests whose titles begin with its number (`A1: …`): the case
 * itself and two relatives. Says which promise has lost its row or its tests.
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'

/** How many promises there are, by letter. */
const COUNTS = { S: 11, A: 10, B: 11, C: 12, D: 9, E: 9, G: 3 }
/** A number that is not a promise here. */
const LEFT_OUT = new Set(['C11'])
const FEWEST = 3

/** The numbers of all promises. */
export const EDGES: readonly string[] = Object.entries(COUNTS)
  .flatMap(([letter, count]) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`))
  .filter(id => !LEFT_OUT.has(id))

/** What is wrong, one sentence each, given the page and the texts of all tests. */
export function problemsIn(page: string, tests: readonly string[]): readonly string[] {
  const rows = new Set(Array.from(page.matchAll(/^\| ([A-Z]\d+) \| \S/gm), ([, id]) => id))
  const titles = new Map<string, number>()
  for (const text of tests)
    for (const [, id = ''] of text.matchAll(/['"`]([A-Z]\d+): /g)) titles.set(id, (titles.get(id) ?? 0) + 1)
  return EDGES.flatMap(id => {
    const count = titles.get(id) ?? 0
    return [
      ...(rows.has(id) ? [] : [`docs/edges.md has no row ${id}`]),
      ...(count >= FEWEST ? [] : [`${id} is shown by ${count} tests, and needs ${FEWEST}: titles begin with "${id}: "`])
    ]
  })
}

if (import.meta.main) {
  const tests: string[] = []
  for await (const path of glob('test/**/*.ts', { exclude: ['**/node_modules/**'] }))
    if (!path.includes('node_modules')) tests.push(readFileSync(path, 'utf8'))
  const problems = problemsIn(readFileSync('docs/edges.md', 'utf8'), tests)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
