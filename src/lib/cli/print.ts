import { styleText, stripVTControlCharacters } from 'node:util'
import type { Finding } from '../settings/finding.ts'

type Style = Parameters<typeof styleText>[0]

/** Text in a style, where standard output is a terminal that wants colours. */
export const styled = (style: Style, text: string): string => styleText(style, text)

/** What comes from a hook may hold anything; on a terminal it is shown, not obeyed. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}]/gu, char =>
    char === '\n' || char === '\t' ? char : `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`
  )
}

export const say = (text = ''): void => void process.stdout.write(`${text}\n`)
export const complain = (text: string): void => void process.stderr.write(`${text}\n`)

/** Columns as wide as they must be, and the last one as long as it is. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd()
  )
}

const LEVELS: Readonly<Record<Finding['level'], Style>> = { error: 'red', warning: 'yellow', info: 'dim' }

/** A finding: where, what, and what to do. */
export function printFinding({ level, place, message, fix, code }: Finding): string {
  const where = `${place.file}:${place.line}:${place.column}${place.key === '' ? '' : ` ${place.key}`}`
  return `${styled(LEVELS[level], level)} ${harmless(where)}\n  ${harmless(message)} [${code}]\n  → ${harmless(fix)}`
}
