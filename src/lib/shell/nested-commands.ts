import { awkRuns } from './awk-program.ts'
import type { Form } from './form.ts'
import { parseShell, type Leaf, type ShellWord } from './parse.ts'
import { isCodeOption, isProgramOf, programName, rereadsArguments, runsArguments } from './programs.ts'
import { programRow } from './row.ts'
import { formOf, MOST_WORDS } from './read-form.ts'
import { LONGEST_COMMAND, roughLeaves } from './split-words.ts'
import { isAssignment, mayRunText, steers } from './variables.ts'
import { xargsRunsUnseen } from './xargs.ts'

/** Undefined where only the shell knows the word. */
export type KnownWords = readonly (string | undefined)[]

const knownWords = (words: readonly ShellWord[]): KnownWords =>
  words.map(({ text, known }) => (known ? text : undefined))

/** The command is `words` from `start` on. */
export interface HeldCommand {
  readonly words: KnownWords
  readonly start: number
  /** It is run, and not just mentioned. */
  readonly sure: boolean
}

export interface Holding {
  readonly commands: readonly HeldCommand[]
  /** Their programs, as written and without a path. */
  readonly programs: ReadonlySet<string>
  /** It may run something that the text does not show. */
  readonly unsure: boolean
  /** A limit was reached: there is more in the text. */
  readonly over: boolean
  /** Texts within the text that a shell runs. */
  readonly texts: readonly string[]
  /** A shell runs something that is nowhere in the text. */
  readonly isBlind: boolean
}

const DEEPEST = 4
const MOST_HELD_WORDS = 1_000
const MOST = 20_000
const MOST_TEXTS = 100

let last: { readonly text: string; readonly holding: Holding } | undefined

export function commandsHeldBy(text: string): Holding {
  // All rules ask about the same text.
  if (last?.text !== text) {
    const looking = new Looking()
    looking.text(text, { sure: true, depth: 0, fed: false })
    last = { text, holding: looking }
  }
  return last.holding
}

interface Reached {
  readonly sure: boolean
  readonly depth: number
  readonly fed: boolean
}

class Looking implements Holding {
  readonly commands: HeldCommand[] = []
  readonly programs = new Set<string>()
  readonly texts: string[] = []
  unsure = false
  over = false
  isBlind = false
  readonly #seen = new Set<string>()

  text(text: string, at: Reached): void {
    const { sure } = at
    if (text.length > LONGEST_COMMAND || at.depth > DEEPEST) return this.#stop(sure)
    if (sure && at.depth > 0 && this.texts.length < MOST_TEXTS) this.texts.push(text)
    const { leaves, flat, readable } = parseShell(text)
    const plain = flat && leaves.every(isFlat)
    if (!plain && sure) this.unsure = true
    // A rule that refuses also looks at what would be a command if the grammar were another.
    for (const leaf of plain || !readable ? leaves : [...leaves, ...roughLeaves(text)]) {
      if (this.commands.length > MOST) return this.#stop(sure)
      this.#command(leaf, { ...at, fed: at.fed || leaf.fed })
    }
  }

  #hold(command: HeldCommand): void {
    const word = command.words[command.start] ?? ''
    this.commands.push(command)
    this.programs.add(word).add(programName(word))
  }

  /** What is not read may be anything. */
  #stop(sure: boolean): void {
    if (sure) this.over = true
    else this.unsure = true
  }

  #command({ assignments, words: all, redirections }: Leaf, at: Reached): void {
    const assigned = [...assignments, ...all.slice(0, 1).filter(({ text }) => isAssignment(text))]
    if (assigned.some(({ text, known }) => !known || mayRunText(text))) this.unsure = true
    const words = knownWords(all)
    const [first] = words
    if (words.length > 0 && first === undefined) this.unsure = this.isBlind = true
    if (first === undefined) return
    const program = programName(first)
    const given = redirections.filter(({ kind, target }) => kind === 'text' && target.known)
    if (words.some(word => word !== undefined && isProgramOf('shell', programName(word))))
      for (const { target } of given) this.text(target.text, { ...at, depth: at.depth + 1, fed: false })
    const isSetter = isProgramOf('setsVariables', program)
    const targets = redirections.map(({ target }) => target)
    if ((isSetter || runsArguments(program)) && [...all, ...targets].some(({ text }) => setsMore(program, text)))
      this.unsure = true
    // An index is computed, and so is what an integer or a reference is set to.
    if (isSetter && all.slice(1).some(({ text }) => /^[-+]\w*[in]|^[^=]*\[/.test(text))) this.unsure = true
    // From here on, everything reads what stands there.
    if (program === 'exec' && redirections.some(({ kind }) => kind === 'read')) this.unsure = true
    // The same command again says nothing new.
    const key = `${at.sure}${at.fed}${words.join('\0')}`
    if (redirections.length === 0 && this.#seen.has(key)) return
    this.#seen.add(key)
    this.#hold({ words, start: 0, sure: at.sure })
    for (const { kind, target } of isProgramOf('shell', program) ? redirections : [])
      if (kind === 'text') this.text(target.text, { ...at, depth: at.depth + 1 })
    this.#arguments(program, words, at)
    const isShown = given.length > 0 && given.length === redirections.length
    const starts = runsArguments(program) ? words.keys() : [0]
    if (Array.from(starts).some(index => isBlind(words.slice(index), at.fed && !isShown))) this.isBlind = true
  }

  #arguments(program: string, words: KnownWords, at: Reached): void {
    const [, ...rest] = words
    const runs = runsArguments(program)
    const form = rowForm(program, rest)
    if (
      isProgramOf('unseen', program) ||
      isProgramOf('runsText', program) ||
      (runs && rest.includes(undefined)) ||
      isOpaque(program, rest, at.fed)
    )
      this.unsure = true
    // Its words are just words: `echo rm x` runs no rm.
    else if (form !== undefined && !(form.isKnown && form.does === 'runs') && form.commands.length === 0) return
    // What a program takes that nothing is known about may be code.
    else if (isProgramOf('awk', program)) return
    else if (form === undefined && !runs && rest.some(word => CODE.test(word ?? ''))) this.unsure = true
    // The same for one that it runs.
    const own = rest.findIndex(
      word => word !== undefined && !/^[-\d]|=/.test(word) && !runsArguments(programName(word))
    )
    if (runs && form === undefined && takesUnknownCode(rest.slice(own))) this.unsure = true
    if (rest.length > MOST_HELD_WORDS) return this.#stop(at.sure && runs)
    if (isProgramOf('wrapper', program)) this.#wrapped(words, at)
    const xargs = runs ? words.findIndex(word => word !== undefined && programName(word) === 'xargs') : -1
    if (xargs === -1) return this.#within(words, { ...at, sure: at.sure && runs })
    if (xargsRunsUnseen(words.slice(xargs + 1))) this.unsure = true
    // What it reads comes behind its words.
    this.#within([...words, undefined], at)
  }

  /** The program behind a wrapper is looked at like any other. Where options end is not always known. */
  #wrapped(words: KnownWords, at: Reached): void {
    if (at.depth >= DEEPEST) return this.#stop(false)
    const { does, isKnown, commands } = formOf(wordsOfKnown(words))
    for (const inner of isKnown && does === 'wraps' ? commands : guessedCommands(words)) {
      const leaf = { assignments: [], words: inner, redirections: [], fed: at.fed, feeds: false }
      this.#command(leaf, { ...at, sure: false, depth: at.depth + 1 })
    }
  }

  /** Each word may be a program that the command runs. `sure`: it runs its words. */
  #within(words: KnownWords, { sure, depth, fed }: Reached): void {
    const inner = { sure, depth: depth + 1, fed }
    const again = words.findIndex(word => word !== undefined && rereadsArguments(programName(word)))
    words.forEach((word, index) => {
      if (word === undefined || index === 0) return
      this.#hold({ words, start: index, sure })
      // `--run=rm`
      const glued = /^[^=:\s]*[=:]([^\s]+)$/.exec(word)?.[1]
      if (glued !== undefined) this.#hold({ words: [glued, ...words.slice(index + 1)], start: 0, sure: false })
      if (isOpaqueWithin(programName(word), words.slice(index + 1), fed, sure)) this.unsure = true
      const isRead = again !== -1 && index > again
      if ((isRead ? SPECIAL_OR_QUOTED : SPECIAL).test(word)) this.text(word, inner)
      // `-c'rm x'`: which letter ends the option is unknown.
      if (sure && isRead && /^-.*\s/s.test(word)) this.unsure = true
    })
    const evaluated = words.slice(words.indexOf('eval') + 1)
    if (words.includes('eval') && evaluated.length > 0) this.text(evaluated.map(word => word ?? '$x').join(' '), inner)
  }
}

export const wordsOfKnown = (words: KnownWords): readonly ShellWord[] =>
  words.map(word => ({ text: word ?? '$', known: word !== undefined }))

/** Behind the options of a wrapper. The first word may be the value of an option, or a duration. */
function guessedCommands(words: KnownWords): readonly (readonly ShellWord[])[] {
  const isOption = (index: number): boolean => words[index]?.startsWith('-') === true
  const starts = words.flatMap((word, index) =>
    index > 0 && !isOption(index) && !isAssignment(word ?? '') ? [index] : []
  )
  const [first = 0] = starts
  const isValue = isOption(first - 1) || /^\d/.test(words[first] ?? '')
  return starts.slice(0, isValue ? 2 : 1).map(start => wordsOfKnown(words.slice(start)))
}

/** Text, or an option that takes some. */
const CODE = /[\s;&|$`(){}<>!\\"'*]|^(?:-[ceE]|--(?:eval|exec|execute|command|cmd|run|script|shell))(?:$|=)/

const takesUnknownCode = ([program = '', ...rest]: KnownWords): boolean =>
  programRow(programName(program)) === undefined && rest.some(word => CODE.test(word ?? ''))

/** A here-document is text for a program that runs none. */
const isFlat = ({ words, redirections }: Leaf): boolean =>
  redirections.every(({ kind }) => kind !== 'text') ||
  (formOf(words).isKnown && /^(?:reads|changes)$/.test(formOf(words).does))

const setsMore = (program: string, text: string): boolean =>
  program === 'let' ||
  (steers(text) && (program === 'read' || text.includes('='))) ||
  (isProgramOf('wrapper', program) && isAssignment(text) && mayRunText(text))

const SPECIAL = /[\s;&|$`(]/
const SPECIAL_OR_QUOTED = /[\s;&|$`({'"\\]/

const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/s

/** What its row says, unless it runs the words behind it. What only the shell knows is taken for an ordinary word. */
function rowForm(program: string, rest: KnownWords): Form | undefined {
  if ((runsArguments(program) && program !== 'find') || isProgramOf('awk', program)) return undefined
  if (rest.length > MOST_WORDS) return undefined
  const form = formOf([program, ...rest.map(word => word ?? 'x')].map(text => ({ text, known: true })))
  return form.row === undefined ? undefined : form
}

/** A shell runs text that only another program knows. */
function isBlind([word, ...rest]: KnownWords, fed: boolean): boolean {
  const program = programName(word ?? '')
  if (isProgramOf('shell', program))
    return (
      rest.find(each => each?.startsWith('-') !== true) === undefined &&
      (rest.includes(undefined) || (fed && shellReads(rest)))
    )
  if (program === 'eval') return rest.includes(undefined)
  return (program === '.' || program === 'source') && INPUT.test(rest[0] ?? '-')
}

/** Whether a program may run something that its words do not show. `fed`: it has input. */
function isOpaque(program: string, rest: KnownWords, fed: boolean): boolean {
  if (isProgramOf('awk', program))
    return rest.some(word => word === undefined || awkRuns(word)) || (fed && awkReads(rest))
  const isCode = isProgramOf('interpreter', program)
  if (isCode && rest.includes(undefined)) return true
  // Without words it runs its input.
  if (isCode && rest.length === 0) return fed
  const form = rowForm(program, rest)
  if (form !== undefined) return form.isOpaque
  if (isProgramOf('shell', program))
    return rest.every(word => word?.startsWith('-') === true) || (fed && shellReads(rest))
  if (isCode) return rest.some(word => isCodeOption(word ?? '')) || (fed && interpreterReads(rest))
  if (program === 'env') return rest.some(word => /^(?:-[A-Za-z0]*S|--s)/.test(word ?? ''))
  if (program === 'sudo' || program === 'doas')
    return fed && ownOptions(rest).some(word => /^(?:-[A-Za-z]*[is]|--(?:l|sh))/.test(word ?? ''))
  return fed && isProgramOf('runsInput', program)
}

function ownOptions(rest: KnownWords): KnownWords {
  const isOption = (word: string | undefined): boolean => word?.startsWith('-') === true
  const end = rest.findIndex((word, index) => !isOption(word) && !isOption(rest[index - 1]))
  return end === -1 ? rest : rest.slice(0, end)
}

/** The same for a program that another one may run (`runs`: it does). A shell without input runs nothing. */
function isOpaqueWithin(program: string, rest: KnownWords, fed: boolean, runs: boolean): boolean {
  if (isProgramOf('shell', program)) return fed && shellReads(rest)
  if (runs && (isProgramOf('unseen', program) || isProgramOf('runsText', program))) return true
  if (runs) return !isProgramOf('ordinary', program) && isOpaque(program, rest, fed)
  return (isProgramOf('interpreter', program) || isProgramOf('awk', program)) && isOpaque(program, rest, fed)
}

/** Which of its options take a value is unknown: only a script right after the shell is certain to be what it runs. */
function shellReads([first, second]: KnownWords): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(/^-[a-z]*c$/.test(first) && !first.includes('s') && second !== undefined)
}

function interpreterReads([first, second]: KnownWords): boolean {
  if (first === undefined || INPUT.test(first)) return true
  return first.startsWith('-') && !(first === '-m' && second === 'json.tool')
}

const awkReads = (rest: KnownWords): boolean =>
  rest.some(word => word?.startsWith('-f') === true) &&
  rest.some(word => INPUT.test(word?.replace(/^-f(?=.)/, '') ?? ''))
