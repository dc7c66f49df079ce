import { dangerousOptions } from '../../shell/dangerous-options.ts'
import { isGitOf, isProgramOf } from '../../shell/programs.ts'
import { simpleCommand } from '../../shell/command-words.ts'

/**
 * What is known about a command without running it. Nothing is known unless it is one simple command whose words the
 * shell does not change.
 */

/** Only plain and quoted words, starting with the name of a program. */
const PLAIN = /^[a-z][a-z0-9]*(?: +(?:[\w.,/:=@%+-]+|'[^'\n\0]*'|"[^"$`\\!\n\0]*"))*$/

const plainWords = (command: string): readonly string[] =>
  PLAIN.test(command.trim()) ? (simpleCommand(command) ?? []) : []

/** Git accepts abbreviated options, some of which write or start programs: these do neither. */
const GIT_OPTIONS = new RegExp(
  `^(?:-[sbpn]+|-n?\\d+|-U\\d+|--|--(?:${[
    'all branch cached decorate graph merges name-only name-status no-color no-merges no-patch numstat oneline',
    'patch porcelain reverse short shortstat staged stat word-diff'
  ]
    .join(' ')
    .replaceAll(' ', '|')})|--max-count=\\d+)$`
)

/** Whether it is one simple command of a list that changes nothing, and reads nothing outside its folder. */
export function isHarmless(command: string): boolean {
  const [program = '', ...args] = plainWords(command)
  if (args.some(leadsAway)) return false
  if (isProgramOf('harmless', program)) return true
  if (program === 'rg') return dangerousOptions(program, args).length === 0
  return program === 'git' && isHarmlessGit(args)
}

function isHarmlessGit([name = '', ...args]: readonly string[]): boolean {
  return isGitOf('harmless', name) && args.every(arg => !arg.startsWith('-') || GIT_OPTIONS.test(arg))
}

const leadsAway = (word: string): boolean =>
  /^[/~]|[=:][/~]|\.\./.test(word) || (word.startsWith('-') && word.includes('/'))

export const isSilent = (command: string): boolean => isProgramOf('silent', plainWords(command)[0] ?? '')

const MEANINGS: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false'
}

/** The meaning of an exit code other than 0 that is not a failure. */
export function meaningOf(command: string, code: number): string | undefined {
  const program = code === 1 ? (plainWords(command)[0] ?? '') : ''
  return Object.hasOwn(MEANINGS, program) ? MEANINGS[program] : undefined
}
