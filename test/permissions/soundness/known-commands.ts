/** Commands made from the table of programs, with harmless values and with hostile ones. */
import { programRow, rowNames, type RowOption } from '../../../src/lib/shell/row.ts'
import { quoted } from '../attacks/mutations.ts'

/** They reach other machines, or wait. */
const ELSEWHERE =
  /^(?:curl|dig|host|nslookup|ping|gh|docker|kubectl|rsync|sleep|yes|kill|dd|git (?:fetch|pull|push|clone|ls-remote|remote (?:show|prune|update)|submodule update)|nohup|setsid|env|command|time|wait|jobs|exit)\b/
/** They wait for more input. */
const WAITS = /^(?:-f|-F|--follow|--retry|--pid|--watch|-s)$/

/** Rows of programs that run no code of the project. */
export const knownRows = (): readonly string[] =>
  rowNames().filter(name => {
    const does = programRow(name)?.does
    const program = name.split(' ')[0]!
    return (
      !name.endsWith('#') &&
      (does === 'reads' || does === 'changes') &&
      !ELSEWHERE.test(name) &&
      programRow(program)?.does !== 'runs'
    )
  })

/** No path leads out of the project: these commands are really run, and may change what they name. */
const HOSTILE = [
  '$(touch p)',
  ';touch p',
  '|touch p',
  '`touch p`',
  '@f',
  '-op',
  '--output=p',
  '!touch p',
  'w p',
  '1e touch p',
  's/x/y/w p',
  's/x/touch p/e',
  'BEGIN{system("touch p")}',
  '{print > "p"}',
  '%output{p}',
  'ext::sh -c touch% p',
  './evil.sh',
  'p',
  '+p',
  'a x\\\\\n1e touch p'
]
const ORDINARY = ['1', '2', 'x', 'a', 'f', 'src', '%h', 'HEAD', '.', '10']

const OF_KIND: Readonly<Record<string, readonly string[]>> = {
  read: ['f', 'g', 'src/a.ts', 'README.md', 'src', '.'],
  folder: ['src', '.'],
  rev: ['HEAD', 'f', 'src', 'HEAD:f', 'HEAD~1', 'main', '-- f'],
  changed: ['f', 'src/a.ts', 'g', 'HEAD'],
  write: ['f', 'new', 'src/new', 'g', 'src'],
  deep: ['f', 'src', '.'],
  inside: ['src', '.', 'new'],
  sed: ['s/x/y/', '1p', '/x/d', '$!N', 'a x', 'y/a/b/', 's,x,y,g', '1,3p', 'i\\\nx', '/a/,/b/{p;p}'],
  awk: ['{print $1}', 'NR==1', '/x/{n++} END{print n}', 'BEGIN{FS=":"}{print $2}'],
  filter: ['.', '.a', '.[] | .b', 'keys'],
  date: ['+%s', '+%Y-%m-%d'],
  name: ['x'],
  option: ['pipefail'],
  psflags: ['aux'],
  printed: ['%{http_code}'],
  format: ['%h %s', '%(refname)'],
  reflog: ['show', 'HEAD'],
  word: ['x'],
  version: ['1.0.0'],
  plain: ['x']
}

export class CommandMaker {
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** One command of this row, or two with a pipe or a list between them, or one behind something that runs it. */
  make(row: string, rows: readonly string[]): string {
    const one = this.simple(row)
    const lot = this.#random()
    if (lot < 0.7) return one
    if (lot < 0.8) return `${one} | ${this.simple(this.#one(rows))}`
    if (lot < 0.88) return `${one} && ${this.simple(this.#one(rows))}`
    if (lot < 0.92) return `timeout 4 ${one}`
    if (lot < 0.96) return `bash -c ${quoted(one)}`
    return `${this.#one(['nice', 'LC_ALL=C', 'env', 'stdbuf -oL', 'command'])} ${one}`
  }

  simple(name: string, isBare = false): string {
    const row = programRow(name)!
    const options = Array.from(row.options).filter(
      ([option, { sign }]) => !/^[!~>%&$]/.test(sign) && option !== '-#' && !WAITS.test(option)
    )
    const words: string[] = []
    const count = isBare || options.length === 0 ? 0 : Math.floor(this.#random() * 4)
    for (let left = count; left > 0; left--) words.push(...this.#option(this.#one(options)))
    for (const { kind, times } of row.operands) {
      const least = times === '' || times === '+' ? 1 : 0
      const most = times === '' || times === '?' ? 1 : 3
      const operands = isBare ? least : least + Math.floor(this.#random() * (most - least + 1))
      if (kind !== 'sub') for (let left = operands; left > 0; left--) words.push(this.#value(kind, isBare))
    }
    return [name, ...words].join(' ')
  }

  #option([name, { sign, kind, values }]: readonly [string, RowOption]): readonly string[] {
    const of = sign.startsWith('<') ? 'read' : kind
    if (sign === '?')
      return this.#random() < 0.5 ? [name] : [`${name}${name.startsWith('--') ? '=' : ''}${this.#value(of)}`]
    if (values === 0) return [name]
    const given = Array.from({ length: values }, () => this.#value(of))
    if (this.#random() < 0.5 || values > 1) return [name, ...given]
    return [`${name}${name.startsWith('--') ? '=' : ''}${given[0]!}`]
  }

  #value(kind: string, isBare = false): string {
    const usual = OF_KIND[kind] ?? ORDINARY
    const text = !isBare && this.#random() < 0.15 ? this.#one(HOSTILE) : this.#one(usual)
    return text.startsWith('-- ') ? text : quoted(text)
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)]!
  }
}

/** The rules of a user who allows each of these programs. */
export const programsOf = (rows: readonly string[]): readonly string[] =>
  Array.from(new Set([...rows.map(row => row.split(' ')[0]!), 'bash', 'timeout', 'nice', 'env', 'stdbuf', 'command']))
