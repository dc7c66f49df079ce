import { posix, resolve } from 'node:path'
import { commandsHeldBy, piecesOf } from './held-commands.ts'
import type { Places } from './paths.ts'
import { commandsIn } from './simple-command.ts'

/** Where a command runs. */
export interface Ground {
  /** Its working folder, where that is known; the project's otherwise. */
  readonly cwd?: string | undefined
  /** Where a path really leads. Without it, links are not followed. */
  readonly real?: ((path: string) => string) | undefined
  /** Whether there is anything at a path. Without it, nothing is known to be there. */
  readonly has?: ((path: string) => boolean) | undefined
}

/** Every path that a command may name: as it is written, and where it really leads. */
export function pathsNamedBy(command: string, { roots: [root = '/'], home }: Places, ground: Ground): Set<string> {
  const { cwd = root } = ground
  const real = (path: string): string => (path.length > LONGEST_PATH ? path : (ground.real?.(path) ?? path))
  const folders = new Set([cwd, root, ...foldersIn(command, cwd)].flatMap(folder => [folder, real(folder)]))
  const paths = new Set<string>()
  for (const word of wordsIn(command)) {
    const text = home !== undefined && /^~(?:\/|$)/.test(word) ? home + word.slice(1) : word
    for (const folder of folders) paths.add(resolve(folder, text))
    // From which folder further down it leads up cannot always be told.
    const up = posix.normalize(text)
    if (up.startsWith('../')) paths.add(resolve(root, up.replace(/^(?:\.\.\/)+/, '')))
  }
  return new Set(Array.from(paths).flatMap(path => [path, real(path)]))
}

/** Nothing is found behind a longer one. */
const LONGEST_PATH = 4096

const MOST_FOLDERS = 50

/** The folders that a command goes into, one after the other. */
function foldersIn(command: string, cwd: string): ReadonlySet<string> {
  const folders = new Set<string>()
  let folder = cwd
  for (const { words } of commandsIn(command) ?? []) {
    const [program, ...rest] = words
    const to = rest.find(word => word !== undefined && !word.startsWith('-'))
    if (to === undefined || (program !== 'cd' && program !== 'pushd')) continue
    folder = resolve(folder, to)
    if (folders.size < MOST_FOLDERS) folders.add(folder)
  }
  return folders
}

/** Every word that may be a path: arguments, what is glued to an option or a sign, and what is written to or read. */
function wordsIn(text: string): ReadonlySet<string> {
  const words = (commandsIn(text) ?? piecesOf(text)).flatMap(({ said }) => said)
  const inner = commandsHeldBy(text).commands.flatMap(({ words: held, start, sure }) =>
    sure && start === 0 ? held : []
  )
  const found = new Set<string>()
  for (const word of [...words, ...inner]) {
    if (word === undefined || word === '') continue
    const path = word.replace(/^\$(?:HOME\b|\{HOME\})/, '~').replace(/^\$(?:PWD\b|\{PWD\})/, '.')
    for (const part of [path, ...gluedIn(path)]) if (part !== '') found.add(part)
  }
  return found
}

/** `--file=a`, `-fa`, `@a`, `HEAD:a`, `a:b`. Which letters are options cannot be told. */
function gluedIn(word: string): readonly string[] {
  const letters = /^-[A-Za-z]{1,8}/.exec(word)?.[0].length ?? 0
  const behindLetters = Array.from({ length: Math.max(0, letters - 1) }, (_, index) => word.slice(index + 2))
  const aroundSigns = Array.from(word.matchAll(/[=:@,]/g))
    .slice(0, MOST_SIGNS)
    .flatMap(({ index }) => [word.slice(0, index), word.slice(index + 1)])
  return [...behindLetters, ...aroundSigns]
}

const MOST_SIGNS = 20
