import { globOf } from '../util/glob.ts'
import {
  CODE_OPTION,
  GIT_TAKES_WORDS,
  INTERPRETERS,
  RUNS_ARGUMENTS,
  RUNS_UNSEEN,
  SHELLS,
  STEERS,
  TAKES_WORDS,
  turnIn
} from './programs.ts'
import { assignmentsIn, commandsIn, LONGEST_COMMAND, simpleCommand, type PlainCommand } from './simple-command.ts'

/** Whether something is meant. `maybe`: it cannot be told. */
export type Fit = 'yes' | 'maybe' | 'no'

/** The stronger of two. */
export const stronger = (a: Fit, b: Fit): Fit => (a === 'yes' || b === 'yes' ? 'yes' : a === 'maybe' ? a : b)

/** `git *` and `git:*` fit `git` alone, too; `git*` fits `gitk`. Other patterns fit all or nothing. */
export function commandGlob(specifier: string): (text: string) => boolean {
  const pattern = specifier.trim().replace(/:\*$/, ' *')
  const whole = pattern.endsWith(' *') ? pattern.slice(0, -2) : undefined
  const fits = globOf(pattern)
  return text => text === whole || fits(text)
}

/**
 * For rules that allow: it must be provably one simple command, and the whole of it must fit. Options that turn a program
 * to something else must stand in the rule.
 */
export function allowsCommand(specifier: string, text: string): boolean {
  const words = simpleCommand(text)
  if (words === undefined) return false
  const turn = turnIn(nameOf(words[0]!), words.slice(1))
  if (turn !== undefined && !specifier.includes(turn)) return false
  const fits = commandGlob(specifier)
  return fits(text.trim()) || fits(words.map(quoted).join(' '))
}

/** A word as one would type it. */
const quoted = (word: string): string => (/^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const DEEPEST = 4
const MOST_WORDS = 1_000

/** For rules that refuse or ask: any command in the text that may be the one. Limits only make it stricter. */
export function concernsCommand(specifier: string, text: string): Fit {
  return new Search(specifier).text(text, 0)
}

/** One search for the command that a rule speaks of. */
class Search {
  readonly #fits: (text: string) => boolean
  readonly #program: (name: string) => boolean
  readonly #options: ReadonlySet<string>
  readonly #words: readonly string[]

  constructor(specifier: string) {
    this.#fits = commandGlob(specifier)
    const [program = '', ...rest] = specifier.trim().replace(/:\*$/, ' *').split(/\s+/)
    this.#program = globOf(program)
    this.#options = optionsIn(rest)
    this.#words = rest.filter(word => !word.startsWith('-') && !word.includes('*'))
  }

  text(text: string, depth: number): Fit {
    if (text.length > LONGEST_COMMAND || depth > DEEPEST) return 'yes'
    const commands = commandsIn(text)
    if (commands !== undefined)
      return commands.reduce<Fit>(
        (so, each) => (so === 'yes' ? so : stronger(so, this.#command(each.words, depth))),
        'no'
      )
    return piecesOf(text).some(words => this.#command(words, depth) === 'yes') ? 'yes' : 'maybe'
  }

  #command(all: PlainCommand['words'], depth: number): Fit {
    const assigned = assignmentsIn(all)
    const words = all.slice(assigned)
    const steered: Fit = all.slice(0, assigned).some(word => STEERS.test(word ?? '')) ? 'maybe' : 'no'
    if (words.length === 0) return steered
    const [first, ...rest] = words
    if (first === undefined) return 'maybe'
    const program = nameOf(first)
    const itself = stronger(this.#from(program, rest), this.#from(first, rest))
    return itself === 'yes' ? itself : stronger(stronger(itself, steered), this.#arguments(program, rest, depth))
  }

  #from(program: string, rest: PlainCommand['words']): Fit {
    if (this.#fits([program, ...rest.map(word => word ?? '$')].join(' '))) return 'yes'
    return this.#program(program) && this.#isNear(rest) ? 'maybe' : 'no'
  }

  /** The same options in another order or spelling, or words that nobody knows yet. */
  #isNear(rest: PlainCommand['words']): boolean {
    if (rest.includes(undefined)) return true
    const words = rest.filter(word => word !== undefined)
    const options = optionsIn(words)
    if (!this.#words.every(word => words.includes(word))) return false
    return (
      this.#options.size > 0 && [...this.#options].every(option => [...options].some(each => isAlike(option, each)))
    )
  }

  /** What a program does with its arguments: run them, take them as words, or who knows. */
  #arguments(program: string, rest: PlainCommand['words'], depth: number): Fit {
    const turned: Fit = turnIn(program, rest) === undefined ? 'no' : 'maybe'
    if (turned === 'maybe' && !RUNS_ARGUMENTS.has(program)) return turned
    if (TAKES_WORDS.has(program) || (program === 'git' && GIT_TAKES_WORDS.has(rest[0] ?? ''))) return 'no'
    if (RUNS_UNSEEN.has(program) && program !== 'eval') return 'maybe'
    if (INTERPRETERS.has(program) && rest.some(word => word === undefined || CODE_OPTION.test(word))) return 'maybe'
    if (SHELLS.has(program) && rest.every(word => word?.startsWith('-') === true)) return 'maybe'
    const found = this.#among(rest, depth)
    if (RUNS_ARGUMENTS.has(program)) return stronger(found, rest.includes(undefined) ? 'maybe' : turned)
    return found === 'no' ? 'no' : 'maybe'
  }

  /** The command among the arguments of another: from some word on, or within one. */
  #among(words: PlainCommand['words'], depth: number): Fit {
    if (words.length > MOST_WORDS) return 'yes'
    let found: Fit = 'no'
    words.forEach((word, index) => {
      if (word === undefined || found === 'yes') return
      if (this.#program(nameOf(word))) found = stronger(found, this.#from(nameOf(word), words.slice(index + 1)))
      if (/[\s;&|$`(]/.test(word)) found = stronger(found, this.text(word, depth + 1))
    })
    return found
  }
}

/** `/bin/rm` and `./rm` are `rm`, as far as a rule that refuses is concerned. */
const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

/** `-rf` is `r` and `f`; `--force` is `force`. */
const optionsIn = (words: readonly string[]): ReadonlySet<string> =>
  new Set(
    words.flatMap(word =>
      word.startsWith('--') ? [word.slice(2).split('=')[0]!] : /^-[^*]/.test(word) ? Array.from(word.slice(1)) : []
    )
  )

/** `-f`, `--force` and `--for` may be one and the same. */
const isAlike = (a: string, b: string): boolean =>
  a.length === 1 || b.length === 1 ? a[0]!.toLowerCase() === b[0]?.toLowerCase() : a.startsWith(b) || b.startsWith(a)

const STARTERS = /^(?:(?:!|\[\[|case|coproc|do|elif|else|for|function|if|in|select|then|time|until|while)\s+)+/

/**
 * All that may be a command in a text that cannot be read: quotes are taken away, and whatever may separate two commands
 * does.
 */
function piecesOf(text: string): readonly (readonly string[])[] {
  const bare = text.replaceAll(/\\\n|\$?["']|\\/g, '')
  const pieces = bare.split(/[;&|\n()`{}<>]|\$\(/)
  return pieces.flatMap(piece => {
    const words = piece.trim().replace(STARTERS, '').split(/\s+/)
    return piece.includes(',') ? [words, words.flatMap(word => word.split(','))] : [words]
  })
}

/** Every word that may be a path in a text: arguments, what stands behind a `=`, and what is written to. */
export function wordsIn(text: string): readonly string[] {
  const commands = commandsIn(text)
  const words =
    commands === undefined
      ? piecesOf(text).flat()
      : commands
          .flatMap(({ words: each, targets, sources }) => [...each, ...targets, ...sources])
          .filter(word => word !== undefined)
  return words.flatMap(word => (word.includes('=') ? [word, word.slice(word.indexOf('=') + 1)] : [word]))
}
