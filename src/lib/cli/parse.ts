import type { CommandRow } from './commands.ts'
import type { Flag } from './flags.ts'

export interface ParsedCommand {
  readonly row: CommandRow
  readonly argument: unknown
  readonly flags: Readonly<Record<string, unknown>>
}

/**
 * Parses a command line that is plain: names of commands and flags in full, each with the values that it takes. All else
 * is undefined here, and the parser that knows every form, prints help and explains mistakes gets it. That one takes
 * longer to load than a session takes to open.
 */
export function parsePlain(args: readonly string[], rows: readonly CommandRow[]): ParsedCommand | undefined {
  const row = rows.find(({ name }) => name === args.slice(0, name.includes(' ') ? 2 : 1).join(' '))
  if (row === undefined) return undefined
  const flags: Record<string, unknown> = {}
  for (const { flags: text } of row.flags) if (text.startsWith('--no-')) flags[keyOf(text)] = true
  const texts: string[] = []
  const rest = args.slice(row.name.split(' ').length)
  for (let at = 0; at < rest.length;) {
    const arg = rest[at++] ?? ''
    if (arg === '--') {
      texts.push(...rest.slice(at))
      break
    }
    if (!arg.startsWith('-')) {
      texts.push(arg)
      continue
    }
    const flag = row.flags.find(each => spellingsOf(each).includes(arg))
    if (flag === undefined) return undefined
    const values = rest.slice(at, at + countValues(flag, rest.slice(at)))
    if (!setFlag(flags, flag, values)) return undefined
    at += values.length
  }
  return takesTexts(row, texts) ? { row, argument: argumentIn(row, texts), flags } : undefined
}

const spellingsOf = ({ flags }: Flag): readonly string[] => flags.replace(/ <.*$/, '').split(', ')

const keyOf = (flags: string): string =>
  flags
    .replace(/ <.*$/, '')
    .replace(/^.*, /, '')
    .replace(/^--(?:no-)?/, '')
    .replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

const takesMany = ({ flags }: Flag): boolean => flags.endsWith('...>')

/** How many of these arguments are values of a flag. */
function countValues(flag: Flag, args: readonly string[]): number {
  if (!flag.flags.endsWith('>')) return 0
  const end = args.findIndex(arg => arg.startsWith('-'))
  return Math.min(end === -1 ? args.length : end, takesMany(flag) ? Number.POSITIVE_INFINITY : 1)
}

/** Whether it can be set to these values. */
function setFlag(flags: Record<string, unknown>, flag: Flag, values: readonly string[]): boolean {
  const key = keyOf(flag.flags)
  const before = flags[key]
  const [value] = values
  if (!flag.flags.endsWith('>')) flags[key] = !flag.flags.startsWith('--no-')
  else if (value === undefined || (flag.once === true && before !== undefined)) return false
  else if (flag.choices?.includes(value) === false) return false
  else if (flag.many === true || takesMany(flag)) flags[key] = [...((before as string[] | undefined) ?? []), ...values]
  else flags[key] = value
  return true
}

function takesTexts({ argument }: CommandRow, texts: readonly string[]): boolean {
  if (argument === undefined) return texts.length === 0
  if (argument.name.endsWith('...]')) return true
  return texts.length === 1 || (texts.length === 0 && argument.name.startsWith('['))
}

const argumentIn = ({ argument }: CommandRow, texts: readonly string[]): unknown =>
  argument?.name.endsWith('...]') === true ? texts : texts[0]
