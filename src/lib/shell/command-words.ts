import { parseShell, type Leaf } from './parse.ts'
import { isProgramOf, programName } from './programs.ts'
import { isAssignment } from './variables.ts'

/** Assignments first. */
export const leafWords = ({ assignments, words }: Leaf): readonly string[] =>
  [...assignments, ...words].map(({ text }) => text)

/** The files of its redirections; of a here-document, the words. */
export const leafTargets = ({ redirections }: Leaf, ...kinds: readonly string[]): readonly string[] =>
  redirections.flatMap(({ kind, target: { text } }) =>
    !kinds.includes(kind) ? [] : kind === 'text' ? text.split(/[\s;&|<>()`'"\\]+/) : [text]
  )

/** Includes nested commands and files that are read; excludes files that are only written. */
export const wordsRead = (text: string): readonly string[] =>
  parseShell(text).leaves.flatMap(leaf => [...leafWords(leaf), ...leafTargets(leaf, 'read', 'both', 'text')])

export const wordsWithTargets = (text: string): readonly string[] =>
  parseShell(text).leaves.flatMap(leaf => [...leafWords(leaf), ...leafTargets(leaf, 'read', 'both', 'text', 'write')])

/** Nothing but `&&` joins the commands: each runs only after a `cd` in front of it has led to its folder. */
export const isChain = (text: string): boolean => !/[;|&!\n]/.test(text.trim().replaceAll('&&', ''))

/** The program, or the file that an interpreter runs; empty where it is named without a path. */
export function scriptIn(words: readonly string[]): string {
  const [program = '', ...rest] = words.filter(word => !/^\w+=/.test(word))
  if (!takesScript(programName(program))) return program.includes('/') ? program : ''
  const script = rest.find(word => !word.startsWith('-'))
  // What follows `-c` or `-m` is not a file.
  const isFile = script !== undefined && !rest.slice(0, rest.indexOf(script)).some(word => /^-\w*[cme]$/.test(word))
  return isFile ? script : ''
}

const takesScript = (name: string): boolean =>
  isProgramOf('shell', name) || isProgramOf('interpreter', name) || name === 'source' || name === '.'

/** Without the blanks of the shell around it. Others are part of a word. */
export const trimmed = (text: string): string => text.replaceAll(/^[ \t\n]+|[ \t\n]+$/g, '')

/**
 * The words of a text that is provably one simple command: nothing separates, substitutes, expands, assigns or writes,
 * and each character can be seen. Undefined means: it may be one, or not.
 */
export function simpleCommand(text: string): readonly string[] | undefined {
  const bare = trimmed(text)
  const { single, leaves } = parseShell(bare)
  const [leaf] = leaves
  if (!single || leaf === undefined || bare.includes('\n') || leaf.assignments.length > 0) return undefined
  const isCertain = leaf.words.every(({ known }) => known) && leaf.redirections.every(({ kind }) => kind === 'nowhere')
  const words = leaf.words.map(word => word.text)
  const [program = ''] = words
  return isCertain && /^[\x21-\x7E]+$/.test(program) && !isAssignment(program) ? words : undefined
}

/** Quoted where necessary, for commands that people copy. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
