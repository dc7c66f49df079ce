import { HARM_IN_AWK, KINDS, NARROW } from './rows/kinds.ts'
import { RUNS_OTHERS } from './rows/properties.ts'
import type { ShellWord } from './parse.ts'
import { isProgramOf, programName } from './programs.ts'
import { isAssignment, isHarmlessVariable } from './variables.ts'
import { programRow, type ProgramRow, type RowOperand, type RowOption } from './row.ts'
import { sedFiles } from './sed-script.ts'

/** What a program does with these words. */
export interface Form {
  /** Undefined: this form is not known to be harmless. */
  readonly does: 'reads' | 'changes' | 'runs' | 'wraps' | undefined
  /** The first word that is not known, and why. */
  readonly why: string | undefined
  readonly row: string | undefined
  /** It may start another program, and this form is not known to start none. */
  readonly opaque: boolean
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** They must lead into the project: scripts that it runs, folders that it fills. */
  readonly inside: readonly string[]
  /** Folders in which it writes files that the command does not name: what an archive or another folder holds. */
  readonly fills: readonly string[]
  /** Commands that it runs, and texts for the shell. */
  readonly commands: readonly (readonly ShellWord[])[]
  readonly texts: readonly string[]
  /** Remote repositories; empty: the usual one. */
  readonly remotes: readonly string[]
  /** Words that the shell replaces by names of files, none of which can be an option. */
  readonly patterns: readonly string[]
  readonly deep: boolean
  /** It follows links that it finds, which may lead anywhere. */
  readonly follows: boolean
  /** What must be true of the repository. */
  readonly repository: 'config' | 'hooks' | undefined
}

type Draft = { -readonly [Key in keyof Form]: Form[Key] extends readonly (infer Item)[] ? Item[] : Form[Key] }

const LISTS = ['reads', 'writes', 'inside', 'fills', 'commands', 'texts', 'remotes', 'patterns'] as const

const draft = (): Draft => ({
  does: undefined,
  why: undefined,
  row: undefined,
  opaque: true,
  reads: [],
  writes: [],
  inside: [],
  fills: [],
  commands: [],
  texts: [],
  remotes: [],
  patterns: [],
  deep: false,
  follows: false,
  repository: undefined
})

/** `literal`: this many words are written out in the rule, and were read by a person. */
export function formOf(words: readonly ShellWord[], literal = 0): Form {
  if (words.length > MOST_WORDS) return { ...draft(), why: 'it has too many words' }
  const [program, second] = words
  const name = program?.known === true ? program.text : ''
  const pair = `${name} ${second?.text}`
  const special = second?.known === true && second.text.startsWith('-') && programRow(pair) !== undefined
  return special ? tryRows(pair, words, 2, literal) : tryRows(name, words, 1, literal)
}

function tryRows(name: string, words: readonly ShellWord[], from: number, literal: number): Form {
  const row = programRow(name)
  if (row === undefined) return unlisted(name, words, from, literal)
  const form = new FormReader(name, row, literal).read(words, from)
  const further = form.does === undefined ? programRow(`${name} #`) : undefined
  return further === undefined ? form : new FormReader(name, further, literal).read(words, from)
}

/** A program of which nothing is known. Where a rule names it, plain words are harmless. */
function unlisted(name: string, words: readonly ShellWord[], from: number, literal: number): Form {
  const odd = words
    .slice(Math.max(from, literal))
    .find(({ text, known }) => !known || !/^[\w@.,:/%+=^][^\s;&|$`<>(){}'"\\!*?]*$/.test(text))
  const runs = RUNS_OTHERS.some(kind => isProgramOf(kind, programName(name)))
  const installs = literal < 2 && words.length > 2 && INSTALLS.test(` ${words[1]?.text}`)
  const why = runs
    ? `${name} runs other programs, and only a rule for exactly this command covers it`
    : installs
      ? `${name} may install packages, and only a rule that contains ${words[0]?.text} ${words[1]?.text} covers it`
      : literal < from
        ? `${name} is not in the table of programs, and only a rule that contains it covers it`
        : odd && `${name} is not in the table of programs, and ${odd.text} is not a plain word`
  const inside = words.slice(from).flatMap(({ text }) => text.split('=').filter(leadsOut))
  return { ...draft(), does: why === undefined ? 'runs' : undefined, why, inside }
}

/** More words than people write: such a form is not known. */
const MOST_WORDS = 500

const TAKES_ALL = new Set(['args', 'sub', 'bin', 'cmd', 'variable'])

/** What they name is fetched and run, or runs later. */
const INSTALLS = / (?:add|i|install|get|require)$/

const MESSAGE = ['-m', '--message', '-F', '--file', '-C', '--reuse-message', '--no-edit', '--dry-run']

class FormReader {
  readonly #name: string
  readonly #row: ProgramRow
  readonly #literal: number
  readonly #seen = new Set<string>()
  #from = 0
  readonly #operands: { readonly word: ShellWord; readonly index: number }[] = []
  #words: readonly ShellWord[] = []
  readonly #form = draft()
  /** Operands that are missing: the first one, or all. */
  #missing: '' | 'first' | 'all' = ''

  constructor(name: string, row: ProgramRow, literal: number) {
    this.#name = name
    this.#row = row
    this.#literal = literal
    const { does, properties } = row
    const form = this.#form
    form.row = name
    form.opaque = false
    form.does = does === 'asks' ? undefined : does
    if (does === 'asks') this.#fail(`${name} always needs a prompt`)
    form.deep = properties.has('deep')
    form.repository = properties.has('git') ? 'config' : properties.has('hooks') ? 'hooks' : undefined
  }

  read(words: readonly ShellWord[], from: number): Form {
    this.#words = words
    this.#from = from
    this.#options(from)
    this.#place()
    if (this.#row.properties.has('copies')) this.#copy()
    if (this.#row.properties.has('unpacks') && this.#unpacks()) this.#form.fills.push(this.#form.inside.at(-1) ?? '.')
    const needsMessage = this.#name === 'git commit' || (this.#name === 'git tag' && this.#seen.has('-a'))
    if (needsMessage && !MESSAGE.some(option => this.#seen.has(option))) this.#fail('an editor would be opened')
    if (this.#form.why !== undefined) this.#form.does = undefined
    if (this.#row.properties.has('inert')) this.#form.opaque = false
    return this.#form
  }

  #unpacks(): boolean {
    const has = (...options: readonly string[]): boolean => options.some(option => this.#seen.has(option))
    return this.#name === 'tar' ? has('-x', '--extract', '--get') : !has('-l', '-t', '-v', '-p')
  }

  /** Into a folder: each source keeps its name there, or all that is in it is put there. */
  #copy(): void {
    const [target = '', ...sources] = this.#operands.map(({ word }) => word.text).toReversed()
    // It stands for a file that find will find.
    if (target.includes('{}')) this.#form.fills.push('.')
    for (const source of sources) {
      const isMerged =
        /(?:^|\/)\.{0,2}$|\{\}/.test(source) || isHidden(source.replace(/[^*?[]+$/, '')) || this.#seen.has('-T')
      if (isMerged || this.#seen.has('--no-target-directory')) this.#form.fills.push(target)
      else this.#form.writes.push(`${target}/${programName(source)}`)
    }
  }

  /** `isOpaque` is false where it only writes a file. */
  #fail(why: string, isOpaque = true): void {
    this.#form.why ??= why
    this.#form.opaque ||= isOpaque
  }

  /** Reads options, and collects operands. Words behind `--`, and behind the first operand of some programs, are operands. */
  #options(from: number): void {
    const { properties, operands } = this.#row
    const ends = properties.has('posix') || operands.some(({ kind }) => /^(?:sub|cmd|bin)$/.test(kind))
    let index = from
    if (properties.has('bundled')) index = this.#bundle(index)
    for (let isOver = properties.has('raw'); index < this.#words.length; index++) {
      const word = this.#words[index]!
      const { text } = word
      if (isOver || !this.#isOption(word)) {
        this.#operands.push({ word, index })
        isOver ||= ends && !(properties.has('dash') && operands[0]?.kind !== 'sub' && !properties.has('posix'))
      } else if (text === '--' && !properties.has('dash')) isOver = true
      else index += this.#option(text, index)
    }
  }

  #isOption({ text, known }: ShellWord): boolean {
    if (!known) return !this.#row.properties.has('any') && !isSafePattern(text) && /^[-*?[$`~]/.test(text)
    return (/^[-+]./.test(text) && (text.startsWith('-') || this.#row.options.has(text))) || this.#isSign(text)
  }

  #isSign(text: string): boolean {
    return this.#row.properties.has('dash') && !/[\w/.]/.test(text) && this.#row.options.has(text)
  }

  /** `--include=*.ts`: whatever it becomes, it is this option with a text. */
  #takesPattern(text: string): boolean {
    const option = isPattern(text) ? this.#row.options.get(/^--[\w-]+(?==)/.exec(text)?.[0] ?? '') : undefined
    return option?.sign === '=' && option.kind === '' && option.values === 1
  }

  /** How many further words belong to the option. */
  #option(text: string, index: number): number {
    if (this.#words[index]?.known !== true && !this.#takesPattern(text))
      return (this.#fail(`${text} is only known to the shell`), 0)
    if (this.#row.properties.has('dash')) {
      const [, name = text, value] = /^-?(-[^=]+)=(.*)$/s.exec(text) ?? []
      const own = this.#row.options.get(text)
      return own === undefined
        ? this.#value(name, this.#row.options.get(name), value, index)
        : this.#value(text, own, undefined, index)
    }
    if (text.startsWith('--')) {
      const [, name = text, value] = /^(--[^=]*)=(.*)$/s.exec(text) ?? []
      return this.#value(name, this.#row.options.get(name), value, index)
    }
    const number = /^-\d+$/.test(text) ? this.#row.options.get('-#') : undefined
    if (number !== undefined || this.#row.options.has(text))
      return this.#value(text, number ?? this.#row.options.get(text), undefined, index)
    for (let at = 1; at < text.length; at++) {
      const name = `${text[0]}${text[at]}`
      const option = this.#row.options.get(name)
      const takesRest = option !== undefined && (option.values > 0 || option.sign === '?')
      const rest = takesRest && at + 1 < text.length ? text.slice(at + 1) : undefined
      const taken = this.#value(name, option, rest, index)
      if (takesRest || this.#form.why !== undefined) return taken
    }
    return 0
  }

  /** The first word of tar: its letters take their values from the following words, in order. */
  #bundle(from: number): number {
    const first = this.#words[from]
    if (first?.known !== true || !/^[A-Za-z]+$/.test(first.text)) return from
    let next = from
    for (const letter of first.text)
      next += this.#value(`-${letter}`, this.#row.options.get(`-${letter}`), undefined, next)
    return next + 1
  }

  #value(name: string, option: RowOption | undefined, glued: string | undefined, index: number): number {
    this.#seen.add(name)
    if (option === undefined) {
      const isFine = this.#row.properties.has('any') || index < this.#literal
      if (!isFine) this.#fail(`${name} is not listed as harmless for ${this.#name}`)
      return 0
    }
    const { sign, kind, values, deep, follows } = option
    if (deep) this.#form.deep = true
    if (follows) this.#form.follows = true
    const taken = glued === undefined ? values : 0
    // Nothing is written there. Options of find may take further words.
    const isFile = sign === '>' && !this.#row.properties.has('dash')
    if (isFile && (glued ?? this.#words[index + 1]?.text) === '/dev/null') return taken
    if (/^[!~>]/.test(sign) && index + taken >= this.#literal)
      this.#fail(`only a rule that contains ${name}${values > 0 ? ' and its value' : ''} covers it`, sign !== '>')
    if (sign.endsWith('^') || sign === '@') this.#missing = this.#missing === '' ? 'first' : this.#missing
    if (sign === '.') this.#missing = 'all'
    // In the folder of what is found, a word may mean another file.
    if (sign === '%' && name.endsWith('dir') && index >= this.#literal)
      this.#fail(`only a rule that contains ${name} covers it`)
    if (sign === '%') return this.#command(index)
    if (sign === '&') return this.#module(index, glued)
    if (glued !== undefined && values === 0 && sign !== '?' && !/^[!~]/.test(sign)) this.#fail(`${name} takes no value`)
    if (sign === '?' && kind !== '' && glued !== undefined) this.#operand({ text: glued, known: true }, kind, index)
    if (values === 0) return 0
    const word = glued === undefined ? this.#words[index + values] : { text: glued, known: true }
    if (word === undefined) return (this.#fail(`${name} lacks its value`), 0)
    // Some programs take it for the next option.
    if (glued === undefined && /^-(?!\d|$)/.test(word.text))
      this.#fail(`the value ${word.text} of ${name} looks like an option`)
    if (/^[!~]/.test(sign)) return taken
    if (sign === '$') this.#text(word, glued !== undefined)
    else
      this.#operand(
        word,
        sign.startsWith('<') ? 'read' : sign.startsWith('>') ? 'write' : kind === '' ? 'text' : kind,
        index + taken
      )
    return taken
  }

  #text({ text, known }: ShellWord, isGlued: boolean): void {
    // The letters are further options, and the text follows.
    if (isGlued) this.#fail('the text does not follow its option')
    // Other shells end this quote elsewhere.
    if (text.includes("$'") && this.#name !== 'bash') this.#fail('only bash reads this quote in this way')
    if (known) this.#form.texts.push(text)
    else this.#fail(`the text ${text} is only known to the shell`)
    this.#missing = 'all'
  }

  /** The words up to `;` or `+`. */
  #command(index: number): number {
    const rest = this.#words.slice(index + 1)
    const end = rest.findIndex(({ text }, at) => text === ';' || (text === '+' && rest[at - 1]?.text === '{}'))
    if (end < 1) return (this.#fail('a command has no end'), rest.length)
    this.#form.commands.push(rest.slice(0, end))
    this.#form.deep = true
    if (!findsFiles(this.#words.slice(0, index))) this.#form.follows = true
    return end + 1
  }

  #module(index: number, glued: string | undefined): number {
    const from = glued === undefined ? index + 1 : index
    const rest = this.#words.slice(from)
    const [first] = rest
    if (first !== undefined)
      this.#program(glued === undefined ? rest : [{ text: glued, known: true }, ...rest.slice(1)], from)
    else this.#fail('a module is missing')
    this.#missing = 'all'
    return rest.length
  }

  /** A program of the project, or of what is installed there, with its arguments. */
  #program(words: readonly ShellWord[], index: number): void {
    const inner = formOf(words, Math.max(0, this.#literal - index))
    if (inner.does === undefined || inner.does === 'wraps')
      this.#fail(inner.why ?? `${words[0]?.text} runs another program`)
    this.#add(inner)
  }

  #add(inner: Form): void {
    for (const list of LISTS) (this.#form[list] as unknown[]).push(...inner[list])
    this.#form.deep ||= inner.deep
    this.#form.follows ||= inner.follows
  }

  /** Gives each operand its kind. Those before and behind the kind that may repeat have theirs by position. */
  #place(): void {
    const kinds = this.#missing === 'first' ? this.#row.operands.slice(1) : this.#row.operands
    const isOptional = this.#missing === 'all'
    const many = kinds.findIndex(({ times }) => times === '*' || times === '+')
    const behind = many === -1 ? [] : kinds.slice(many + 1)
    const front = many === -1 ? kinds : kinds.slice(0, many)
    const all = this.#operands
    const tail = behind.length === 0 ? all.length : Math.max(front.length, all.length - behind.length)
    for (const [position, { word, index }] of all.entries()) {
      const at = position < front.length ? front[position] : position >= tail ? behind[position - tail] : kinds[many]
      if (at === undefined) return this.#fail(`${word.text} is one operand too many for ${this.#name}`)
      if (this.#rest(at, word, index)) return
      this.#operand(word, at.kind, index)
    }
    const least = kinds.filter(({ times }) => times === '' || times === '+').length
    if (all.length < least && !isOptional) this.#fail(`${this.#name} is not known to be harmless without further words`)
    if (all.length === 0 && kinds[0]?.kind === 'remote') this.#form.remotes.push('')
  }

  /** Operands that take all the words behind them. */
  #rest({ kind }: RowOperand, word: ShellWord, index: number): boolean {
    if (!TAKES_ALL.has(kind) || (kind === 'variable' && isAssignment(word.text))) return false
    const rest = this.#words.slice(index)
    if (kind === 'args') this.#arguments(rest)
    else if (kind === 'sub') this.#sub(word, index)
    else if (kind === 'bin') this.#program(rest, index)
    else this.#form.commands.push(rest)
    return true
  }

  /** Behind a task, they are arguments of whatever program the task starts. */
  #arguments(words: readonly ShellWord[]): void {
    for (const { text, known } of words)
      if (!known && isSafePattern(text)) this.#form.patterns.push(text)
      else if (!known) this.#fail(`${text} is only known to the shell`)
    if (this.#row.operands.some(({ kind }) => kind === 'script')) return
    for (const { text } of words) {
      if (CHOOSES_CODE.test(text)) this.#fail(`${text} may choose the code that is run`)
      this.#form.inside.push(...text.split('=').filter(leadsOut))
    }
  }

  #sub({ text, known }: ShellWord, index: number): void {
    if (!known) return this.#fail(`the sub-command ${text} is only known to the shell`)
    if (this.#row.properties.has('tasks') && programRow(`${this.#name} ${text}`) === undefined) {
      // Of other names, pnpm runs any program if there is no such script.
      if (isScriptName(text) && (this.#name !== 'pnpm' || text.includes(':')))
        return void this.#rest({ kind: 'args', times: '*' }, { text, known }, index)
      if (programRow(text)?.does === 'runs') return this.#program(this.#words.slice(index), index)
    }
    const form = tryRows(`${this.#name} ${text}`, this.#words, index + 1, this.#literal)
    if (form.does === undefined) this.#fail(form.why ?? `${this.#name} ${text} is not listed as harmless`, form.opaque)
    this.#form.does = form.does
    this.#form.repository = form.repository
    this.#add(form)
  }

  #operand(word: ShellWord, kind: string, index: number): void {
    const { text, known } = word
    const narrow = NARROW[kind]
    if (narrow?.not.test(text) === true && index >= this.#literal)
      return this.#fail(`${text} is not a file, or chooses others, for ${this.#name}`)
    if (narrow !== undefined) return this.#operand(word, narrow.as, index)
    if (!known) return this.#unknown(text, kind)
    if (kind === 'sed') return this.#sed(text)
    if (kind === 'awk')
      return !HARM_IN_AWK.test(text) ? undefined : this.#fail('the program of awk is not known to be harmless')
    if (kind === 'folder' && text.startsWith('-')) return this.#fail('it may be the folder before, or an option')
    if (kind === 'read' || kind === 'folder') this.#form.reads.push(text)
    else if (kind === 'write') this.#form.writes.push(text)
    else if (kind === 'lines')
      this.#form.reads.push(...Array.from(text.matchAll(/:/g), ({ index: at }) => text.slice(at + 1)))
    else if (kind === 'rev' || kind === 'changed') {
      this.#form.reads.push(text, ...pathsInRevision(text))
      if (kind === 'changed') this.#form.writes.push(text, ...pathsInRevision(text))
    } else if (kind === 'remote') this.#form.remotes.push(text)
    else if (kind === 'deep') {
      this.#form.reads.push(text)
      this.#form.deep = true
    } else if (kind === 'inside' || kind === 'script' || kind === 'gopath') this.#within(text, kind, index)
    else if (kind === 'variable' ? !isHarmlessVariable(text) : KINDS[kind]?.test(text) !== true) {
      if (index >= this.#literal) this.#fail(`${text} is not known to be harmless for ${this.#name}`)
    } else if (kind.endsWith('package') && INSTALLS.test(this.#name) && this.#literal < this.#from)
      this.#fail(`${text} is a package by others, and only a rule that contains ${this.#name} covers it`, false)
  }

  #within(text: string, kind: string, index: number): void {
    const path = text.replace(/::.*$/s, '').replace(/\/\.\.\.$/, '')
    const isOdd = /^[-~]|@|^\w+:|^\/(?:dev|proc)\//.test(path) || (kind === 'script' && path === '')
    if (isOdd && index >= this.#literal) this.#fail(`${text} is not a file of the project`)
    this.#form.inside.push(path)
    this.#form.reads.push(path)
    if (this.#row.does === 'changes') this.#form.writes.push(path)
  }

  /** Patterns and variables. Where no option does harm, they may become anything. */
  #unknown(text: string, kind: string): void {
    const isAny = this.#row.properties.has('any')
    if (
      /^(?:read|write|rev|changed|inside|script|text|task)$/.test(kind) &&
      isPattern(text) &&
      (isAny || isSafePattern(text)) &&
      !(/^(?:write|changed)$/.test(kind) && isHidden(text))
    )
      this.#form.patterns.push(text)
    else if (kind !== 'text' || !isAny || !/^[^`(]*$/.test(text)) this.#fail(`${text} is only known to the shell`)
  }

  #sed(script: string): void {
    const files = sedFiles(script)
    if (files === undefined) return this.#fail('the script of sed is not known to be harmless')
    this.#form.reads.push(...files.reads)
    this.#form.writes.push(...files.writes)
    if (files.writes.length > 0) this.#fail('the script of sed writes a file', false)
  }
}

/** The name of a script of the project. A few commands of the programs themselves have a dash. */
const isScriptName = (text: string): boolean =>
  /^\w[\w.]*[:_-][\w.:-]*$|^_\w+$/.test(text) &&
  !/^(?:self-update|upgrade-interactive|generate-lock-entry|set-version|approve-builds|patch-commit|patch-remove|cat-file|cat-index|find-hash|install-test)$/.test(
    text
  )

/** Of `find`: what is found up to here is no link. */
function findsFiles(words: readonly ShellWord[]): boolean {
  const texts = words.map(({ text }) => text)
  const at = texts.indexOf('-type')
  return at !== -1 && texts[at + 1] === 'f' && !texts.some(text => /^(?:-o|-or|,|!|-not|\(|-L|-follow)$/.test(text))
}

/** Options of common programs for code, settings and plug-ins, and addresses of code. */
const CHOOSES_CODE =
  /^(?:-[rcep]|--(?:[\w-]*(?:config|require|import|loader|plugin|preset|eval|print|exec|script|shell|reporter|setup|env|pool|runner|transform|resolver|preload)[\w-]*|cwd|root|dir|prefix|rootdir))(?:$|=)|(?:^|=)(?:data|file|https?|ext|git\+\w+):/i

/** A path that may lead out of the project. */
const leadsOut = (text: string): boolean => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text)

const isPattern = (text: string): boolean => /[*?[]/.test(text) && !/[$`~{]/.test(text)

/** What it becomes may be a file that controls the agent: only a pattern with a dot finds those. */
const isHidden = (text: string): boolean => /(?:^|\/)\.(?!\.?(?:\/|$))/.test(text)

/** What it becomes cannot be an option. */
const isSafePattern = (text: string): boolean => isPattern(text) && /^[\w./]/.test(text)

/** The path in a pathspec of git: `:/a`, `:(top)a`, also after the name of a commit; excluded paths do not count. */
export function pathspecIn(text: string): readonly string[] | undefined {
  const [, magic = '', signs = '', path] = /:(?:\(([^)]*)\)|([!^/]+):?)(.*)$/s.exec(text) ?? []
  if (path === undefined) return undefined
  return /exclude/.test(magic) || /[!^]/.test(signs) ? [] : [path.replace(/^\/+/, '')]
}

/** `HEAD:a`, `:a`, and pathspecs. */
const pathsInRevision = (text: string): readonly string[] =>
  pathspecIn(text) ?? (text.includes(':') ? [text.slice(text.indexOf(':') + 1)] : [])
