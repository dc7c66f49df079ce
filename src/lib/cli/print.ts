import { styleText } from 'node:util'
import type { Finding } from '../settings/files/finding.ts'
import { maskSecrets } from '../util/secrets.ts'
import { escapedLines, escapeLine, indentLines } from '../util/escape.ts'
import { writeOutput } from './standard-streams.ts'

type Style = Parameters<typeof styleText>[0]

export const withStyle = (style: Style, text: string): string => styleText(style, text)

/** Control characters are escaped, never removed: a shell would run the text around them. */
export const escapeText = escapedLines

/** JSON, on one line unless indented, without anything that a terminal would interpret. */
export const safeJson = (value: unknown, indent?: number): string => escapeText(JSON.stringify(value, null, indent))

export { escapeLine, indentLines }

/** Prints a line. Only our own colours are interpreted by the terminal. */
export const printLine = (text = ''): void => writeOutput(`${safeOutput(text)}\n`)
export const printError = (text: string): void => void process.stderr.write(`${safeOutput(text)}\n`)

// oxlint-disable-next-line no-control-regex
const COLOURS = /(\x1B\[\d{1,2}m)/

export const safeOutput = (text: string): string => escapeOutput(maskSecrets(text))

const escapeOutput = (text: string): string =>
  text.includes('\x1B') && withStyle('red', 'x') !== 'x'
    ? text
        .split(COLOURS)
        .map((piece, index) => (index % 2 === 0 ? escapeText(piece) : piece))
        .join('')
    : escapeText(text)

export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  )
}

export const counted = (count: number, word: string): string =>
  `${count} ${count === 1 ? word : word.replace(/y$/, 'ie') + 's'}`

const LEVELS: Readonly<Record<Finding['level'], Style>> = { error: 'red', warning: 'yellow', info: 'dim' }

export function findingText({ level, place, message, fix, code }: Finding): string {
  const where = `${place.file}:${place.line}:${place.column}${place.key === '' ? '' : ` ${place.key}`}`
  return `${withStyle(LEVELS[level], level)} ${escapeText(where)}\n  ${escapeText(message)} [${code}]\n  → ${escapeText(fix)}`
}
