import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { scriptIn, wordsRead, wordsWithTargets } from '../../shell/command-words.ts'
import { singleQuoted } from '../../shell/parse.ts'
import { isFile, isFolder } from '../../world/files/paths.ts'
import type { ProgramSpec } from './program.ts'

export interface Plugin {
  /** Its hooks without a name are named after it. */
  readonly name?: string | undefined
  readonly root: string
  readonly data: string
}

/**
 * Fills in `${CLAUDE_PROJECT_DIR}` and the like. In a shell command only if the path is plain, or plain but for blanks
 * and in single quotes; else the shell takes it from the environment, so that no path is read as code.
 */
export function filledIn(text: string, paths: Readonly<Record<string, string>>, forShell: boolean): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string, at: number) => {
    const path = Object.hasOwn(paths, name) ? paths[name] : undefined
    if (path === undefined) return whole
    if (!forShell || /^[\w@%+=:,./-]*$/.test(path)) return path
    // Quoted text may be a program for another shell.
    return /^[\w@%+=:,./ -]*$/.test(path) && singleQuoted(text).some(([from, to]) => at > from && at < to)
      ? path
      : whole
  })
}

/**
 * A command runs in the folder of the event. One whose script is a relative path runs in the project's root, so that it
 * never runs a file of the same name elsewhere.
 */
export function folderFor(
  { command, args, ofProject }: Pick<ProgramSpec, 'command' | 'args' | 'ofProject'>,
  root: string,
  cwd: string | undefined
): string {
  if (cwd === undefined || cwd === root) return root
  const words = args === undefined ? wordsWithTargets(command) : [command, ...args]
  const isNamed =
    isRelative(scriptIn(words)) || words.some(word => looksLikePath(word) && existsSync(resolve(root, word)))
  return isNamed || (ofProject === true && words.some(word => mayLeadInto(word, root))) ? root : cwd
}

/** Whether a part of a word leads into a folder of the project: `cd tools`, `tools/*.sh`, `D=tools; $D/run.sh`. */
const mayLeadInto = (word: string, root: string): boolean =>
  word.split(/[\s'"`;&|<>(){}=:]+/).some(part => {
    const [first = ''] = part.split('/')
    return isRelative(first) && isFolder(resolve(root, first))
  })

const isRelative = (word: string): boolean => word !== '' && !/^[/~$-]|^\w+:/.test(word)

/** Words that are meant as paths, and not words that happen to be the name of a file. */
const looksLikePath = (word: string): boolean => isRelative(word) && /[./]/.test(word)

const expanded = (word: string, env: Readonly<Record<string, string>>): string =>
  word
    .replace(/^~(?=\/|$)/, env['HOME'] ?? '~')
    .replaceAll(/\$\{?(\w+)\}?/g, (whole, name: string) => (Object.hasOwn(env, name) ? env[name] : undefined) ?? whole)

function namesIn(words: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...words, ...words.flatMap(wordsRead)].map(word => expanded(word, env)))]
}

export const scriptsNamedBy = (
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>
): readonly string[] =>
  namesIn(words, env)
    .filter(name => name.includes('/'))
    .map(name => resolve(cwd, name))
    .filter(isFile)

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
