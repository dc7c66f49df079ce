import { KINDS, NARROW } from './rows/kinds.ts'
import { FREE_TEXTS, FREE_WORDS } from './rows/free.ts'
import { HARM_IN_AWK, INSTALLS } from './rows/words.ts'
import type { Form } from './form.ts'
import type { ShellWord } from './parse.ts'
import type { ProgramRow } from './row.ts'
import { isHarmlessVariable } from './variables.ts'

/** What reads a command by the row of its program. */
export interface RowReader {
  readonly name: string
  readonly row: ProgramRow
  /** Where the words behind the name start. */
  readonly from: number
  readonly form: Form
  doubt(why: string, until?: number, isOpaque?: boolean): void
}

/** Takes a word as what its row says it is: a path, a text of this kind. */
export function takeOperand(reader: RowReader, word: ShellWord, kind: string, index: number): void {
  const { form, name } = reader
  const { text, known } = word
  const narrow = NARROW[kind]
  if (FREE_TEXTS[kind]?.test(text) === false) form.wide ??= text
  if (kind === 'url') form.urls.push(text)
  if (/^(?:target|task|since)$/.test(kind)) form.inside.push(...pathsLeadingOut(text))
  // A script that reads files is not known, but what rules say about those files counts.
  if (kind === 'sed')
    form.reads.push(...Array.from(text.matchAll(/^(?:\d+|\$|\/.*\/)?[rR][ \t]*(.+)$/gm), ([, path = '']) => path))
  if (narrow !== undefined) {
    if (narrow.not.test(text)) reader.doubt(`${text} is not a file, or chooses others, for ${name}`, index + 1)
    takeOperand(reader, word, narrow.as, index)
  } else if (!known) takeUnknown(reader, text, kind)
  else if (kind === 'awk') {
    if (HARM_IN_AWK.test(text)) reader.doubt('the program of awk is not known to be harmless')
  } else if (kind === 'folder' && text.startsWith('-')) reader.doubt('it may be the folder before, or an option')
  else if (kind === 'remote') form.remotes.push(text)
  else if (/^(?:inside|script|file|gopath)$/.test(kind)) takeInside(reader, text, kind, index)
  else if (kind in PATHS) takePath(reader, text, kind)
  else if (kind === 'variable' ? !isHarmlessVariable(text) : KINDS[kind]?.test(text) !== true)
    // What the words behind another sub-command are is not known.
    reader.doubt(`${text} is not known to be harmless for ${name}`, kind.endsWith('command') ? undefined : index + 1)
  else if (kind.endsWith('package') && INSTALLS.test(name))
    reader.doubt(`${text} is a package by others, and only a rule that contains ${name} covers it`, reader.from, false)
}

/** The path in a pathspec of git: `:/a`, `:(top)a`, also after the name of a commit; excluded paths do not count. */
export function pathspecIn(text: string): readonly string[] | undefined {
  const [, magic = '', signs = '', path] = /:(?:\(([^)]*)\)|([!^/]+):?)(.*)$/s.exec(text) ?? []
  if (path === undefined) return undefined
  return /exclude/.test(magic) || /[!^]/.test(signs) ? [] : [path.replace(/^\/+/, '')]
}

const behindColons = (text: string): readonly string[] =>
  Array.from(text.matchAll(/:/g), ({ index }) => text.slice(index + 1))

/** `HEAD:a`, `:0:a`, `HEAD@{0:00}:a`, and pathspecs. */
const inRevision = (text: string): readonly string[] => [
  text,
  ...((/^:[(!^/]/.test(text) ? pathspecIn(text) : undefined) ?? behindColons(text))
]

/** The paths in a word, by its kind. */
const PATHS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  read: text => [text],
  write: text => [text],
  folder: text => [text],
  deep: text => [text],
  rev: inRevision,
  changed: inRevision,
  lines: behindColons
}

function takePath({ form, doubt }: RowReader, text: string, kind: string): void {
  // Some programs read patterns themselves.
  if (/[{,]\.\.?[},/]/.test(text)) doubt(`${text} may lead out of the project`)
  const paths = PATHS[kind]?.(text) ?? []
  if (kind !== 'write') form.reads.push(...paths)
  if (kind === 'write' || kind === 'changed') form.writes.push(...paths)
  if (kind === 'deep') form.deep = true
}

function takeInside({ form, row, doubt }: RowReader, text: string, kind: string, index: number): void {
  const path = text.replace(/::.*$/s, '').replace(/\/\.\.\.$/, '')
  // `+x` is an option of shells, and a few words are sub-commands.
  const isOdd = kind === 'file' ? /^(?:\+|$|inspect$|debug$|watch$)/.test(path) : kind !== 'inside' && path === ''
  if (isOdd || /^[-~]|@|^\w+:|^\/(?:dev|proc)\//.test(path)) doubt(`${text} is not a file of the project`, index + 1)
  if (kind === 'file') form.scripts.push(path)
  form.inside.push(path)
  form.reads.push(path)
  if (row.does === 'changes') form.writes.push(path)
}

/** Patterns and variables. Where no option does harm, they may become anything. */
function takeUnknown(reader: RowReader, text: string, kind: string): void {
  const { name, form, row, doubt } = reader
  const isAny = row.properties.has('any')
  const mayBe = /^(?:read|write|rev|changed|inside|script|text|task)$/.test(kind)
  const isHiddenTarget = /^(?:write|changed)$/.test(kind) && isHidden(text)
  if (mayBe && isPattern(text) && (isAny || isSafePattern(text)) && !isHiddenTarget) form.patterns.push(text)
  else if (kind !== 'text' || !isAny || (/[`(*?[]/.test(text) && FREE_WORDS[name]?.test(text) !== true))
    doubt(`${text} is only known to the shell`)
}

export const isPattern = (text: string): boolean => /[*?[]/.test(text) && !/[$`~{(\\]/.test(text)

/** What it becomes cannot be an option. */
export const isSafePattern = (text: string): boolean => isPattern(text) && /^[\w./]/.test(text)

/** What it becomes may be a file that controls the agent: only a pattern with a dot finds those. */
export const isHidden = (text: string): boolean => /(?:^|\/)\.(?!\.?(?:\/|$))/.test(text)

/** The paths in a word that may lead out of the project: `--x=/a`, `-o/a`, `a:/b`, `a,../b`. */
export const pathsLeadingOut = (text: string): readonly string[] =>
  [text, text.replace(/^-\w/, '')]
    .flatMap(each => each.replaceAll(/\bhttps?:\/\/\S*/g, '').split(/[=:,@\s]/))
    .filter(each => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(each))
