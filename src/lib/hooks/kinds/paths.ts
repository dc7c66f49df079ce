import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { isFolder } from '../../world/files/paths.ts'
import type { ProgramSpec } from './program.ts'
import { singleQuoted, wordsOf } from './words.ts'

/** Where a plugin lives, and where it may keep data. */
export interface Plugin {
  /** Its hooks that have no name are called after it. */
  readonly name?: string | undefined
  readonly root: string
  readonly data: string
}

/**
 * `${CLAUDE_PROJECT_DIR}` and the like, filled in. In a shell command only where the path is plain, or plain but for
 * blanks and in single quotes: anything else is left to the shell, which finds it in the environment, so that no path is ever
 * read as a piece of program.
 */
export function filledIn(text: string, paths: Readonly<Record<string, string>>, forShell: boolean): string {
  const literal = forShell ? singleQuoted(text) : []
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string, at: number) => {
    const path = Object.hasOwn(paths, name) ? paths[name]! : undefined
    if (path === undefined) return whole
    if (!forShell || /^[\w@%+=:,./-]*$/.test(path)) return path
    // What stands in quotes may be a program for another shell.
    return /^[\w@%+=:,./ -]*$/.test(path) && literal.some(([from, to]) => at > from && at < to) ? path : whole
  })
}

/** The words of a command, roughly as a shell would see them. */
export const wordsIn = (command: string): readonly string[] => wordsOf(command).map(({ text }) => text)

const INTERPRETERS = /^(?:ba|da|z|k|fi)?sh$|^python[\d.]*$|^(?:node|deno|bun|tsx|ts-node|ruby|perl|php|pwsh|source|\.)$/

/**
 * Where a command runs: in the folder of the event. One whose script is named by a relative path runs in the project's
 * root, so that a file of the same name elsewhere is never taken for it.
 */
export function folderFor(
  { command, args, ofProject }: Pick<ProgramSpec, 'command' | 'args' | 'ofProject'>,
  root: string,
  cwd: string | undefined
): string {
  if (cwd === undefined || cwd === root) return root
  const words = args === undefined ? wordsIn(command) : [command, ...args]
  const isNamed =
    isRelative(scriptIn(words)) || words.some(word => looksLikePath(word) && existsSync(resolve(root, word)))
  return isNamed || (ofProject === true && words.some(word => mayLeadInto(word, root))) ? root : cwd
}

/** Whether a part of a word is the way into a folder of the project: `cd tools`, `tools/*.sh`, `D=tools; $D/run.sh`. */
const mayLeadInto = (word: string, root: string): boolean =>
  word.split(/[\s'"`;&|<>(){}=:]+/).some(part => {
    const [first = ''] = part.split('/')
    return isRelative(first) && isFolder(resolve(root, first))
  })

/** The program, or what an interpreter is given to run; nothing where it is named without a path. */
export function scriptIn(words: readonly string[]): string {
  const [program = '', ...rest] = words.filter(word => !/^\w+=/.test(word))
  if (!INTERPRETERS.test(basename(program))) return program.includes('/') ? program : ''
  const script = rest.find(word => !word.startsWith('-'))
  // What follows `-c` or `-m` is no file.
  const isFile = script !== undefined && !rest.slice(0, rest.indexOf(script)).some(word => /^-\w*[cme]$/.test(word))
  return isFile ? script : ''
}

const isRelative = (word: string): boolean => word !== '' && !/^[/~$-]|^\w+:/.test(word)

/** Words that are meant as paths, and not as words that happen to be the name of something. */
const looksLikePath = (word: string): boolean => isRelative(word) && /[./]/.test(word)
