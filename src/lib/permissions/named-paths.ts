import type { CallFacts, PathLookup } from './policy.ts'
import { posix, resolve } from 'node:path'
import type { Subject } from '../message.ts'
import { repositoryTop } from '../world/files/paths.ts'
import { pathsInCode } from '../shell/code-words.ts'
import { leafTargets, leafWords } from '../shell/command-words.ts'
import type { Form } from '../shell/form.ts'
import { commandsHeldBy } from '../shell/nested-commands.ts'
import { pathspecIn } from '../shell/operand.ts'
import { parseShell } from '../shell/parse.ts'
import { takesCode } from '../shell/programs.ts'
import { roughLeaves } from '../shell/split-words.ts'
import { Walker, type CommandStep, type WalkedText } from '../shell/walk.ts'
import { pathGlob } from '../util/path-glob.ts'
import type { RulePlaces } from './path-pattern.ts'

/** The paths that a text may mean: as written, and resolved. */
export interface NamedPaths {
  readonly paths: ReadonlySet<string>
  /** A text that may mean a path that is not among them. */
  readonly unsure: string | undefined
}

/** All rules ask about the same call: what is found about the last one is kept. */
export const oncePerCall = <T>(look: (command: string, places: RulePlaces, ground: PathLookup) => T): typeof look => {
  let last: readonly [PathLookup, string, string | undefined, T] | undefined
  return (command, places, ground) => {
    const [root] = places.roots
    if (last?.[0] !== ground || last[1] !== command || last[2] !== root)
      last = [ground, command, root, look(command, places, ground)]
    return last[3]
  }
}

type Way = ReturnType<NonNullable<PathLookup['real']>>
let ways: { readonly ground: PathLookup; readonly found: Map<string, Way> } | undefined

/** Where a path leads, looked at once per call. */
export function wayTo(path: string, folder: string, ground: PathLookup): Way {
  if (ground.real === undefined) return { path: resolve(folder, path), sure: true }
  if (ways?.ground !== ground) ways = { ground, found: new Map() }
  const key = `${folder}\0${path}`
  let way = ways.found.get(key)
  if (way === undefined) {
    // `..` leads up from where a link to the folder leads.
    const from = folder === '/' ? folder : wayTo(folder, '/', ground).path
    ways.found.set(key, (way = ground.real(path, from)))
  }
  return way
}

const MOST_FOUND = 2_000

/**
 * The paths that a pattern finds. Sure only where the shell finds just these, and nothing behind them leads elsewhere: no
 * link, and no name that is read differently in another language.
 */
export function foundBy(
  pattern: string,
  folder: string,
  ground: PathLookup
): { paths: readonly string[]; sure: boolean } {
  let sure = ground.list !== undefined
  let paths = [pattern.startsWith('/') ? '/' : folder]
  for (const part of pattern.split('/').filter(each => each !== '')) {
    const found = /[*?[]/.test(part) ? paths.map(path => foundIn(path, part, ground)) : undefined
    sure &&= found?.every(each => each.sure) ?? true
    paths = found?.flatMap(each => each.paths) ?? paths.map(path => `${path}/${part}`)
    if (paths.length > MOST_FOUND) return { paths: [], sure: false }
  }
  return { paths, sure }
}

/** What a command copies by patterns: the names of what they find, in the target. */
export const copiedBy = ({ copies }: Form, folder: string, ground: PathLookup): readonly string[] =>
  copies.flatMap(({ pattern, target }) =>
    foundBy(pattern, folder, ground).paths.map(path => `${target}/${posix.basename(path)}`)
  )

function foundIn(folder: string, part: string, ground: PathLookup): ReturnType<typeof foundBy> {
  const [fits, mayFit] = [part, part.replaceAll('?', '*')].map(each => pathGlob(each))
  const names = (ground.list?.(folder) ?? []).filter(
    name => (part.startsWith('.') || !name.startsWith('.')) && mayFit?.([name])
  )
  const found = names.filter(name => fits?.([name])).map(name => `${folder}/${name}`)
  const real = wayTo(folder, '/', ground).path
  const isLink = (path: string): boolean => wayTo(path, '/', ground).path !== resolve(real, posix.basename(path))
  return { paths: found, sure: names.every(name => /^(?!-)[\x20-\x7E]+$/.test(name)) && !found.some(isLink) }
}

/** The walk through a command, from the folder in which it starts. */
export const walkFrom = oncePerCall((command, { roots: [root = '/'] }, ground) => {
  const walker = new Walker(ground.cwd ?? root, (path, folder) => wayTo(path, folder, ground).path)
  return { walker, walked: walker.text(command) }
})

export const walkOf = (command: string, places: RulePlaces, ground: PathLookup): WalkedText =>
  walkFrom(command, places, ground).walked

export const pathsNamedBy = oncePerCall((command, places, ground): NamedPaths => {
  const {
    roots: [root = '/'],
    home
  } = places
  const { cwd = root } = ground
  const looking = new Looking(ground)
  const { walker, walked } = walkFrom(command, places, ground)
  const into = [...walker.entered].slice(0, MOST_FOLDERS)
  const chosen = walked.steps.flatMap(step => chosenFolders(step)).slice(0, MOST_FOLDERS)
  // Git takes some paths relative to the top of the repository.
  const topOf = (folder: string): string | undefined => ground.has && repositoryTop(folder, ground.has)
  const tops = command.includes(':') ? [cwd, root, ...into, ...chosen].flatMap(folder => topOf(folder) ?? []) : []
  const folders = new Set(
    [cwd, root, ...into, ...chosen, ...tops].flatMap(folder => [folder, looking.real(folder, '/')])
  )
  if (!parseShell(command).readable || commandsHeldBy(command).isBlind) looking.unsure = command.slice(0, 100)
  for (const word of wordsIn(command)) {
    const text = home !== undefined && /^~(?:\/|$)/.test(word) ? home + word.slice(1) : word
    for (const folder of folders) looking.at(text, folder)
    // From which subfolder it leads up is not always known.
    const up = posix.normalize(text)
    if (up.startsWith('../')) looking.at(up.replace(/^(?:\.\.\/)+/, ''), root)
    // `~+`, `~-`, `~2` and `~user` are folders that only the shell knows.
    if (isWidePathspec(word) || /^~[^/]/.test(word)) looking.unsure ??= word
  }
  return looking
})

/** `git -C folder`: where it runs instead. */
function chosenFolders({ leaf: { words }, folders = [] }: CommandStep): readonly string[] {
  const chosen = words.flatMap(({ text, known }, index) => (known && words[index - 1]?.text === '-C' ? [text] : []))
  return chosen.length === 0 ? [] : folders.map(folder => resolve(folder, ...chosen.slice(0, MOST_FOLDERS)))
}

export function pathsGiven(texts: readonly string[], root: string, call: CallFacts): NamedPaths {
  const looking = new Looking(call)
  for (const text of new Set(texts)) looking.at(text, call.cwd ?? root)
  const { subject } = call
  if (subject?.kind === 'file' && subject.link !== undefined) looking.alsoCalled(subject.path, subject.link)
  return looking
}

export class Looking implements NamedPaths {
  readonly paths = new Set<string>()
  unsure: string | undefined
  readonly #ground: PathLookup

  constructor(ground: PathLookup) {
    this.#ground = ground
  }

  /** As written, resolved, and resolved for programs that remove `..` first. */
  at(text: string, folder: string): void {
    // No program can open a longer one.
    if (text.length > LONGEST_PATH) return
    const written = resolve(folder, text)
    this.paths.add(written)
    if (this.#ground.real === undefined) return
    const real = this.real(text, folder)
    this.paths.add(real)
    if (text.includes('..')) this.paths.add(this.real(written, folder))
    this.alsoCalled(real)
  }

  alsoCalled(real: string, link?: string): void {
    if (this.#ground.ruled === undefined) return
    const names = this.#ground.ruled.twins(real, link)
    if (names === undefined) this.unsure ??= real
    else for (const name of names) this.paths.add(name)
  }

  real(path: string, folder: string): string {
    const way = wayTo(path, folder, this.#ground)
    if (!way.sure) this.unsure = way.path
    return way.path
  }
}

/** The kernel accepts no longer path. */
const LONGEST_PATH = 4096

const MOST_FOLDERS = 50

/** Every word that may be a path: arguments, parts of options, and targets of redirections. */
function wordsIn(text: string): ReadonlySet<string> {
  const { leaves, plain, readable } = parseShell(text)
  const commands = (plain || !readable ? leaves : [...leaves, ...roughLeaves(text)]).map(leaf => [
    ...leafWords(leaf),
    ...leafTargets(leaf, 'read', 'write', 'both')
  ])
  const inner = commandsHeldBy(text).commands.flatMap(({ words: held, start, sure }) =>
    sure && start === 0 ? [held.filter(word => word !== undefined)] : []
  )
  // If the text cannot be parsed, any part of it may be the program.
  const program = !plain ? commands.flat().find(takesCode) : undefined
  const coded = [...commands, ...inner, program === undefined ? [] : [program, text]].flatMap(pathsInCode)
  const found = new Set<string>(coded)
  for (const word of new Set([...commands, ...inner].flat())) {
    const path = word.replace(/^\$(?:HOME\b|\{HOME\})/, '~').replace(/^\$(?:(?:OLD)?PWD\b|\{(?:OLD)?PWD\})/, '.')
    for (const part of [path, ...gluedIn(path), ...(pathspecIn(path) ?? [])]) found.add(part)
  }
  found.delete('')
  return found
}

/** `--file=a`, `-fa`, `@a`, `HEAD:a`, `a:b`. Which letters are options is not known. */
function gluedIn(word: string): readonly string[] {
  const letters = /^-[A-Za-z]{1,8}/.exec(word)?.[0].length ?? 0
  const behindLetters = Array.from({ length: Math.max(0, letters - 1) }, (_, index) => word.slice(index + 2))
  const aroundSigns = Array.from(word.matchAll(/[=:@,]/g))
    .slice(0, MOST_SIGNS)
    .flatMap(({ index }) => [word.slice(0, index), word.slice(index + 1)])
  return [...behindLetters, ...aroundSigns]
}

const MOST_SIGNS = 20

/** It matches more than one path. */
export const isWidePathspec = (word: string): boolean =>
  /^:(?:\([^)]*(?:attr|glob|icase)|[(/].*[*?[])/s.test(word) && (pathspecIn(word)?.length ?? 0) > 0

/** The files in which Linux shows the environment and the memory of a process, also by a glob that matches them. */
const FILES = /\/proc\b[^]*\b(?:environ|mem)\b|\/proc\/\S*\/(?:e[nviro]*|m[em]*)?[*?[]/
/** `ps` with the letter that makes it print the environment. */
const PS = /(?:^|[\s;&|(`/])ps\s(?:[^;&|\n]*\s)?(?:[acflujwx]*e[acflujwx]*|-\w*E\w*)(?=$|[\s;&|)`])/

/** The same, after resolving links. */
const REAL_FILES = /^\/proc\/.*\/(?:environ|mem)$/

/**
 * Why a person has to be asked, whatever allows it: it names the environment of a process, and ours holds credentials.
 * A filter, not a barrier: text that a command computes at run time is not seen.
 */
export function environmentNamed(
  subject: Subject | undefined,
  places: RulePlaces = { roots: [] },
  ground: PathLookup = {}
): string | undefined {
  if (subject?.kind !== 'command' && subject?.kind !== 'file') return undefined
  const text = subject.kind === 'command' ? subject.command : subject.path
  const plain = text.replaceAll(/["'\\]/g, '')
  const isNamed =
    FILES.test(plain) || PS.test(plain) || (subject.kind === 'command' && leadsThere(text, places, ground))
  return isNamed ? 'it names the environment or the memory of a process, where credentials are' : undefined
}

function leadsThere(command: string, places: RulePlaces, ground: PathLookup): boolean {
  if (ground.real === undefined) return false
  const { paths, unsure = '' } = pathsNamedBy(command, places, ground)
  return REAL_FILES.test(unsure) || [...paths].some(path => REAL_FILES.test(path))
}
