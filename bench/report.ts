import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** A built package that is measured. */
export interface Dist {
  readonly name: string
  /** A file URL that ends in a slash. */
  readonly url: string
}

/** One figure that `npm run bench:check` compares. */
export interface Scene {
  readonly scene: string
  /** The name of the dist that was measured. */
  readonly dist: string
  /** The cost as a multiple of `of`, measured in the same rounds: the median of the ratios of all rounds. Less is better. */
  readonly ratio: number
  readonly of: string
  /** The standard error of the ratio, as a share of it: large where rounds differ, small where there are many. */
  readonly error: number
}

/** A Markdown table. */
export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Report {
  /** Rounds, unit and what else a reader of the tables must know, in one sentence. */
  readonly about: string
  readonly tables: readonly Table[]
  readonly scenes: readonly Scene[]
}

/**
 * The options that every bench has: `--rounds 40`, `--json`, and `--dist [name=]folder`, which may be repeated. All dists
 * take turns in one run. Without it, the `dist` of this repository is measured. Other words are returned as they are.
 */
export function benchOptions(rounds: number) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(rounds) },
      dist: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false }
    }
  })
  return { rounds: Number(values.rounds), json: values.json, dists: distsOf(values.dist), words: positionals }
}

function distsOf(given: readonly string[] = []): readonly [Dist, ...Dist[]] {
  const [first, ...others] = given.map(text => {
    const [, name = 'carabiner', folder = text] = /^([^=/]+)=(.+)$/.exec(text) ?? []
    return { name, url: `${pathToFileURL(resolve(folder)).href}/` }
  })
  return [first ?? { name: 'carabiner', url: new URL('../dist/', import.meta.url).href }, ...others]
}

/** The same options for another program. */
export const distFlags = (dists: readonly Dist[]): readonly string[] =>
  dists.flatMap(({ name, url }) => ['--dist', `${name}=${new URL(url).pathname}`])

/** The value below which this part of all values is. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** For contenders that take turns: none always follows the same one, whose garbage it may have to collect. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const drawn = items.map(item => ({ item, lot: Math.random() }))
  return drawn.toSorted((a, b) => a.lot - b.lot).map(({ item }) => item)
}

/** Compares round by round: what disturbed the machine in a round disturbed both. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Pick<Scene, 'ratio' | 'error'> {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN))
  const ratio = median(ratios)
  // The standard error of a median, with the deviation taken from the quartiles, which outliers do not move.
  const deviation = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 1.349
  return { ratio, error: (1.253 * deviation) / Math.sqrt(ratios.length) / Math.abs(ratio) }
}

export const times = (ratio: number): string => `${digits(ratio)}×`

/** Three digits are more than any run supports. */
export const digits = (value: number): string =>
  Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)

export function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}\|/g, ' |')
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** For programs as JSON, for readers as the tables of bench/README.md. */
export function printReport(report: Report, json: boolean): void {
  if (json) console.log(JSON.stringify(report))
  else console.log([report.about, ...report.tables.map(markdown)].join('\n\n'))
}
