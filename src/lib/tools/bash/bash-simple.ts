/**
 * What can be said of a command without running it. Whatever is not one simple command, with words that the shell takes
 * as they stand, says nothing.
 */

/** A word that the shell changes in no way: plain, or in quotes from end to end. */
const WORD = /(?:[\w.,/:=@%+-]+|'[^'\n\0]*'|"[^"$`\\!\n\0]*")(?= |$)/y

/** The words of one simple command; undefined for all others. */
function wordsOfCommand(command: string): readonly string[] | undefined {
  const text = command.trim()
  const words: string[] = []
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const found = WORD.exec(text)?.[0]
    if (found === undefined) return undefined
    words.push(/^['"]/.test(found) ? found.slice(1, -1) : found)
    while (text[WORD.lastIndex] === ' ') WORD.lastIndex++
  }
  // A quoted word may be any program, and one with `=` is an assignment.
  return /^[a-z][a-z0-9]*(?: |$)/.test(text) ? words : undefined
}

/** Programs that change nothing and start nothing, whatever they are told. */
const HARMLESS = new Set(
  'basename cat cmp cut dirname echo false grep head id ls nl printf pwd readlink stat tail true uname wc whoami'.split(
    ' '
  )
)

/** Options of ripgrep that start programs. */
const STARTS = /^(?:--pre|--hostname-bin|--search-zip|-[^-]*z)/

const GIT_COMMANDS = new Set(['status', 'log', 'diff', 'show'])
/** Git takes shortened names of options, some of which write or start programs: these are known to do neither. */
const GIT_OPTIONS = new RegExp(
  `^(?:-[sbpn]+|-n?\\d+|-U\\d+|--|--(?:${[
    'all branch cached decorate graph merges name-only name-status no-color no-merges no-patch numstat oneline',
    'patch porcelain reverse short shortstat staged stat word-diff'
  ]
    .join(' ')
    .replaceAll(' ', '|')})|--max-count=\\d+)$`
)

/** It is one simple command of a few that are known to change nothing, and it looks at nothing outside of its folder. */
export function isHarmless(command: string): boolean {
  const [program = '', ...args] = wordsOfCommand(command) ?? []
  if (args.some(leadsAway)) return false
  if (HARMLESS.has(program)) return true
  if (program === 'rg') return !args.some(arg => STARTS.test(arg))
  return program === 'git' && isHarmlessGit(args)
}

function isHarmlessGit([name = '', ...args]: readonly string[]): boolean {
  return GIT_COMMANDS.has(name) && args.every(arg => !arg.startsWith('-') || GIT_OPTIONS.test(arg))
}

/** A path from the root, from a home, or upwards; also as a part of an option. */
const leadsAway = (word: string): boolean =>
  /^[/~]|[=:][/~]|\.\./.test(word) || (word.startsWith('-') && word.includes('/'))

/** Programs that say nothing when all is well. */
const SILENT = new Set('cd chgrp chmod chown cp ln mkdir mv rm rmdir touch'.split(' '))

/** Nobody should expect it to print anything. */
export const isSilent = (command: string): boolean => SILENT.has(wordsOfCommand(command)?.[0] ?? '')

const MEANINGS: Readonly<Record<string, string>> = {
  grep: 'No matches found',
  rg: 'No matches found',
  diff: 'Files differ',
  cmp: 'Files differ',
  test: 'Condition is false'
}

/** What an exit code other than 0 means where it is no failure. */
export function meaningOf(command: string, code: number): string | undefined {
  const program = code === 1 ? (wordsOfCommand(command)?.[0] ?? '') : ''
  return Object.hasOwn(MEANINGS, program) ? MEANINGS[program] : undefined
}
