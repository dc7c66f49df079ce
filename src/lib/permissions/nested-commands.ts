import { isAwk, isOpaque, isOpaqueWithin } from './unanalyzable.ts'
import {
  GIT_TAKES_WORDS,
  READS_AGAIN,
  RUNS_ARGUMENTS,
  RUNS_UNSEEN,
  SETS_VARIABLES,
  STEERS,
  TAKES_WORDS
} from './programs.ts'
import { assignmentsIn, commandsIn, LONGEST_COMMAND, type PlainCommand } from './simple-command.ts'

type Words = PlainCommand['words']
type Piece = Pick<PlainCommand, 'words' | 'said' | 'sources' | 'fed'>

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

  text(text: string, sure: boolean, depth: number, fed = false): void {
    if (text.length > LONGEST_COMMAND || depth > DEEPEST) return this.#stop(sure)
    const commands = commandsIn(text)
    if (commands === undefined && sure) this.unsure = true
    for (const command of commands ?? piecesOf(text)) {
      if (this.commands.length > MOST) return this.#stop(sure)
      this.#command(command, sure, depth, fed || command.fed)
    }
  }

  /** What is not looked at may be anything. */
  #stop(sure: boolean): void {
    if (sure) this.over = true
    else this.unsure = true
  }

  #command({ words: all, said, sources }: Piece, sure: boolean, depth: number, fed: boolean): void {
    const assigned = assignmentsIn(all)
    if (all.slice(0, assigned).some(word => STEERS.test(word ?? ''))) this.unsure = true
    const words = all.slice(assigned)
    const [first] = words
    if (words.length === 0) return
    if (first === undefined) this.unsure = true
    else {
      const program = nameOf(first)
      const sets = SETS_VARIABLES.has(program) || RUNS_ARGUMENTS.has(program)
      if (sets && said.some(word => STEERS.test(word) && (program === 'read' || word.includes('=')))) this.unsure = true
      // From here on, everything reads what stands there.
      if (program === 'exec' && sources.length > 0) this.unsure = true
      this.commands.push({ words, start: 0, sure })
      this.#arguments(program, words, sure, depth, fed)
    }
  }

  /** What a program does with its arguments: run them, take them as words, or who knows. */
  #arguments(program: string, words: Words, sure: boolean, depth: number, fed: boolean): void {
    const [, ...rest] = words
    const runs = RUNS_ARGUMENTS.has(program)
    const isUnseen = RUNS_UNSEEN.has(program) || (runs && rest.includes(undefined)) || isOpaque(program, rest, fed)
    if (isUnseen) this.unsure = true
    else if (TAKES_WORDS.has(program) || isAwk(program) || (program === 'git' && GIT_TAKES_WORDS.has(rest[0] ?? '')))
      return
    if (rest.length > MOST_WORDS) return this.#stop(sure && runs)
    const xargs = runs ? words.findIndex(word => word !== undefined && nameOf(word) === 'xargs') : -1
    if (xargs === -1) return this.#within(words, sure && runs, depth, fed)
    if (xargsRunsUnseen(words.slice(xargs + 1))) this.unsure = true
    // What it reads comes behind its words.
    this.#within([...words, undefined], sure, depth, fed)
  }

  /** Each of the words of a command may be a program that it runs. `sure`: it does run its words. */
  #within(words: Words, sure: boolean, depth: number, fed: boolean): void {
    const again = words.findIndex(word => word !== undefined && READS_AGAIN.has(nameOf(word)))
    words.forEach((word, index) => {
      if (word === undefined || index === 0) return
      this.commands.push({ words, start: index, sure })
      if (isOpaqueWithin(nameOf(word), words.slice(index + 1), fed, sure)) this.unsure = true
      const isRead = again !== -1 && index > again
      if ((isRead ? SPECIAL_OR_QUOTED : SPECIAL).test(word)) this.text(word, sure, depth + 1, fed)
      // `-c'rm x'`: which letter ends the option cannot be told.
      if (sure && isRead && /^-.*\s/s.test(word)) this.unsure = true
    })
    const evaluated = words.slice(words.indexOf('eval') + 1)
    if (words.includes('eval') && evaluated.length > 1)
      this.text(evaluated.map(word => word ?? '$x').join(' '), sure, depth + 1, fed)
  }
}

const SPECIAL = /[\s;&|$`(]/
const SPECIAL_OR_QUOTED = /[\s;&|$`('"\\]/

/** Options of xargs that take the next word as their value. */
const VALUE_OF_XARGS =
  /^(?:-[A-Za-z0]*[ILnPsdEa]|--(?:arg-file|delimiter|max-args|max-chars|max-procs|process-slot-var))$/

/** What it reads is the program itself (`xargs -I{} {} x`), or its program may run it (`xargs env`). */
function xargsRunsUnseen(rest: Words): boolean {
  let at = 0
  while (rest[at]?.startsWith('-') === true) at += VALUE_OF_XARGS.test(rest[at]!) ? 2 : 1
  const program = rest[at]
  if (program === undefined) return false
  const name = nameOf(program)
  if (RUNS_ARGUMENTS.has(name) || RUNS_UNSEEN.has(name)) return true
  const replaced = rest.slice(0, at).map((word = '') => word.replace(/^-[A-Za-z0]*[Ii]|^--replace=?/, ''))
  return ['{}', ...replaced].some(each => each !== '' && program.includes(each))
}

/** `/bin/rm` and `./rm` are `rm`, as far as a rule that refuses is concerned. */
export const nameOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

const STARTERS = /^(?:(?:!|\[\[|case|coproc|do|elif|else|for|function|if|in|select|then|time|until|while)\s+)+/

/**
 * All that may be a command in a text that cannot be read: quotes are taken away, and whatever may separate two commands
 * does.
 */
export function piecesOf(text: string): readonly Piece[] {
  const bare = text.replaceAll(/\\\n|\$?["']|\\/g, '')
  const pieces = new Set(bare.split(/[;&|\n()`{}<>]|\$\(/).map(piece => piece.trim()))
  pieces.delete('')
  const fed = /[|<]/.test(bare)
  return Array.from(pieces).flatMap(piece => {
    const words = piece.replace(STARTERS, '').split(/\s+/)
    const readings = piece.includes(',') ? [words, words.flatMap(word => word.split(','))] : [words]
    return readings.map(each => ({ words: each, said: each, sources: [], fed }))
  })
}
