import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { importsIn } from './imports.ts'
import { attempt } from '../../util/attempt.ts'
import { isWithin, repositoryTop } from '../../world/files/paths.ts'

export interface Instructions {
  readonly path: string
  readonly type: 'Managed' | 'User' | 'Project' | 'Local'
  readonly reason: 'session_start' | 'include'
  readonly parent?: string | undefined
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
  readonly on?: ((file: Instructions) => void) | undefined
  readonly warn?: ((text: string) => void) | undefined
}

const DEEPEST = 5
const LARGEST = 256 * 1024
const LARGEST_IN_ALL = 1024 * 1024
const MOST = 200

/**
 * The instructions for an agent that works in `cwd`, the most general first: managed policy, the user, then each folder
 * from the top of the project down: CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md. AGENTS.md is read if a folder has
 * neither of the first two, since projects with both mean the same. Imported files follow the file that imports them.
 * Each file is read once. Nothing is executed.
 */
export function loadInstructions(places: InstructionPlaces): readonly Instructions[] {
  const { home, ownHome = join(home, '.carabiner'), managed = [] } = places
  const reading = new Reading(places)
  for (const folder of managed) reading.file(join(folder, 'CLAUDE.md'), 'Managed')
  for (const folder of [join(home, '.claude'), ownHome]) reading.file(join(folder, 'CLAUDE.md'), 'User')
  for (const folder of reading.folders) {
    const own = reading.file(join(folder, 'CLAUDE.md'), 'Project')
    const inner = reading.file(join(folder, '.claude/CLAUDE.md'), 'Project')
    if (!own && !inner) reading.file(join(folder, 'AGENTS.md'), 'Project')
    reading.file(join(folder, 'CLAUDE.local.md'), 'Local')
  }
  return reading.files
}

interface Parent {
  readonly path: string
  readonly depth: number
}

class Reading {
  readonly files: Instructions[] = []
  readonly folders: readonly string[]
  readonly #places: InstructionPlaces
  readonly #top: string
  readonly #seen = new Set<string>()
  #size = 0

  constructor(places: InstructionPlaces) {
    this.#places = places
    const cwd = realOf(places.cwd) ?? resolve(places.cwd)
    this.#top = repositoryTop(cwd, existsSync) ?? topOf(cwd, places)
    const below = relative(this.#top, cwd).split('/').filter(Boolean)
    this.folders = [this.#top, ...below.map((_, index) => join(this.#top, ...below.slice(0, index + 1)))]
  }

  /** Whether there is such a file. */
  file(path: string, type: Instructions['type'], parent?: Parent): boolean {
    const real = realOf(path)
    if (real !== undefined && !this.#seen.has(real)) this.#read(path, real, type, parent)
    return real !== undefined
  }

  #read(path: string, real: string, type: Instructions['type'], parent: Parent | undefined): void {
    const refused = this.#barred(real, type) ?? this.#full()
    const read = refused === undefined ? textOf(real) : { why: refused }
    if (read === undefined) return
    this.#seen.add(real)
    if ('why' in read) return this.#warn(path, read.why, parent)
    this.#size += read.text.length
    const reason = parent === undefined ? 'session_start' : 'include'
    const file = { path, type, reason, ...(parent !== undefined && { parent: parent.path }), text: read.text } as const
    this.files.push(file)
    this.#places.on?.(file)
    this.#imports(file, (parent?.depth ?? 0) + 1)
  }

  #imports({ path, type, text }: Instructions, depth: number): void {
    for (const written of importsIn(text)) {
      const file = this.#pathOf(written, dirname(path))
      if (file === undefined) continue
      if (depth > DEEPEST) this.#warn(file, `it is imported more than ${DEEPEST} files deep`, { path })
      else this.file(file, type, { path, depth })
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
    if (this.files.length >= MOST) return `there are more than ${MOST} files of instructions`
    return this.#size > LARGEST_IN_ALL ? `the instructions are larger than ${LARGEST_IN_ALL} characters` : undefined
  }

  #warn(path: string, why: string, parent: Pick<Instructions, 'path'> | undefined): void {
    const by = parent === undefined ? '' : `, which ${parent.path} imports,`
    this.#places.warn?.(`${path}${by} was left out: ${why}`)
  }
}

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
