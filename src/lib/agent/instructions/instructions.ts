import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { importsIn } from './imports.ts'
import { attempt } from '../../util/attempt.ts'
import { literally, namesOf, pathGlob } from '../../util/path-glob.ts'
import type { PlainObject } from '../../util/plain.ts'
import { isWithin, repositoryTop } from '../../world/files/paths.ts'

export interface Instructions {
  readonly path: string
  readonly type: 'Managed' | 'User' | 'Project' | 'Local'
  readonly reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include'
  readonly parent?: string | undefined
  /** It applies to files that match one of these. */
  readonly globs?: readonly string[] | undefined
  readonly text: string
}

export interface InstructionPlaces {
  readonly cwd: string
  /** The project. Files are searched from the root of its repository, or else from here, down to `cwd`. */
  readonly root: string
  readonly home: string
  /** Default: `.carabiner` in the home folder. */
  readonly ownHome?: string | undefined
  readonly managed?: readonly string[] | undefined
  /** The frontmatter of a file, and the text after it. Default: there are no rules. */
  readonly split?: ((file: string) => { readonly keys: PlainObject; readonly body: string }) | undefined
  readonly warn?: ((text: string) => void) | undefined
}

const DEEPEST = 5
const LARGEST = 256 * 1024
const LARGEST_IN_ALL = 1024 * 1024
const MOST = 200

interface Parent {
  readonly path: string
  readonly depth: number
}

const NONE: readonly Instructions[] = []

/** The instructions for an agent that works in `cwd`. Each file is read once. Nothing is executed. */
export class ProjectInstructions {
  /**
   * Those for the start, the most general first: managed policy, the user, then each folder from the top of the project
   * down: CLAUDE.md, .claude/CLAUDE.md, rules, CLAUDE.local.md. AGENTS.md is read if a folder has neither of the first
   * two, since projects with both mean the same. Imported files follow the file that imports them.
   */
  readonly atStart: readonly Instructions[]
  readonly #places: InstructionPlaces
  readonly #top: string
  readonly #seen = new Set<string>()
  /** With the files that they import. */
  readonly #rules: { readonly fits: readonly Fits[]; readonly files: readonly Instructions[] }[] = []
  /** By folder: its files and those of the folders above it, except those for the start. */
  readonly #nested = new Map<string, readonly Instructions[]>()
  readonly #found: Instructions[] = []
  #count = 0
  #size = 0

  constructor(places: InstructionPlaces) {
    this.#places = places
    const cwd = realOf(places.cwd) ?? resolve(places.cwd)
    this.#top = repositoryTop(cwd, existsSync) ?? topOf(cwd, places)
    const below = relative(this.#top, cwd).split('/').filter(Boolean)
    const { home, ownHome = join(home, '.carabiner'), managed = [] } = places
    for (const folder of managed) this.#file(join(folder, 'CLAUDE.md'), 'Managed')
    for (const folder of [join(home, '.claude'), ownHome]) this.#file(join(folder, 'CLAUDE.md'), 'User')
    this.#readRules(join(home, '.claude/rules'), 'User', this.#top)
    for (const folder of [this.#top, ...below.map((_, index) => join(this.#top, ...below.slice(0, index + 1)))]) {
      this.#folder(folder)
      this.#nested.set(folder, NONE)
    }
    this.atStart = this.#found.splice(0)
  }

  /** Those that apply once this file is used: of the folders down to it, which are looked at once, and rules for it. */
  usedWith(path: string): readonly Instructions[] {
    const written = dirname(path)
    let nested = this.#nested.get(written)
    if (nested === undefined) this.#nested.set(written, (nested = this.#nestedIn(realOf(written) ?? written)))
    if (this.#rules.length === 0) return nested
    const names = namesOf(realOf(path) ?? path)
    return [...nested, ...this.#rules.flatMap(({ fits, files }) => (fits.some(fit => fit(names)) ? files : []))]
  }

  #nestedIn(folder: string): readonly Instructions[] {
    const known = this.#nested.get(folder)
    if (known !== undefined) return known
    let found = NONE
    if (isWithin(folder, this.#top) && !OF_OTHERS.test(folder.slice(this.#top.length))) {
      const above = this.#nestedIn(dirname(folder))
      this.#folder(folder, 'nested_traversal')
      found = [...above, ...this.#found.splice(0)]
    }
    this.#nested.set(folder, found)
    return found
  }

  #folder(folder: string, reason: Reason = 'session_start'): void {
    const own = this.#file(join(folder, 'CLAUDE.md'), 'Project', reason)
    const inner = this.#file(join(folder, '.claude/CLAUDE.md'), 'Project', reason)
    if (!own && !inner) this.#file(join(folder, 'AGENTS.md'), 'Project', reason)
    if (reason === 'session_start') this.#readRules(join(folder, '.claude/rules'), 'Project', folder)
    this.#file(join(folder, 'CLAUDE.local.md'), 'Local', reason)
  }

  /** Rules with `paths`, which are relative to `base`, wait for a file that matches; others are for the start. */
  #readRules(folder: string, type: Instructions['type'], base: string): void {
    const real = realOf(folder)
    // A link could lead to everything that there is.
    const refused = real && this.#barred(real, type)
    if (refused !== undefined) this.#warn(folder, refused, undefined)
    if (real === undefined || refused !== undefined) return
    const entries = attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? []
    for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
      const before = this.#found.length
      if (path.endsWith('.md')) this.#file(path, type, 'path_glob_match')
      const fits = this.#found[before]?.globs?.map(glob => pathGlob(join(literally(base), glob)))
      if (fits !== undefined) this.#rules.push({ fits, files: this.#found.splice(before) })
    }
  }

  /** Whether there is such a file. */
  #file(path: string, type: Instructions['type'], from: Reason | Parent = 'session_start'): boolean {
    const real = realOf(path)
    if (real !== undefined && !this.#seen.has(real)) this.#read(path, real, type, from)
    return real !== undefined
  }

  #read(path: string, real: string, type: Instructions['type'], from: Reason | Parent): void {
    const parent = typeof from === 'string' ? undefined : from
    const refused = this.#barred(real, type) ?? this.#full()
    const read = refused === undefined ? textOf(real) : { why: refused }
    if (read === undefined) return
    this.#seen.add(real)
    if ('why' in read) return this.#warn(path, read.why, parent)
    this.#count++
    this.#size += read.text.length
    const file = { path, type, ...this.#about(read.text, real, from) }
    this.#found.push(file)
    this.#imports(file, (parent?.depth ?? 0) + 1)
  }

  #about(text: string, real: string, from: Reason | Parent): Omit<Instructions, 'path' | 'type'> {
    if (typeof from !== 'string') return { reason: 'include', parent: from.path, text }
    if (from !== 'path_glob_match') return { reason: from, text }
    const { keys, body } = this.#places.split?.(real) ?? { keys: {}, body: text }
    const globs = globsIn(keys['paths'])
    return globs.length === 0 ? { reason: 'session_start', text: body } : { reason: from, globs, text: body }
  }

  #imports({ path, type, text }: Instructions, depth: number): void {
    for (const written of importsIn(text)) {
      const file = this.#pathOf(written, dirname(path))
      if (file === undefined) continue
      if (depth > DEEPEST) this.#warn(file, `it is imported more than ${DEEPEST} files deep`, { path })
      else this.#file(file, type, { path, depth })
    }
  }

  /** A full stop after a path at the end of a sentence is not part of it. */
  #pathOf(written: string, folder: string): string | undefined {
    for (const name of new Set([written, written.replace(/#.*$/, ''), written.replace(/[#.,;:!?)\]'"]+$/, '')])) {
      const path = name.startsWith('~/') ? join(this.#places.home, name.slice(2)) : resolve(folder, name)
      if (name !== '' && realOf(path) !== undefined) return path
    }
    return undefined
  }

  /** A project may import its own files, and texts that the user keeps for that. */
  #barred(real: string, type: Instructions['type']): string | undefined {
    if (type === 'Managed' || type === 'User' || isWithin(real, this.#top)) return undefined
    const { home, ownHome = join(home, '.carabiner') } = this.#places
    const own = [join(home, '.claude'), ownHome].some(folder => isWithin(real, realOf(folder) ?? folder))
    return own && extname(real) === '.md' ? undefined : `it is outside of the project (${real})`
  }

  #full(): string | undefined {
    if (this.#count >= MOST) return `there are more than ${MOST} files of instructions`
    return this.#size > LARGEST_IN_ALL ? `the instructions are larger than ${LARGEST_IN_ALL} characters` : undefined
  }

  #warn(path: string, why: string, parent: Pick<Instructions, 'path'> | undefined): void {
    const by = parent === undefined ? '' : `, which ${parent.path} imports,`
    this.#places.warn?.(`${path}${by} was left out: ${why}`)
  }
}

type Fits = ReturnType<typeof pathGlob>
type Reason = Exclude<Instructions['reason'], 'include'>

/** What was installed is not the user's: its authors instruct no one here. */
const OF_OTHERS = /\/(?:node_modules|\.git)(?:\/|$)/

/** A list, or one text with commas. */
const globsIn = (paths: unknown): readonly string[] =>
  [paths].flat().flatMap(each => (typeof each === 'string' ? each.split(COMMA).filter(glob => glob !== '') : []))

const COMMA = /\s*,\s*(?![^{]*\})/

/** The project, if the agent works in it. */
function topOf(cwd: string, places: InstructionPlaces): string {
  const root = places.root === places.cwd ? cwd : (realOf(places.root) ?? resolve(places.root))
  return isWithin(cwd, root) ? root : cwd
}

const realOf = (path: string): string | undefined => attempt(() => (existsSync(path) ? realpathSync(path) : undefined))

/** The text of a file, or why it cannot be read. A folder is not worth a warning. */
function textOf(real: string): { readonly text: string } | { readonly why: string } | undefined {
  let descriptor: number
  try {
    // Opening a pipe without a writer would block forever.
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    return { why: `it cannot be read (${(error as Error).message})` }
  }
  try {
    const stat = fstatSync(descriptor)
    if (stat.isDirectory()) return undefined
    if (!stat.isFile()) return { why: 'it is not an ordinary file' }
    if (stat.size > LARGEST) return { why: `it is larger than ${LARGEST} bytes` }
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor))
    return text.includes('\0') ? { why: 'it is not a text' } : { text }
  } catch (error) {
    return { why: error instanceof TypeError ? 'it is not a text in UTF-8' : `it cannot be read (${basename(real)})` }
  } finally {
    closeSync(descriptor)
  }
}
