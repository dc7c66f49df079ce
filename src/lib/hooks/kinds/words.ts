import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isFile } from '../../world/files/paths.ts'

/** A word of a command, without its quotes. */
export interface Word {
  readonly text: string
  /** Output goes there: it is written, not run. */
  readonly isTarget: boolean
  /** Where it stands, quotes included. */
  readonly from: number
  readonly to: number
}

const SEPARATORS = /[\s;&|<>()`]/
/** What makes a word more, or less, than itself. */
const SPECIAL = /[\s;&|<>()`'"\\]/

/** The words of a command, as far as one can tell without running it. */
export function wordsOf(command: string): readonly Word[] {
  if (command !== '' && !SPECIAL.test(command)) return [{ text: command, isTarget: false, from: 0, to: command.length }]
  const words: Word[] = []
  let text: string | undefined
  let isTarget = false
  let from = 0
  const end = (to: number): void => {
    if (text !== undefined) {
      words.push({ text, isTarget, from, to })
      isTarget = false
    }
    text = undefined
  }
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!
    if (text === undefined) from = at
    if (SEPARATORS.test(char)) {
      end(at)
      if (char === '>') isTarget = true
      else if (!/\s/.test(char)) isTarget = false
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(command, at)
      text = (text ?? '') + quoted.text
      at = quoted.end
    } else text = (text ?? '') + (char === '\\' ? (command[++at] ?? '') : char)
  }
  end(command.length)
  return words
}

function readQuoted(command: string, start: number): { text: string; end: number } {
  const quote = command[start]
  let text = ''
  let at = start + 1
  for (; at < command.length && command[at] !== quote; at++) {
    const escapes = quote === '"' && command[at] === '\\' && '"\\$`'.includes(command[at + 1] ?? ' ')
    text += escapes ? command[++at]! : command[at]!
  }
  return { text, end: at }
}

/** Where quotes are single, nothing is expanded: from and to of each such piece. */
export function singleQuoted(command: string): readonly (readonly [number, number])[] {
  const pieces: [number, number][] = []
  for (let at = 0; at < command.length; at++) {
    const char = command[at]
    if (char === '\\') at++
    else if (char === "'" || char === '"') {
      const { end } = readQuoted(command, at)
      if (char === "'") pieces.push([at, end])
      at = end
    }
  }
  return pieces
}

/** Variables and the home folder, filled in from an environment. */
const expanded = (word: string, env: Readonly<Record<string, string>>): string =>
  word
    .replace(/^~(?=\/|$)/, env['HOME'] ?? '~')
    .replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => (Object.hasOwn(env, name) ? env[name]! : whole))

/** All words of a program that may name a file, those of a command line among them. */
function namesIn(words: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const inner = words.flatMap(word => wordsOf(word).filter(each => !each.isTarget))
  return [...new Set([...words, ...inner.map(({ text }) => text)].map(word => expanded(word, env)))]
}

/** The files that a program and its words name by a path. */
export const scriptsNamedBy = (
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>
): readonly string[] =>
  namesIn(words, env)
    .filter(name => name.includes('/'))
    .map(name => resolve(cwd, name))
    .filter(isFile)

/** The files that a program and its words name: by a path, in its folder, or by a name that is found in PATH. */
export function filesNamedBy(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>
): readonly string[] {
  return namesIn(words, env).flatMap(name => {
    const file = isAbsolute(name) ? name : resolve(cwd, name)
    if (isFile(file)) return [file]
    return name.includes('/') || !/^[\w.+-]+$/.test(name) ? [] : inPath(name, env['PATH'] ?? '')
  })
}

function inPath(name: string, path: string): readonly string[] {
  const folder = path.split(delimiter).find(each => each !== '' && isFile(join(each, name)))
  return folder === undefined ? [] : [join(folder, name)]
}
