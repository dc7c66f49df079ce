import { digits, type Table } from '../report.ts'

/** One line of a table. */
export interface Row {
  readonly what: string
  readonly cells: readonly (number | undefined)[]
  readonly goal?: string | undefined
}

export const tableOf = (title: string, columns: readonly string[], rows: readonly Row[]): Table => ({
  head: [title, ...columns, 'goal'],
  rows: rows.map(({ what, cells, goal = '' }) => [
    what,
    ...cells.map(cell => (cell === undefined ? '' : digits(cell))),
    goal
  ])
})
