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
