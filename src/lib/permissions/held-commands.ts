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
import { assignmentsIn, commandsIn, LONGEST_COMMAND, type PlainCommand } from './simple-command.ts'

type Words = PlainCommand['words']

/** A command that a text runs, or may run: what stands in `words` from `start` on. */
export interface HeldCommand {
  readonly words: Words
  readonly start: number
  /** It is run, and not just named. */
  readonly sure: boolean
}

/** What a text may run. */
export interface Holding {
  readonly commands: readonly HeldCommand[]
  /** It may run what nobody can tell by looking at it. */
  readonly unsure: boolean
  /** There is more in it than was looked at. */
  readonly over: boolean
}

const DEEPEST = 4
const MOST_WORDS = 1_000
const MOST = 20_000

let last: { readonly text: string; readonly holding: Holding } | undefined

/** All commands that a text may run, however they are wrapped. */
export function commandsHeldBy(text: string): Holding {
  // All rules ask about the same text.
  if (last?.text !== text) {
    const looking = new Looking()
    looking.text(text, true, 0)
    last = { text, holding: looking }
  }
  return last.holding
}

class Looking implements Holding {
  readonly commands: HeldCommand[] = []
  unsure = false
  over = false

  text(text: string, sure: boolean, depth: number): void {
    if (text.length > LONGEST_COMMAND || depth > DEEPEST) return this.#stop(sure)
    const commands = commandsIn(text)
    if (commands === undefined && sure) this.unsure = true
    for (const words of commands?.map(each => each.words) ?? piecesOf(text)) {
      if (this.commands.length > MOST) return this.#stop(sure)
      this.#command(words, sure, depth)
    }
  }

  /** What is not looked at may be anything. */
  #stop(sure: boolean): void {
    if (sure) this.over = true
    else this.unsure = true
  }

  #command(all: Words, sure: boolean, depth: number): void {
    const assigned = assignmentsIn(all)
    if (all.slice(0, assigned).some(word => STEERS.test(word ?? ''))) this.unsure = true
    const words = all.slice(assigned)
    const [first, ...rest] = words
    if (words.length === 0) return
    if (first === undefined) this.unsure = true
    else {
      this.commands.push({ words, start: 0, sure })
      this.#arguments(nameOf(first), words, rest, sure, depth)
    }
  }

  /** What a program does with its arguments: run them, take them as words, or who knows. */
  #arguments(program: string, words: Words, rest: Words, sure: boolean, depth: number): void {
    const runs = RUNS_ARGUMENTS.has(program)
    const isOpaque =
      turnIn(program, rest) !== undefined ||
      RUNS_UNSEEN.has(program) ||
      (runs && rest.includes(undefined)) ||
      (INTERPRETERS.has(program) && rest.some(word => word === undefined || CODE_OPTION.test(word))) ||
      (SHELLS.has(program) && rest.every(word => word?.startsWith('-') === true))
    if (isOpaque) this.unsure = true
    else if (TAKES_WORDS.has(program) || (program === 'git' && GIT_TAKES_WORDS.has(rest[0] ?? ''))) return
    if (rest.length > MOST_WORDS) return this.#stop(sure && runs)
    rest.forEach((word, index) => {
      if (word === undefined) return
      this.commands.push({ words, start: index + 1, sure: sure && runs })
      if (/[\s;&|$`(]/.test(word)) this.text(word, sure && runs, depth + 1)
    })
  }
}

/** `/bin/rm` and `./rm` are `rm`, as far as a rule that refuses is concerned. */
export const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

const STARTERS = /^(?:(?:!|\[\[|case|coproc|do|elif|else|for|function|if|in|select|then|time|until|while)\s+)+/

/**
 * All that may be a command in a text that cannot be read: quotes are taken away, and whatever may separate two commands
 * does.
 */
function piecesOf(text: string): readonly (readonly string[])[] {
  const bare = text.replaceAll(/\\\n|\$?["']|\\/g, '')
  const pieces = new Set(bare.split(/[;&|\n()`{}<>]|\$\(/).map(piece => piece.trim()))
  pieces.delete('')
  return Array.from(pieces).flatMap(piece => {
    const words = piece.replace(STARTERS, '').split(/\s+/)
    return piece.includes(',') ? [words, words.flatMap(word => word.split(','))] : [words]
  })
}

/** Every word that may be a path in a text: arguments, what stands behind a `=`, and what is written to. */
export function wordsIn(text: string): readonly string[] {
  const words = commandsIn(text)?.flatMap(({ said }) => said) ?? piecesOf(text).flat()
  return words.flatMap(word => {
    const path = word.replace(/^\$(?:HOME\b|\{HOME\})/, '~')
    return path.includes('=') ? [path, path.slice(path.indexOf('=') + 1)] : [path]
  })
}
