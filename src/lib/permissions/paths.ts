import { isAbsolute, resolve } from 'node:path'
import { isLiteral, literally, namesOf, pathGlob } from './path-glob.ts'

/** Where the paths of rules begin. */
export interface Places {
  /** Folders that belong to the work, as real paths: the project's first. */
  readonly roots: readonly string[]
  /** The user's home. */
  readonly home?: string | undefined
  /** Searches leave out what may not be read, so that whole folders can be searched. */
  readonly leavesOut?: boolean | undefined
}

/** Whether a path is a folder or something in it. `ws-evil` is not in `ws`. */
export function isWithin(path: string, folder: string): boolean {
  if (!isAbsolute(path) || !isAbsolute(folder)) return false
  const [whole, base] = [resolve(path), resolve(folder)]
  return whole === base || whole.startsWith(base === '/' ? base : `${base}/`)
}

/**
 * The globs that a specifier stands for, from the root of all:
 *
 * - `//etc/**`: from the root of all
 * - `~/notes/**`: from the user's home
 * - `/src/**`, `./src/**`, `src/**`: from the project's root, wherever the agent is just now
 * - `*.ts`, `.env`, and what begins with two stars: at any depth; where a rule refuses or asks (`wide`), outside the
 *   project as well
 *
 * A rule that refuses or asks means all that is in a folder, too, if it means the folder; one that allows only where it
 * names the folder without any `*`.
 */
export function globsOf(specifier: string, places: Places, wide: boolean): readonly string[] {
  const bases = anchorsOf(specifier, places, wide)
  const last = namesOf(specifier).at(-1) ?? '**'
  const whole = wide || isLiteral(last) || specifier.endsWith('/')
  return whole ? bases.flatMap(glob => [glob, `${glob}/**`]) : bases
}

function anchorsOf(specifier: string, { roots, home }: Places, wide: boolean): readonly string[] {
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

const READY = new Map<string, (path: string) => boolean>()

function testOf(glob: string): (path: string) => boolean {
  let test = READY.get(glob)
  if (test === undefined) {
    if (READY.size >= 2_000) READY.clear()
    READY.set(glob, (test = pathGlob(glob)))
  }
  return test
}

/** Whether one of the globs fits the path. */
export const fitsPath = (globs: readonly string[], path: string): boolean => globs.some(glob => testOf(glob)(path))

/** The same where neither capitals nor the way in which accents are written count: some disks do not tell them apart. */
export const fitsLoosely = (globs: readonly string[], path: string): boolean => fitsPath(globs.map(fold), fold(path))

const fold = (text: string): string => text.normalize('NFC').toLowerCase()

/** Whether one of the globs may fit something in the folder. */
export function reachesInto(globs: readonly string[], folder: string): boolean {
  const names = namesOf(folder)
  return globs.some(glob => {
    const all = namesOf(glob)
    const end = all.findIndex(name => !isLiteral(name))
    return all.slice(0, end === -1 ? all.length : end).every((name, index) => (names[index] ?? name) === name)
  })
}
