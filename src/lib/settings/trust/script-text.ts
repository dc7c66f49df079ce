import { statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { isData, wordRoles, type CommandWord } from './word-roles.ts'
import { readText } from '../files/text.ts'

interface ScriptText {
  readonly stamp: string
  readonly runsArguments: boolean
  readonly words: readonly CommandWord[]
  /** It runs more than it imports, so that files without an ending count, too. */
  readonly runsMore: boolean
}

const LARGEST = 65_536
const known = new Map<string, ScriptText>()

/** What a script computes at run time is not known. */
export function scriptText(file: string): ScriptText {
  const { size = 0, mtimeMs = 0, ctimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  const stamp = `${size} ${mtimeMs} ${ctimeMs}`
  const before = known.get(file)
  if (before?.stamp === stamp) return before
  const read = { stamp, ...(size > LARGEST ? UNREADABLE : readScript(file)) }
  known.set(file, read)
  return read
}

const UNREADABLE = { runsArguments: true, words: [], runsMore: true } as const

function readScript(file: string): Omit<ScriptText, 'stamp'> {
  const read = readText(file)
  if (!('text' in read)) return UNREADABLE
  const { text } = read
  const isShell = text.startsWith('#!') ? /^#!.*\b\w*sh\b/.test(text) : /^(?:|\.\w*sh)$/.test(extname(file))
  return isShell ? inShell(text, dirname(file)) : inOther(text)
}

function inShell(text: string, folder: string): Omit<ScriptText, 'stamp'> {
  const words = wordRoles(text, undefined, new Map([['0_FOLDER', folder]]))
  if (words === undefined) return UNREADABLE
  // A program by its bare name is one of the system.
  const run = words.filter(({ text: word, role }) => role === 'given' || (role === 'program' && /[/$]/.test(word)))
  const once = new Map(run.map(word => [word.text, word]))
  return {
    words: [...once.values()],
    runsMore: true,
    runsArguments: [...once.keys()].some(word => /\$\{?[1-9@*]/.test(word))
  }
}

const RUNS =
  /\b(?:exec\w*|eval|compile|__import__|importlib|runpy|spawn\w*|system|popen|subprocess|vm|load|fork)\b|\b(?:require|import)\(/
const NAMES = /['"]([^'"\n]{1,200})['"]|^[ \t]*(?:from|import)[ \t]+([\w., \t]+)/gm

function inOther(text: string): Omit<ScriptText, 'stamp'> {
  const names = [...text.matchAll(NAMES)].flatMap(([, quoted, imported]) => quoted ?? imported!.split(/[\s,]+/))
  const words = names.flatMap(name => [name, name.replaceAll(/(?<=\w)\.(?=\w)/g, '/')])
  return {
    words: [...new Set(words)].filter(word => !isData(word)).map(word => ({ text: word, role: 'given' })),
    runsMore: RUNS.test(text),
    runsArguments: /argv|ARGV|\$_SERVER/.test(text) && RUNS.test(text)
  }
}
