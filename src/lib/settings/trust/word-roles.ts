import { leafTargets, leafWords } from '../../shell/command-words.ts'
import { parseShell, type Leaf, type ShellWord } from '../../shell/parse.ts'
import { leafOfWords } from '../../shell/split-words.ts'
import { isProgramOf, programName, runsCode } from '../../shell/programs.ts'
import { isAssignment } from '../../shell/variables.ts'

export interface CommandWord {
  readonly text: string
  /**
   * `program`: it is started. `given`: it is given to something that runs what it is given. `kept`: it is written, or data
   * that is read. `anything`: what is run there is computed when the command runs. Else it is only said.
   */
  readonly role: 'program' | 'given' | 'said' | 'kept' | 'anything'
  /** The program before it in the same command: it may be an argument of that. */
  readonly of?: string
}

type Role = CommandWord['role']

/** Data by its name: not run, unless a command says so. */
const DATA =
  /\.(?:log(?:\.\w+)*|te?xt|md|json[l5]?|ndjson|[ct]sv|db|sqlite3?|(?:db|sqlite3?)-\w+|lock|pid|tmp|bak|out|err|state|cache|marker|stamp|count|ya?ml|toml|ini|xml|html?|gz)$/i
export const isData = (name: string): boolean =>
  DATA.test(name) && !/(?:^|\/)(?:package|[tj]sconfig|deno)\.json$/.test(name)
/** Code of another language that runs what it has put together. */
const COMPUTES =
  /(?:exec|eval|compile|__import__|import_module|runpy|spawn|system|popen|subprocess|require|import|load|open|do|\.path)\b.{0,80}?(?:[+%]|\bjoin|format|chr|decode|replace|reverse|\[:|\$\{|\bf['"])|\$\(/s
/** Imports by name, and parsed JSON, are not put together. */
const PLAIN = /\bimport\s+\w[\w., ]*|\bjson\.loads?\b/g
const CODE_OPTION = /^(?:-\w*[ceEpr]|--eval|--print|eval)$/
const SEARCHED = /^(?:PYTHON\w*|NODE_PATH|NODE_OPTIONS|PERL5\w+|RUBY\w+|LUA_\w+|LD_\w+|BASH_ENV|ENV|ZDOTDIR)=/
/** What a shell is certain to find: the folder of a script, that of the project, a program by its name. */
const SURE: readonly (readonly [RegExp, string])[] = [
  [/`([^`]*)`/g, '$($1)'],
  [
    /\$\((?:pwd(?: -P)?|git rev-parse --show-toplevel(?: 2> ?\/dev\/null)?(?: ?\|\| ?(?:pwd|echo "?(?:\.|\$PWD)"?))?)\)/g,
    '$PWD'
  ],
  [/\$\(dirname (?:-- )?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?\)/g, '$0_FOLDER'],
  [/\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}/g, '$0_FOLDER'],
  [/\$\((?:command -v|which|type -p) ([\w.+-]+)\)/g, '$1'],
  [/\$\((?:realpath|readlink -f|cd)(?: --)? "?([^\s"()|;&<>]+)"?(?: ?&& ?pwd(?: -P)?)?\)/g, '$1']
]
const COMPUTED = /[$<]\(|`|\$\{!|\$\{\w+(?:\[[^\]]*\])?(?:[#%^,@/]|:(?![-=+?]))/
const ERRANDS = /^(?:run|task|test|build|install|add|lint|fmt|check)$/
const UNKNOWN = /^\$(?:[\w{@*][^/]*)?$/
/** Options whose value is the program itself: the words after it are arguments of that program. */
const PROGRAM_OPTION = /^-\w*[cemp]$/

const DEEPEST = 3
const MOST_VARIANTS = 200
const MOST_ROUNDS = 6
/** In characters, over all variants: values may hold further variables. */
const MOST_READ = 200_000

/** Variables are filled in as far as the command sets them. `undefined`: there are too many ways to read it. */
export function wordRoles(
  command: string,
  args: readonly string[] | undefined,
  known: ReadonlyMap<string, string>
): readonly CommandWord[] | undefined {
  const leaves = args === undefined ? leavesIn(command) : [leafOfWords([command, ...args])]
  const values = valuesIn([command, ...(args ?? [])].join('\n'), known)
  const words = rolesIn(leaves, { values, left: MOST_READ }, 0)
  const run = new Set(words?.filter(({ role }) => isRun(role)).map(({ text }) => text))
  const targets = leaves.flatMap(leaf => leafTargets(leaf, 'write', 'both'))
  const written = [...targets, ...(words ?? []).filter(isWritten).map(({ text }) => text)]
  // What it writes and then runs may come from anywhere; so may what the parser cannot read.
  const isUnseen = written.some(text => run.has(text)) || (args === undefined && !parseShell(command).readable)
  return words && isUnseen ? [...words, ANYTHING] : words
}

const ANYTHING: CommandWord = { text: '', role: 'anything' }

function sure(word: ShellWord): ShellWord {
  let { text } = word
  if (word.known || !/\$\(|`|\$\{/.test(text)) return word
  for (let round = 0; round < MOST_ROUNDS; round++) for (const [form, path] of SURE) text = text.replaceAll(form, path)
  return { text, known: false }
}

const leavesIn = (text: string): readonly Leaf[] =>
  parseShell(text).leaves.flatMap(leaf => [
    { ...leaf, assignments: leaf.assignments.map(sure), words: leaf.words.map(sure) },
    ...leaf.redirections.flatMap(({ kind, target }) => (kind === 'text' ? leavesIn(target.text) : []))
  ])

function runsUnseen({ words, redirections, fed }: Leaf): boolean {
  const [program = '', ...rest] = words.map(({ text }) => text)
  const isPiped = fed && redirections.every(({ kind }) => kind !== 'read' && kind !== 'text')
  if (isPiped && runsCode(programName(program)))
    return rest.every(word => word.startsWith('-')) || rest.some(word => word.startsWith('/dev/'))
  const at = rest.findIndex(word => /^(?:xargs|parallel|-(?:exec|ok)(?:dir)?)$/.test(programName(word)))
  const listed = /^(?:xargs|parallel)$/.test(programName(program)) ? rest : at === -1 ? undefined : rest.slice(at + 1)
  if (listed === undefined) return false
  const isRunner = (name: string): boolean => runsCode(name) || isProgramOf('wrapper', name)
  if (listed.length === 0 && program === 'parallel') return true
  return /^(?:-I ?\{\} )?\{\}/.test(listed.join(' ')) || listed.some(word => isRunner(programName(word)))
}

type Values = ReadonlyMap<string, ReadonlySet<string>>

interface Reading {
  readonly values: Values
  left: number
}

/** What a command sets its variables to, anywhere, and their defaults. */
function valuesIn(text: string, known: ReadonlyMap<string, string>): Values {
  const values = new Map<string, Set<string>>([...known].map(([name, value]) => [name, new Set([value])]))
  const add = (name: string, value: string): void => void values.set(name, (values.get(name) ?? new Set()).add(value))
  for (const word of mayAssign(text, 0)) {
    const [, name, value = ''] = /^(\w+)\+?=(.*)$/s.exec(word) ?? []
    if (name !== undefined) add(name, value)
  }
  for (const [, name = '', value = ''] of text.matchAll(/\$\{(\w+):?[-=+]([^{}]*)\}/g)) add(name, value)
  // What is read from somewhere may be anything.
  for (const [, names = ''] of text.matchAll(
    /\b(?:read|mapfile|readarray|getopts|printf\s+-v|\w+\s+-n)((?:\s+[-\w]+)+)/g
  ))
    for (const name of names.split(/\s+/)) add(name, '$(read)')
  return values
}

/** Code that is given as text is not an assignment, whatever it begins with. */
const mayAssign = (text: string, depth: number): readonly string[] =>
  leavesIn(text).flatMap(leaf => {
    const words = leafWords(leaf)
    const inner = words.flatMap(word => (isProgram(word, depth) ? mayAssign(word, depth + 1) : []))
    const isCode = runsCode(programName(leaf.words[0]?.text ?? ''))
    return [...(isCode ? leafWords({ ...leaf, words: [] }) : words), ...inner]
  })

/** Whether a word may be another command. Commands in substitutions are leaves already. */
const isProgram = (text: string, depth: number): boolean =>
  depth < DEEPEST && /[\s;&|<>()`'"\\]/.test(text) && !/^(?:\w+=)?[$<>]\(.*\)$/s.test(text)

function rolesIn(leaves: readonly Leaf[], reading: Reading, depth: number): readonly CommandWord[] | undefined {
  const all: CommandWord[] = []
  for (const leaf of leaves) {
    const words = leafRoles(leaf, reading)
    if (words === undefined) return undefined
    all.push(...words, ...(runsUnseen(leaf) ? [ANYTHING] : []))
    for (const word of words) {
      const inner = innerOf(word, reading, depth)
      if (inner === undefined) return undefined
      all.push(...inner)
    }
  }
  return all
}

function leafRoles(leaf: Leaf, reading: Reading): readonly CommandWord[] | undefined {
  const words: CommandWord[] = []
  let [role, before, of] = ['program' as Role, '', '']
  const computed = new Set(leaf.words.filter(({ known }) => !known).map(({ text }) => text))
  for (const text of [...leafWords(leaf), ...leafTargets(leaf, 'read', 'both')]) {
    const variants = filled(text, reading.values)
    reading.left -= variants?.join(' ').length ?? 0
    if (variants === undefined || reading.left < 0) return undefined
    const last = variants.at(-1) ?? text
    if (/^(?:bun|deno)$/.test(programName(before)) && ERRANDS.test(text)) role = 'said'
    const now = roleOf(text, role, programName(of), before)
    if (now === 'kept' && isRun(role)) {
      words.push({ text, role: now })
      ;[before, of] = [text, '']
      continue
    }
    if (isRun(now) && !isAssignment(text)) {
      if (computed.has(text) && [text, ...variants].some(each => COMPUTED.test(each))) words.push(ANYTHING)
      if (CODE_OPTION.test(before) && isProgramOf('interpreter', programName(of))) {
        words.push(...codeWords(text))
        role = 'said'
        continue
      }
      if (!text.startsWith('-')) of = last
    }
    words.push(
      ...[...variants, ...(now === 'given' ? modulesIn(text, before) : [])].map(each => ({ text: each, role: now, of }))
    )
    role = roleAfter(role, last, before)
    before = text
  }
  return words
}

export const isRun = (role: Role): boolean => role === 'program' || role === 'given'

/** Tests and readers do not change a file. */
const isWritten = ({ role, of = '' }: CommandWord): boolean =>
  role === 'kept' && !isProgramOf('tests', programName(of)) && !isProgramOf('readsData', programName(of))

function codeWords(code: string): readonly CommandWord[] {
  const words = new Set(code.split(/[^\w./-]+/).flatMap(word => [word, word.replaceAll('.', '/')]))
  return [
    ...[...words].map(text => ({ text, role: 'given' }) as const),
    ...(COMPUTES.test(code.replaceAll(PLAIN, '')) ? [ANYTHING] : [])
  ]
}

/** What a program only writes, or reads as data, does not run. */
function roleOf(text: string, role: Role, program: string, before: string): Role {
  if (isAssignment(text)) return SEARCHED.test(text) ? 'given' : isData(text) ? 'kept' : 'said'
  if (role === 'program' && program === 'flock') return 'kept'
  if (role !== 'said') return role
  if (isProgramOf('writes', program) || isProgramOf('tests', program)) return 'kept'
  if (program === 'sqlite3' && /\.(?:db|sqlite3?)$/.test(text)) return 'kept'
  return isProgramOf('readsData', program) && isData(text) && !/^-(?:\w*[fLe]|\w{3,}|-.*)$/.test(before)
    ? 'kept'
    : 'said'
}

function innerOf({ text, role, of }: CommandWord, reading: Reading, depth: number): readonly CommandWord[] | undefined {
  if (!isProgram(text, depth)) return []
  const inner = rolesIn(leavesIn(text), reading, depth + 1)
  return isRun(role) ? inner : inner?.map(word => ({ text: word.text, role, ...(role === 'kept' && { of }) }))
}

function roleAfter(role: Role, text: string, before: string): Role {
  const name = programName(text)
  // A program that only a shell can tell may be an interpreter.
  if (role === 'program' ? runsCode(name) || UNKNOWN.test(text) : name !== '.' && runsCode(name)) return 'given'
  if (role === 'said' || text.startsWith('-') || isAssignment(text) || /^[\d.]+[smhd]?$/.test(text)) return role
  if (role === 'program' && isProgramOf('wrapper', name)) return role
  // It may be the value of an option.
  if (before.startsWith('-') && !PROGRAM_OPTION.test(before)) return role
  return 'said'
}

/** `-m a.b` runs what is in the folder `a`, too. */
function modulesIn(text: string, before: string): readonly string[] {
  const [, name] = /^(?:-m)?([\w.]+)$/.exec(/^-\w*m$/.test(before) || text.startsWith('-m') ? text : '') ?? []
  const parts = name?.split('.') ?? []
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function filled(word: string, values: Values): readonly string[] | undefined {
  let all = [word]
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next: string[] = []
    for (const each of all)
      for (const variant of withFirst(each, values)) if (next.push(variant) > MOST_VARIANTS) return undefined
    if (next.every((each, at) => each === all[at])) break
    all = next
  }
  return all
}

function* withFirst(word: string, values: Values): Generator<string> {
  for (const { 0: whole, 1: plain, 2: braced, index } of word.matchAll(/\$(?:(\w+)|\{(\w+)[^}]*\})/g)) {
    const own = values.get(plain ?? braced ?? '')
    if (own === undefined) continue
    for (const value of own) yield word.slice(0, index) + value + word.slice(index + whole.length)
    return
  }
  yield word
}
