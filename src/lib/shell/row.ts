import { CHANGING } from './rows/changing.ts'
import { GIT } from './rows/git.ts'
import { READING } from './rows/reading.ts'
import { RUNNING } from './rows/running.ts'

/**
 * The harmless forms of a program: `does and properties | options | operands`. What a row does not list is not known.
 *
 * - does: `reads`, `changes` (what it names, or what its name says), `runs` (this project's code), `wraps` (the command that
 *   it is given), `asks` (in every form)
 * - `inert`: it starts no other program, whatever its options. `any`: and no option of it does harm. `raw`: it has no
 *   options. `posix`: options end at the first operand. `dash`: long options have one dash. `bundled`: as in `tar czf`.
 *   `deep`: it searches folders. `copies`: the last operand may be a folder, in which the others keep their names.
 *   `enters`: given a folder, it reads the files in it, also through links. `sweeps`: given a folder, it changes all that is in it.  `apart`:
 *   values are words of their own. `git`, `hooks`: the repository must name no program, or have no hooks. `listed`: the
 *   repository says what other sub-commands do. `fetches`: a program that is not installed is downloaded. `downloads`: it always is
 * - options: `-abc` or `--name`; a sign says what follows: `=` a value, `=kind` a value of that kind, `<` a file that is read,
 *   `>` one that is written, `?` a value that is glued to it or missing, `^` a value that stands for the first operand,
 *   `@` the first operand is missing, `.` all operands may be missing, `+` all are like the first, `%` a command, which needs a rule of its own, `&` a program with its arguments, `*` it searches folders, `**` and follows links in them, `-#` any number. `~` and `!` (with a value) are not harmless, and with `exact` no rule with `*` covers them
 * - operands: kinds (`KINDS` in rows/kinds.ts), each with `?`, `*` or `+` as in regular expressions
 *
 * `program #` is a further form; `as program` has the same row.
 */
export interface ProgramRow {
  readonly does: 'reads' | 'changes' | 'runs' | 'wraps' | 'asks'
  readonly properties: ReadonlySet<string>
  readonly options: ReadonlyMap<string, RowOption>
  readonly operands: readonly RowOperand[]
}

export interface RowOption {
  readonly sign: string
  readonly kind: string
  readonly values: number
  readonly deep: boolean
  /** It follows links on the way. */
  readonly follows: boolean
}

export interface RowOperand {
  readonly kind: string
  readonly times: '' | '?' | '*' | '+'
}

const ROWS: ReadonlyMap<string, string> = new Map(
  [READING, CHANGING, RUNNING, GIT].flatMap(rows => Object.entries(rows))
)

const READY = new Map<string, ProgramRow>()

export const rowNames = (): readonly string[] => [...ROWS.keys()]

export function programRow(name: string): ProgramRow | undefined {
  const text = ROWS.get(name)
  if (text === undefined) return undefined
  if (text.startsWith('as ')) return programRow(text.slice(3))
  let row = READY.get(name)
  if (row === undefined) READY.set(name, (row = readRow(text)))
  return row
}

function readRow(text: string): ProgramRow {
  const [head = '', options = '', operands = ''] = text.split('|').map(part => part.trim())
  const [does, ...properties] = head.split(' ')
  if (properties.includes('any')) properties.push('inert')
  return {
    does: does as ProgramRow['does'],
    properties: new Set(properties),
    options: new Map(wordsOf(options).flatMap(token => optionsIn(token, properties.includes('dash')))),
    operands: wordsOf(operands).flatMap(token => {
      const [, kind = '', times = ''] = /^(\w+)([?*+]?)$/.exec(token) ?? []
      return kind === 'none' ? [] : [{ kind, times: times as RowOperand['times'] }]
    })
  }
}

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== '')

const TOKEN = /^([-+]{0,2}[\w.#-]+?)(?:([=<>?^@.%&~!+])(2)?(\^)?([a-z]*))?(\*\*?)?$/

function optionsIn(token: string, dash: boolean): readonly (readonly [string, RowOption])[] {
  const flag = { sign: '', kind: '', values: 0, deep: false, follows: false }
  // Such as `(` and `==`.
  if (!/[\w#]/.test(token)) return [[token, flag]]
  const [, name = token, sign = '', two, first, kind = '', deep] = TOKEN.exec(token) ?? []
  const values = /[=<>^!&]/.test(sign) ? (two === undefined ? 1 : 2) : 0
  const option = { sign: sign + (first ?? ''), kind, values, deep: deep !== undefined, follows: deep === '**' }
  const letters = !dash && /^-[A-Za-z]{2,}$/.test(name)
  return letters ? Array.from(name.slice(1), letter => [`-${letter}`, option]) : [[name, option]]
}

/** It is a program of the system, and not of a project. */
export const isOfSystem = (name = ''): boolean =>
  [READING, CHANGING, GIT].some(rows => name in rows) || /^(?:docker|kubectl|terraform)$/.test(name)

export interface OptionGiven {
  readonly name: string
  /** Undefined: it is not listed. */
  readonly option: RowOption | undefined
  /** Its value, if that is in the same word. */
  readonly glued?: string | undefined
}

/** The options in a word: several where letters share a dash. */
export function optionsGiven({ options, properties }: ProgramRow, text: string): readonly OptionGiven[] {
  const number = /^-\d+$/.test(text) ? options.get('-#') : undefined
  const whole = number ?? options.get(text)
  if (whole !== undefined) return [{ name: text, option: whole }]
  const isDash = properties.has('dash')
  if (isDash || text.startsWith('--')) {
    const [, name = text, glued] = (isDash ? /^-?(-[^=]+)=(.*)$/s : /^(--[^=]*)=(.*)$/s).exec(text) ?? []
    return [{ name, option: options.get(name), glued }]
  }
  const given: OptionGiven[] = []
  for (let at = 1; at < text.length; at++) {
    const name = `${text[0]}${text[at]}`
    const option = options.get(name)
    const takesRest = option !== undefined && (option.values > 0 || option.sign === '?')
    given.push({ name, option, glued: takesRest && at + 1 < text.length ? text.slice(at + 1) : undefined })
    if (takesRest) break
  }
  return given
}
