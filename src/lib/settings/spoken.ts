import { basename } from 'node:path'
import { wordsOf } from '../hooks/kinds/words.ts'

/** A word of a command. */
export interface Spoken {
  readonly text: string
  /** `program`: it is started. `given`: it is given to something that runs what it is given. Else it is only said. */
  readonly role: 'program' | 'given' | 'said'
}

type Role = Spoken['role']

/** What runs what it is given, be it a file, a folder or a line of program. */
const RUNS =
  /^(?:(?:ba|da|z|k|mk|fi|a)?sh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua[\d.]*|pwsh|Rscript|source|eval|run-parts)$/
/** After these comes a program. */
const BEFORE_PROGRAM =
  /^(?:env|sudo|doas|nohup|nice|ionice|time|timeout|stdbuf|setsid|flock|exec|command|builtin|xargs|parallel|if|then|elif|else|while|until|do|!|\{)$/
/** Where what is listed, read or found is run, or may be, any word may name it. */
const FEEDS =
  /\|&?\s*(?:\S{0,200}\/)?(?:(?:ba|da|z|k)?sh|xargs|parallel|source|python[\d.]*|node|perl|ruby)\b|\bread\b|-(?:exec|ok)/
/** What some interpreters can do besides. */
const ERRANDS = /^(?:run|task|test|build|install|add|lint|fmt|check)$/
/** Only a shell can tell what it is. */
const UNKNOWN = /^\$(?:[\w{@*(][^/]*)?$/
const ASSIGNMENT = /^\w+\+?=/
/** Options whose value is the program itself: what follows it is given to the program. */
const PROGRAM_OPTION = /^-\w*[cemp]$/

const DEEPEST = 3
const MOST_VARIANTS = 200
const MOST_ROUNDS = 6
/** So many characters are read in all: what is filled in may hold variables, too. */
const MOST_READ = 200_000

/**
 * The words of a command, quoted programs among them, with variables filled in as far as the command itself says what
 * they are. `undefined`: there are too many ways to read it.
 */
export function spokenIn(
  command: string,
  args: readonly string[] | undefined,
  known: ReadonlyMap<string, string>
): readonly Spoken[] | undefined {
  const read =
    args === undefined ? wordsIn(command) : [command, ...args].map((text, at) => ({ text, starts: at === 0 }))
  const values = valuesIn([command, ...(args ?? [])].join('\n'), known)
  return spoken(read, args === undefined && FEEDS.test(command), { values, left: MOST_READ }, 0)
}

interface Read {
  readonly text: string
  /** It is the first of a command. */
  readonly starts: boolean
}

function wordsIn(text: string): readonly Read[] {
  let end = 0
  return wordsOf(text).flatMap(({ text: word, isTarget, from, to }) => {
    const starts = end === 0 || /[;&|()`\n]/.test(text.slice(end, from))
    end = to
    return isTarget ? [] : [{ text: word, starts }]
  })
}

type Values = ReadonlyMap<string, ReadonlySet<string>>

/** One reading of a command. */
interface Reading {
  readonly values: Values
  /** How many characters may still be read. */
  left: number
}

/** What variables may be, by the command: what they are set to anywhere in it, and what stands in for them. */
function valuesIn(text: string, known: ReadonlyMap<string, string>): Values {
  const values = new Map<string, Set<string>>([...known].map(([name, value]) => [name, new Set([value])]))
  const add = (name: string, value: string): void =>
    void (values.get(name) ?? values.set(name, new Set()).get(name)!).add(value)
  for (const { text: word } of allWords(text, 0)) {
    const [, name, value] = /^(\w+)\+?=(.*)$/s.exec(word) ?? []
    if (name !== undefined) add(name, value!)
  }
  for (const [, name, value] of text.matchAll(/\$\{(\w+):?[-=+]([^{}]*)\}/g)) add(name!, value!)
  return values
}

const allWords = (text: string, depth: number): readonly Read[] =>
  wordsIn(text).flatMap(word => [word, ...(isProgram(word.text, depth) ? allWords(word.text, depth + 1) : [])])

/** Whether a word may be read as a command once more. */
const isProgram = (text: string, depth: number): boolean => depth < DEEPEST && /[\s;&|<>()`'"\\]/.test(text)

function spoken(
  read: readonly Read[],
  anyRuns: boolean,
  reading: Reading,
  depth: number
): readonly Spoken[] | undefined {
  const words: Spoken[] = []
  let [role, before, loops] = ['program' as Role, '', false]
  for (const { text, starts } of read) {
    if (starts) [role, before, loops] = ['program', '', false]
    const variants = filled(text, reading.values)
    reading.left -= variants?.join(' ').length ?? 0
    if (variants === undefined || reading.left < 0) return undefined
    if (/^(?:bun|deno)$/.test(basename(before)) && ERRANDS.test(text)) role = 'said'
    const now = ASSIGNMENT.test(text) ? 'said' : anyRuns || loops ? 'given' : role
    // A program that cannot be told may be any of the words.
    if (!anyRuns && now !== 'said' && text !== '$' && variants.some(each => UNKNOWN.test(each)))
      return spoken(read, true, reading, depth)
    words.push(
      ...[...variants, ...(now === 'given' ? modulesIn(text, before) : [])].map(each => ({ text: each, role: now }))
    )
    role = roleAfter(role, variants.at(-1)!, before)
    loops ||= text === 'in'
    before = text
  }
  const all: Spoken[] = [...words]
  for (const word of words) {
    const inner = innerOf(word, reading, depth)
    if (inner === undefined) return undefined
    all.push(...inner)
  }
  return all
}

/** What a quoted program says. In what is only said, a shell still runs what stands in `$(…)`. */
function innerOf({ text, role }: Spoken, reading: Reading, depth: number): readonly Spoken[] | undefined {
  if (!isProgram(text, depth)) return []
  const inner = spoken(wordsIn(text), FEEDS.test(text), reading, depth + 1)
  return role !== 'said' || /\$\(|`/.test(text) ? inner : inner?.map(word => ({ text: word.text, role: 'said' }))
}

function roleAfter(role: Role, text: string, before: string): Role {
  const name = basename(text)
  if (RUNS.test(name) || (role === 'program' && text === '.')) return 'given'
  if (role === 'said' || text.startsWith('-') || ASSIGNMENT.test(text) || /^[\d.]+[smhd]?$/.test(text)) return role
  if (role === 'program' && BEFORE_PROGRAM.test(name)) return role
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

/** All that a word may be. */
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

/** A word with each value of the first variable that has any. */
function* withFirst(word: string, values: Values): Generator<string> {
  for (const { 0: whole, 1: plain, 2: braced, index } of word.matchAll(/\$(?:(\w+)|\{(\w+)[^}]*\})/g)) {
    const own = values.get(plain ?? braced!)
    if (own === undefined) continue
    for (const value of own) yield word.slice(0, index) + value + word.slice(index + whole.length)
    return
  }
  yield word
}
