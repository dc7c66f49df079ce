/**
 * Reads as much of the shell's language as can be read without its grammar: words, quotes, variables, redirections and
 * what separates commands. Whatever else stands in a text, nothing is said about it.
 */

/** One command. What cannot be known before it runs is undefined. */
export interface PlainCommand {
  readonly words: readonly (string | undefined)[]
  /** The files that it writes to by `>`, and reads by `<`. */
  readonly targets: readonly (string | undefined)[]
  readonly sources: readonly (string | undefined)[]
  /** All of these words, with what is not known as it is written. */
  readonly said: readonly string[]
  /** It is given something to read: by `|` or `<`. */
  readonly fed: boolean
}

/** Beyond this nobody looks any further. */
export const LONGEST_COMMAND = 65_536
const MOST_COMMANDS = 2_000

/** What is not seen, or is taken for something else: control characters, odd blanks, directions, zero widths. */
const ODD = /(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u
const WORDS_OF_THE_SHELL = new Set(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while'.split(' ')
)

const BLANK = /[ \t]+|\\\n/y
const SEPARATOR = /&&|\|\||\|&?|;(?!;)|&(?!>)|\n/y
/** Redirections that lead nowhere, or from one stream to the other. */
const NOWHERE = /(?:[012]?>&[012]|(?:&|[12])?>>?[ \t]*\/dev\/null|<[ \t]*\/dev\/null)(?=[ \t\n;&|]|$)/y
const MAY_REDIRECT = new Set('0123456789&<>')
const WRITE = /(?:\d*|&)>(?:>|\|)?(?![>&(])[ \t]*/y
const READ = /\d*<(?![<>&(])[ \t]*/y

/** The parts of a word, and what each of them says: its text, or undefined where only the shell knows. */
const PARTS: readonly (readonly [RegExp, (match: RegExpExecArray) => string | undefined])[] = [
  [/[^\s'"\\$`(){}<>;&|*?[\]!#~]+/y, ([text]) => text],
  [/'([^']*)'/y, ([, text]) => text],
  [
    /"((?:[^"\\$`]|\\[^])*)"/y,
    ([, text]) => text!.replaceAll(/\\([\\"$`\n])/g, (_, char: string) => (char === '\n' ? '' : char))
  ],
  [/"(?:[^"\\$`]|\\[^]|\$(?:\w+|\{\w+\}|[?#@*!$-]))*"/y, () => undefined],
  [/\\\n/y, () => ''],
  [/\\([\x20-\x7E])/y, ([, char]) => char],
  [/\$(?:\w+|\{\w+\}|[?#@*!$-])/y, () => undefined],
  [/[*?[\]]/y, () => undefined],
  [/\{[^\s,.'"\\$`{}()<>;&|*?[\]]*\}/y, ([text]) => text]
]

/** The commands of a text, one after the other; undefined where it holds what cannot be read. */
export function commandsIn(text: string): readonly PlainCommand[] | undefined {
  if (text.length > LONGEST_COMMAND || ODD.test(text)) return undefined
  const commands: PlainCommand[] = []
  let command = EMPTY(false)
  let separator: RegExpExecArray | null
  let into: 'words' | 'targets' | 'sources' = 'words'
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at += match[0].length
    return match
  }
  while (at < text.length) {
    if (take(BLANK) !== null) continue
    const redirects = MAY_REDIRECT.has(text[at]!)
    if (redirects && take(NOWHERE) !== null) continue
    if (redirects && take(WRITE) !== null) into = 'targets'
    else if (redirects && take(READ) !== null) {
      into = 'sources'
      command.fed = true
    } else if (into === 'words' && (separator = take(SEPARATOR)) !== null) {
      commands.push(command)
      if (commands.length >= MOST_COMMANDS) return undefined
      command = EMPTY(/^\|&?$/.test(separator[0]))
    } else {
      const word = wordAt(text, at)
      if (word === undefined) return undefined
      at = word.end
      command[into].push(word.text)
      command.said.push(word.said)
      into = 'words'
      if (WORDS_OF_THE_SHELL.has(command.words[0] ?? '')) return undefined
    }
  }
  return into === 'words' ? [...commands, command] : undefined
}

type Words = (string | undefined)[]
const EMPTY = (fed: boolean): { words: Words; targets: Words; sources: Words; said: string[]; fed: boolean } => ({
  words: [],
  targets: [],
  sources: [],
  said: [],
  fed
})

interface Word {
  readonly text: string | undefined
  readonly said: string
  readonly end: number
}

function wordAt(text: string, start: number): Word | undefined {
  let [at, said, known] = [start, '', true]
  for (;;) {
    const part = partAt(text, at, at === start, /[=:]$/.test(said))
    if (part === undefined) break
    said += part.text ?? text.slice(at, part.end).replaceAll('"', '')
    known &&= part.text !== undefined
    at = part.end
  }
  return at === start ? undefined : { text: known ? said : undefined, said, end: at }
}

function partAt(text: string, at: number, first: boolean, afterSign: boolean): Omit<Word, 'said'> | undefined {
  const char = text[at]
  // Somebody's home; a remark; a command turned round.
  if (char === '~') return { text: first || afterSign ? undefined : char, end: at + 1 }
  if (char === '#' || char === '!') return first ? undefined : { text: char, end: at + 1 }
  for (const [pattern, says] of PARTS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) return { text: says(match), end: at + match[0].length }
  }
  return undefined
}

const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[.*\])?\+?=/s

/** How many of the words only set variables for the rest. */
export const assignmentsIn = (words: PlainCommand['words']): number => {
  const first = words.findIndex(word => word === undefined || !ASSIGNMENT.test(word))
  return first === -1 ? words.length : first
}

/**
 * The words of a text that is provably one simple command: nothing separates, substitutes, expands, assigns or writes,
 * and each character can be seen. Undefined means: it may be one, or not.
 */
export function simpleCommand(text: string): readonly string[] | undefined {
  // All rules ask about the same text.
  if (last?.text !== text) last = { text, words: wordsOf(text) }
  return last.words
}

let last: { readonly text: string; readonly words: readonly string[] | undefined } | undefined

function wordsOf(text: string): readonly string[] | undefined {
  const trimmed = text.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '')
  if (trimmed.includes('\n')) return undefined
  const [command, more] = commandsIn(trimmed) ?? []
  if (command === undefined || more !== undefined || command.targets.length + command.sources.length > 0)
    return undefined
  const words = command.words.filter(word => word !== undefined)
  if (words.length < command.words.length || !/^[\x21-\x7E]+$/.test(words[0] ?? '')) return undefined
  return assignmentsIn(words) > 0 ? undefined : words
}
