/** One line of a table; a goal is a number that must not be passed. */
export interface Row {
  readonly what: string
  readonly cells: readonly (number | undefined)[]
  readonly goal?: { readonly value: number; readonly most: number; readonly words: string } | undefined
}

const WIDTH = 44

export function print(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const widths = columns.map(column => Math.max(column.length, 9) + 2)
  console.log(`\n${title}\n${''.padEnd(WIDTH)}${columns.map((name, at) => name.padStart(widths[at]!)).join('')}`)
  for (const { what, cells, goal } of rows) {
    const shown = cells.map((cell, at) => (cell === undefined ? '' : figure(cell)).padStart(widths[at]!)).join('')
    const verdict = goal === undefined ? '' : `   ${goal.value <= goal.most ? 'reached' : 'MISSED'}: ${goal.words}`
    console.log(`${what.padEnd(WIDTH)}${shown}${verdict}`)
  }
}

const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** The value below which this part of all lies. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export function shuffled<Item>(items: readonly Item[]): Item[] {
  const drawn = items.map(item => ({ item, lot: Math.random() }))
  return drawn.toSorted((a, b) => a.lot - b.lot).map(({ item }) => item)
}
