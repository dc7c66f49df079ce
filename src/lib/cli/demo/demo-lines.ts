import { escapeText, printLine, withStyle } from '../print.ts'
import { hangIndent } from '../terminal/width.ts'

type Style = Parameters<typeof withStyle>[0]

const LEFT = 13
const WIDEST = 80

/** The tour looks the same in a pipe and in every terminal that is wide enough. */
const width = (): number => Math.max(40, Math.min(process.stdout.columns ?? WIDEST, WIDEST))

const wrap = (mark: string, text: string): string => hangIndent(mark, text, width()).replaceAll(/ +$/gm, '')

export function heading(text: string): void {
  printLine()
  printLine(withStyle('bold', wrap('', text)))
}

export const paragraph = (text: string): void => printLine(wrap('', text))

/** A command, on a line of its own so that it can be copied. */
export function command(text: string, words: string): void {
  printLine(withStyle('dim', wrap('  # ', words)))
  printLine(`  ${text}`)
}

/** `  refused      by no-rm-rf: …`, with the label in a colour. */
export function line(label: string, text: string, style: Style): void {
  const mark = `  ${label.padEnd(LEFT)}`
  const lines = wrap(mark, escapeText(text.replaceAll(/\s+/g, ' ')))
  printLine(withStyle(style, mark) + lines.slice(mark.length))
}
