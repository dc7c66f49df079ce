import { isLiteral, literally, namesOf, pathGlob } from '../util/path-glob.ts'
import { realPath } from '../world/files/paths.ts'

export interface RulePlaces {
  /** Folders of the project and those added to it, as real paths: the project's root first. */
  readonly roots: readonly string[]
  readonly home?: string | undefined
  /** Searches leave out files that may not be read, so that whole folders can be searched. */
  readonly leavesOut?: boolean | undefined
}

/**
 * The absolute globs of a specifier:
 *
 * - `//etc/**`: from the root of the file system
 * - `~/notes/**`: from the user's home
 * - `/src/**`, `./src/**`, `src/**`: from the project's root, whatever the current folder
 * - `*.ts`, `.env`, and what starts with two stars: at any depth; if a rule refuses or asks (`wide`), also outside the
 *   project
 *
 * A rule that refuses or asks and matches a folder also covers everything in it; a rule that allows does so only if it
 * names the folder without any `*`. One that refuses or asks also means what a link in its path leads to.
 */
function globsOf(specifier: string, places: RulePlaces, wide: boolean): readonly string[] {
  const bases = anchorsOf(specifier, places, wide)
  const last = namesOf(specifier).at(-1) ?? '**'
  const whole = wide || isLiteral(last) || specifier.endsWith('/')
  const globs = whole ? bases.flatMap(glob => [glob, `${glob}/**`]) : bases
  return wide ? [...new Set(globs.flatMap(glob => [glob, throughLinks(glob)]))] : globs
}

/** Where the literal beginning leads. */
function throughLinks(glob: string): string {
  const { literal, rest } = literalNames(glob)
  return [literally(realPath(`/${literal.join('/')}`)), ...rest].join('/')
}

function anchorsOf(specifier: string, { roots, home }: RulePlaces, wide: boolean): readonly string[] {
  const anywhere = (rest: string): readonly string[] =>
    wide ? [`/**/${rest}`] : roots.map(root => `${literally(root)}/**/${rest}`)
  if (specifier.startsWith('//')) return [specifier.slice(1)]
  if (specifier === '~' || specifier.startsWith('~/')) {
    if (home !== undefined) return [literally(home) + specifier.slice(1)]
    return wide ? anywhere(specifier.slice(2)) : []
  }
  const isAnywhere = specifier.startsWith('**/') || !specifier.replace(/\/+$/, '').includes('/')
  if (isAnywhere && !/^\.{1,2}\/*$/.test(specifier)) return anywhere(specifier)
  const [root] = roots
  if (root !== undefined) return [`${literally(root)}/${specifier}`]
  return wide ? anywhere(specifier.replace(/^(?:\.{0,2}\/)+/, '')) : []
}

export interface SplitPath {
  readonly names: readonly string[]
  /** Without differences that some file systems ignore: upper case, and composed or decomposed accents. */
  readonly folded: readonly string[]
}

export const pathOf = (text: string): SplitPath => ({ names: namesOf(text), folded: namesOf(fold(text)) })

const fold = (text: string): string => text.normalize('NFC').toLowerCase()

/** The files that rules refuse or ask about. Undefined if that cannot be determined. */
export interface RuledFiles {
  /** Hard links of the same file. `link`: its identity. */
  twins(path: string, link?: string): readonly string[] | undefined
  below(folder: string): readonly SplitPath[] | undefined
}

export interface PathPattern {
  readonly globs: readonly string[]
  readonly fits: (path: SplitPath) => boolean
  readonly fitsLoosely: (path: SplitPath) => boolean
  readonly reachesInto: (folder: SplitPath) => boolean
  /** A folder holds what the pattern names: by its place, or because such a file is there, or there are too many. */
  readonly isBelow: (folder: SplitPath, ruled: RuledFiles | undefined) => boolean
}

interface Compiled {
  readonly home: string | undefined
  readonly wide: Map<string, PathPattern>
  readonly narrow: Map<string, PathPattern>
}

const READY = new WeakMap<readonly string[], Compiled>()
const MOST = 2_000

export function patternOf(specifier: string, places: RulePlaces, wide: boolean): PathPattern {
  let ready = READY.get(places.roots)
  if (ready === undefined || ready.home !== places.home)
    READY.set(places.roots, (ready = { home: places.home, wide: new Map(), narrow: new Map() }))
  const patterns = wide ? ready.wide : ready.narrow
  let pattern = patterns.get(specifier)
  if (pattern === undefined) {
    if (patterns.size >= MOST) patterns.clear()
    patterns.set(specifier, (pattern = compile(globsOf(specifier, places, wide))))
  }
  return pattern
}

function compile(globs: readonly string[]): PathPattern {
  const bases = globs.map(glob => literalNames(glob).literal)
  const exact = globs.map((glob, index) => {
    const test = pathGlob(glob)
    const at = bases[index]!.length - 1
    const name = bases[index]![at]
    // The last name of the literal beginning differs most often.
    return (names: readonly string[]): boolean => (at === -1 || names[at] === name) && test(names)
  })
  const loose = globs.map(glob => pathGlob(fold(glob)))
  return {
    globs,
    fits: ({ names }) => {
      for (const test of exact) if (test(names)) return true
      return false
    },
    fitsLoosely: ({ folded }) => loose.some(test => test(folded)),
    isBelow: ({ names }, ruled) => {
      const isAbove = (base: readonly string[]): boolean =>
        base.length > names.length && names.every((name, at) => base[at] === name)
      if (bases.some(isAbove)) return true
      const isNear = bases.some(base => base.every((name, at) => names[at] === name))
      if (!isNear || ruled === undefined) return false
      return ruled.below(`/${names.join('/')}`)?.some(({ names: found }) => exact.some(test => test(found))) ?? true
    },
    reachesInto: ({ names }) =>
      bases.some(base => base.every((name, index) => names[index] === undefined || names[index] === name))
  }
}

export function literalNames(glob: string): { literal: readonly string[]; rest: readonly string[] } {
  const names = namesOf(glob)
  const end = names.findIndex(name => !isLiteral(name))
  return end === -1 ? { literal: names, rest: [] } : { literal: names.slice(0, end), rest: names.slice(end) }
}
