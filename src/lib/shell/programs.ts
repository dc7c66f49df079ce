import { PROPERTIES } from './rows/properties.ts'

const setsOf = <Row extends string>(
  table: Readonly<Record<Row, string>>
): Readonly<Record<Row, ReadonlySet<string>>> => {
  const rows = Object.entries<string>(table).map(([row, names]) => [row, new Set(names.split(/\s+/))])
  return Object.fromEntries(rows) as Record<Row, ReadonlySet<string>>
}

const SETS = setsOf(PROPERTIES)

/** `/bin/rm` and `./rm` are `rm`. */
export const programName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

export const isProgramOf = (row: keyof typeof PROPERTIES, name: string): boolean =>
  SETS[row].has(name) || (row === 'interpreter' && SETS.interpreter.has(name.replace(/[\d.]+$/, '')))

export const isKeyword = (word: string): boolean => SETS.keyword.has(word)

export const runsCode = (name: string): boolean =>
  SETS.shell.has(name) || isProgramOf('interpreter', name) || SETS.sources.has(name)

export const runsArguments = (name: string): boolean =>
  SETS.shell.has(name) || SETS.wrapper.has(name) || SETS.runner.has(name)

export const rereadsArguments = (name: string): boolean => SETS.shell.has(name) || SETS.rereads.has(name)

export const takesCode = (word: string): boolean =>
  isProgramOf('interpreter', programName(word)) || SETS.awk.has(programName(word))

export const isCodeOption = (word: string): boolean => /^(?:-\w*[cer]|--eval|--print|-p|-E|-Com|eval)/.test(word)
