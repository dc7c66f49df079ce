import { CHOOSES_CODE, WRITES_BACK, SCRIPT_NAME } from './rows/words.ts'
import { addEffects, type Operand } from './effects.ts'
import { Form } from './form.ts'
import { isPattern, isSafePattern, pathsLeadingOut, takeOperand, type RowReader } from './operand.ts'
import type { ShellWord } from './parse.ts'
import { isOfSystem, optionsGiven, programRow, type OptionGiven, type ProgramRow, type RowOperand } from './row.ts'
import { unlistedForm } from './unlisted-form.ts'
import { isAssignment } from './variables.ts'

const READY = new WeakMap<readonly ShellWord[], Form>()

/** More words than people write: such a form is not known. */
export const MOST_WORDS = 500

export function formOf(words: readonly ShellWord[]): Form {
  let form = READY.get(words)
  if (form === undefined) READY.set(words, (form = readForm(words)))
  return form
}

function readForm(words: readonly ShellWord[]): Form {
  const [program, second] = words
  // Rows of sub-commands have a blank in their names, and no program does.
  const name = program?.known === true && !/\s/.test(program.text) ? program.text : ''
  if (words.length > MOST_WORDS) {
    const form = new Form()
    form.add('it has too many words')
    return form
  }
  const pair = `${name} ${second?.text}`
  const isSpecial = second?.known === true && second.text.startsWith('-') && programRow(pair) !== undefined
  return isSpecial ? tryRows(pair, words, 2) : tryRows(name, words, 1)
}

function tryRows(name: string, words: readonly ShellWord[], from: number): Form {
  const row = programRow(name)
  if (row === undefined) return unlistedForm(name, words, from)
  const form = new FormReader(name, row, words, from).read()
  const further = form.isKnown ? undefined : programRow(`${name} #`)
  if (further === undefined) return form
  const other = new FormReader(name, further, words, from).read()
  // What is not the name of a script is not made one by a rule.
  return other.isKnown || !row.properties.has('tasks') ? other : form
}

const NEVER_FETCHES = ['--no-install', '--no', '--no-yes']

const TAKES_ALL = new Set(['args', 'sub', 'bin', 'cmd', 'variable'])

class FormReader implements RowReader {
  readonly name: string
  readonly row: ProgramRow
  readonly from: number
  readonly form = new Form()
  readonly #words: readonly ShellWord[]
  /** The options, and where each was given last. */
  readonly #seen = new Map<string, number>()
  readonly #operands: Operand[] = []
  /** Operands that are missing: the first one, or all. `none`: there may be several like the first. */
  #missing: '' | 'first' | 'all' | 'none' = ''

  /** It writes the files that it reads. */
  #fixes = false

  constructor(name: string, row: ProgramRow, words: readonly ShellWord[], from: number) {
    this.name = name
    this.row = row
    this.from = from
    this.#words = words
  }

  read(): Form {
    const {
      form,
      row: { does }
    } = this
    form.row = this.name
    form.does = does
    form.deep = this.#is('deep')
    form.enters = this.#is('enters')
    form.repository = this.#is('git') ? 'config' : this.#is('hooks') ? 'hooks' : undefined
    if (does === 'asks') this.doubt(`${this.name} always needs a prompt`)
    this.#split()
    this.#fixes = WRITES_BACK[this.name.replace(/^.* /, '')]?.test(` ${[...this.#seen.keys()].join(' ')} `) === true
    if (this.#fixes && does === 'reads') form.does = 'changes'
    this.#place()
    addEffects(this, this.#operands, this.#seen)
    return form
  }

  #is(property: string): boolean {
    return this.row.properties.has(property)
  }

  readonly doubt = (why: string, until?: number, isOpaque = true): void =>
    this.form.add(why, until, isOpaque && !this.#is('inert'))

  /** Reads options, and collects operands. Words behind `--`, and behind the first operand of some programs, are operands. */
  #split(): void {
    const { operands } = this.row
    const endsAtOperand = operands.some(({ kind }) => /^(?:sub|cmd|bin)$/.test(kind))
    const ends = this.#is('posix') || (endsAtOperand && !(this.#is('dash') && operands[0]?.kind !== 'sub'))
    let index = this.#is('bundled') ? this.#bundle(this.from) : this.from
    for (let isOver = this.#is('raw'); index < this.#words.length; index++) {
      const word = this.#words[index]!
      if (isOver || !this.#isOption(word)) {
        this.#operands.push({ word, index })
        isOver ||= ends
      } else if (word.text === '--' && !this.#is('dash')) isOver = true
      else if (!word.known && !this.#takesPattern(word.text)) this.doubt(`${word.text} is only known to the shell`)
      else {
        const at = index
        for (const given of optionsGiven(this.row, word.text)) index += this.#take(given, at)
      }
    }
  }

  #isOption({ text, known }: ShellWord): boolean {
    const { options } = this.row
    if (!known) return !this.#is('any') && !isSafePattern(text) && /^[-*?[$`~]/.test(text)
    // Such as `(` and `==`.
    const isSign = this.#is('dash') && !/[\w/.]/.test(text) && options.has(text)
    return isSign || (/^[-+]./.test(text) && (text.startsWith('-') || options.has(text)))
  }

  /** `--include=*.ts`: whatever it becomes, it is this option with a text. */
  #takesPattern(text: string): boolean {
    const option = isPattern(text) ? this.row.options.get(/^--[\w-]+(?==)/.exec(text)?.[0] ?? '') : undefined
    return option?.sign === '=' && option.kind === '' && option.values === 1
  }

  /** The first word of tar: its letters take their values from the following words, in order. */
  #bundle(from: number): number {
    const first = this.#words[from]
    if (first?.known !== true || !/^[A-Za-z]+$/.test(first.text)) return from
    let next = from
    for (const letter of first.text)
      next += this.#take({ name: `-${letter}`, option: this.row.options.get(`-${letter}`) }, next)
    return next + 1
  }

  /** How many further words belong to the option. */
  #take({ name, option, glued }: OptionGiven, index: number): number {
    this.#seen.set(name, index)
    if (option === undefined) {
      if (!this.#is('any')) this.doubt(`${name} is not listed as harmless for ${this.name}`, index + 1)
      return 0
    }
    const { sign, values } = option
    this.form.deep ||= option.deep
    this.form.follows ||= option.follows
    const taken = glued === undefined ? values : 0
    // Nothing is written there. Options of find may take further words.
    const isFile = sign === '>' && !this.#is('dash')
    if (isFile && (glued ?? this.#words[index + 1]?.text) === '/dev/null') return taken
    if (glued !== undefined && this.#is('apart') && !name.startsWith('--') && !/^\d+$/.test(glued))
      this.doubt(`the value of ${name} is not a word of its own`)
    const isHarm = /^[!~]/.test(sign)
    if (option.kind === 'exact') this.doubt(`only a rule for exactly this command covers ${name}`)
    else if (isHarm || sign.startsWith('>'))
      this.doubt(
        `only a rule that contains ${name}${values > 0 ? ' and its value' : ''} covers it`,
        index + taken + 1,
        sign !== '>'
      )
    if (sign.endsWith('^') || sign === '@') this.#missing ||= 'first'
    if (sign === '.') this.#missing = 'all'
    if (sign === '+') this.#missing = 'none'
    if (sign === '%') return (this.doubt(`only a rule for exactly this command covers ${name}`), this.#words.length)
    if (sign === '&') return this.#module(index, glued)
    if (sign === '?' && option.kind !== '' && glued !== undefined)
      takeOperand(this, { text: glued, known: true }, option.kind, index)
    if (values > 0) return this.#value({ name, option, glued }, index, taken)
    if (glued !== undefined && sign !== '?' && !isHarm) this.doubt(`${name} takes no value`)
    return 0
  }

  #value({ name, option, glued }: Required<OptionGiven>, index: number, taken: number): number {
    const word = glued === undefined ? this.#words[index + taken] : { text: glued, known: true }
    if (word === undefined || option === undefined) return (this.doubt(`${name} lacks its value`), 0)
    const { sign, kind } = option
    // Some programs take it for the next option.
    if (glued === undefined && /^-(?!\d|$)/.test(word.text))
      this.doubt(`the value ${word.text} of ${name} looks like an option`)
    if (/^[!~]/.test(sign)) return taken
    const given = sign.startsWith('<') ? 'read' : sign.startsWith('>') ? 'write' : kind === '' ? 'text' : kind
    if (glued === undefined) this.#single(word)
    takeOperand(this, word, given, index + taken)
    return taken
  }

  #module(index: number, glued: string | undefined): number {
    const from = glued === undefined ? index + 1 : index
    const [first, ...rest] = this.#words.slice(from)
    if (first !== undefined) this.#program([glued === undefined ? first : { text: glued, known: true }, ...rest], from)
    else this.doubt('a module is missing')
    this.#missing = 'all'
    return this.#words.length - from
  }

  /** A program of the project, or of what is installed there, with its arguments. */
  #program(words: readonly ShellWord[], index: number): void {
    const inner = formOf(words)
    for (const { why, until } of inner.doubts) this.doubt(why, until + index)
    if (isOfSystem(inner.row)) this.doubt(`${inner.row} is not a program of the project`)
    if (inner.does === 'wraps') this.doubt(`${words[0]?.text} runs another program`)
    this.form.include(inner)
  }

  /** Gives each operand its kind. Those before and behind the kind that may repeat have theirs by position. */
  #place(): void {
    const [first, ...others] = this.row.operands
    const kinds =
      this.#missing === 'none' && first !== undefined
        ? [{ kind: 'script', times: '*' as const }]
        : this.#missing === 'first'
          ? others
          : this.row.operands
    const many = kinds.findIndex(({ times }) => times === '*' || times === '+')
    const behind = many === -1 ? [] : kinds.slice(many + 1)
    const front = many === -1 ? kinds : kinds.slice(0, many)
    const all = this.#operands
    const tail = behind.length === 0 ? all.length : Math.max(front.length, all.length - behind.length)
    for (const [position, { word, index }] of all.entries()) {
      const at = position < front.length ? front[position] : position >= tail ? behind[position - tail] : kinds[many]
      if (at === undefined) return this.doubt(`${word.text} is one operand too many for ${this.name}`)
      if (this.#takeRest(at, word, index)) return
      if (at !== kinds[many]) this.#single(word)
      takeOperand(this, word, this.#fixes && at.kind === 'read' ? 'changed' : at.kind, index)
    }
    const least = kinds.filter(({ times }) => times === '' || times === '+').length
    if (all.length < least && this.#missing !== 'all')
      this.doubt(`${this.name} is not known to be harmless without further words`)
    if (all.length === 0 && kinds[0]?.kind === 'remote') this.form.remotes.push('')
  }

  /** A pattern may become several words, and the next ones are something else to the program. */
  #single({ text, known }: ShellWord): void {
    if (!known && isPattern(text)) this.doubt(`${text} may become more than one word`)
  }

  /** Operands that take all the words behind them. */
  #takeRest({ kind }: RowOperand, word: ShellWord, index: number): boolean {
    if (!TAKES_ALL.has(kind) || (kind === 'variable' && isAssignment(word.text))) return false
    const rest = this.#words.slice(index)
    if (kind === 'args') this.#arguments(rest)
    else if (kind === 'sub') this.#sub(word, index)
    else if (kind === 'bin') {
      if (this.#is('fetches') && !NEVER_FETCHES.some(each => this.#seen.has(each))) this.form.bins.push(word.text)
      if (this.#is('downloads'))
        this.doubt(`${word.text} is downloaded, and only a rule that contains it covers it`, index + 1)
      this.#program(rest, index)
    } else this.form.commands.push(rest)
    return true
  }

  /** Behind a task, they are arguments of whatever program the task starts. */
  #arguments(words: readonly ShellWord[]): void {
    const isOfScript = this.row.operands.some(({ kind }) => kind === 'file')
    for (const { text, known } of words) {
      if (!known && isSafePattern(text)) this.form.patterns.push(text)
      else if (!known) this.doubt(`${text} is only known to the shell`)
      if (isOfScript) continue
      if (CHOOSES_CODE.test(text)) this.doubt(`${text} may choose the code that is run`)
      this.form.inside.push(...pathsLeadingOut(text))
    }
  }

  #sub({ text, known }: ShellWord, index: number): void {
    if (!known) return this.doubt(`the sub-command ${text} is only known to the shell`)
    // Names of rows have blanks and `#`.
    if (/[\s#]/.test(text)) return this.doubt(`${text} is not a sub-command`)
    if (this.#is('tasks') && programRow(`${this.name} ${text}`) === undefined) {
      // Of other names, pnpm runs any program if there is no such script.
      if (SCRIPT_NAME.test(text) && (this.name !== 'pnpm' || text.includes(':')))
        return this.#arguments(this.#words.slice(index))
      if (programRow(text)?.does === 'runs') return this.#program(this.#words.slice(index), index)
    }
    const { form } = this
    const name = `${this.name} ${text}`
    if (this.#is('listed') && programRow(name) === undefined)
      this.doubt(`${name} is not in the table of programs, and only a rule for exactly this command covers it`)
    const inner = tryRows(name, this.#words, index + 1)
    form.doubts.push(...inner.doubts)
    form.does = inner.does
    form.repository = inner.repository
    form.include(inner)
  }
}
